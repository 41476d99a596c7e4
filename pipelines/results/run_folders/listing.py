"""The runs under a folder: what each ran, its progress, its scores.

Only small files are read (`run.json`, `scores.json`, `ablation.json`), and of an unfinished run's journal the lines are
counted, so that hundreds of runs are listed quickly. A folder that cannot be read is listed with the reason.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from longdoc import plain_json
from longdoc.errors import UserError
from longdoc.plain_values import plain_fields
from pipelines import tasks
from pipelines.results import output_counts
from pipelines.results.run_folders import schema
from pipelines.results.run_folders.record import ABLATION, ABLATION_FORMAT, check_format, part, recipe_of_spec, upgraded

State = Literal["finished", "unfinished", "running", "unreadable"]
Sort = Literal["score", "time"]


@dataclass(frozen=True, slots=True)
class ListedRun:
    """The folder of a run; or of an ablation, with its number of `cells`, those `finished`, and the best score.

    `examples` of `total` are done, `failed` have no prediction. `time` is when one of its files was last written, in
    seconds since 1970. `note` says why a folder is unreadable, or how to continue an unfinished run; `outputs`
    describes outputs that are empty, were refused or stopped at their length limit.
    """

    folder: Path
    state: State
    task: str = ""
    split: str = ""
    recipe: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    examples: int = 0
    total: int | None = None
    failed: int = 0
    cells: int | None = None
    finished: int | None = None
    time: float = 0.0
    note: str = ""
    outputs: Sequence[str] = ()

    @property
    def done(self) -> str:
        """`68/68`, `12/68`, `12`; for an ablation its cells."""
        if self.cells is not None:
            return f"{self.finished}/{self.cells}"
        return f"{self.examples}/{self.total}" if self.total is not None else str(self.examples)

    @property
    def when(self) -> str:
        """The local time, to the minute."""
        return datetime.fromtimestamp(self.time).strftime("%Y-%m-%d %H:%M")

    @property
    def status(self) -> str:
        """The state in words, with the number of failed examples."""
        state = f"ablation, {self.state}" if self.cells is not None else self.state
        return f"{state}, {self.failed} failed" if self.failed else state

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; the time in ISO 8601."""
        time = datetime.fromtimestamp(self.time).astimezone().isoformat(timespec="seconds")
        return plain_fields(self) | {"time": time}


@dataclass(frozen=True, slots=True)
class Listing:
    """The runs found under `folder`, by task, then by score or time."""

    folder: Path
    runs: Sequence[ListedRun]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; times in ISO 8601."""
        return {"folder": str(self.folder), "runs": [run.to_dict() for run in self.runs]}

    def __str__(self) -> str:
        """One line per run: folder, task, split, state, progress, time, scores, recipe; then the notes."""
        if not self.runs:
            return f"no runs in {self.folder}"
        rows = [
            (str(run.folder), run.task or "?", run.split or "?", run.status, run.done, run.when) for run in self.runs
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = []
        for run, row in zip(self.runs, rows, strict=True):
            scores = [f"{name}={value:.2f}" for name, value in run.scores.items()]
            cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
            lines.append("  ".join([*cells, *scores, run.recipe]).rstrip())
        return "\n".join([*lines, *self.notes])

    @property
    def notes(self) -> list[str]:
        """The notes of all folders, each after its folder's name."""
        of_states = [f"{run.folder}: {run.state}: {run.note}" for run in self.runs if run.note]
        return of_states + [f"{run.folder}: {line}" for run in self.runs for line in run.outputs]


def runs(folder: str | Path = "runs", *more: str | Path, task: str | None = None, sort: Sort = "score") -> Listing:
    """The runs in folders and everything below them; an ablation is one entry.

    `task` keeps those of one task. They are sorted by task, then by the first score, or with `sort="time"` by time, the
    latest first. Raises `UserError` for a missing folder.
    """
    if sort not in ("score", "time"):
        raise UserError(f"sort={sort!r}: score or time")
    wanted = tasks.full_name(task) if task is not None else None
    found: dict[Path, ListedRun] = {}
    for root in map(Path, (folder, *more)):
        if not root.is_dir():
            raise UserError(f"there is no folder {root}: name the one your runs are in, as in: longdoc runs FOLDER")
        found |= {path.resolve(): listed_run(path) for path in _folders(root)}
    selected = [run for run in found.values() if wanted is None or run.task == wanted]
    return Listing(Path(folder), sorted(selected, key=_by_time if sort == "time" else _by_score))


def listed_run(path: Path) -> ListedRun:
    """The entry of one folder; where it cannot be read, the note says why."""
    try:
        return _ablation(path) if (path / ABLATION).is_file() else _run(path)
    except (UserError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        note = str(error) if isinstance(error, UserError) else f"the files in it are damaged ({error!r})"
        return ListedRun(path, "unreadable", time=_written(path), note=note)


def _folders(root: Path) -> Iterator[Path]:
    """The folders of runs and ablations below `root`, itself included; their own subfolders are not searched."""
    if (root / "run.json").is_file() or (root / ABLATION).is_file():
        yield root
        return
    try:
        below = sorted(path for path in root.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return
    for path in below:
        if not path.name.startswith("."):
            yield from _folders(path)


def _run(path: Path) -> ListedRun:
    record = upgraded(_json(path / "run.json"), path)
    schema.check(record, whole=True)
    spec, file = record["spec"], path / "scores.json"
    scored = _json(file) if file.is_file() and (path / "predictions.jsonl").is_file() else None
    total = _total(record)
    examples = scored["examples"] if scored else finished_examples(path / "journal.jsonl", total)
    failed = len(scored.get("failures", {})) if scored else 0
    running = is_running(path)
    return ListedRun(
        path,
        "running" if running else "finished" if scored else "unfinished",
        spec["task"],
        f"{spec['split']} {part(record.get('limit'), spec)}".rstrip(),
        recipe_of_spec(spec),
        {name: float(value) for name, value in scored["scores"].items()} if scored else {},
        examples,
        examples + failed if scored else total,
        failed,
        time=_written(path),
        note="" if scored or running else how_to_resume(path, record),
        outputs=_outputs(scored) if scored else (),
    )


def _ablation(path: Path) -> ListedRun:
    """An ablation by its record; progress and best score come from the folders of its runs."""
    record = _json(path / ABLATION)
    check_format(record, ABLATION_FORMAT, path)
    cells = [listed_run(path / cell["folder"]) for cell in record["cells"] if cell["folder"] and not cell["error"]]
    finished = [cell for cell in cells if cell.state == "finished"]
    failed = sum(1 for cell in record["cells"] if cell["error"])
    primary = record["primary_metric"] or next((name for cell in finished for name in cell.scores), "")
    best = max((cell.scores[primary] for cell in finished if primary in cell.scores), default=None)
    settled = len(finished) + failed == len(record["cells"])
    return ListedRun(
        path,
        "running" if any(cell.state == "running" for cell in cells) else "finished" if settled else "unfinished",
        record["task"],
        record["split"],
        "ablation of " + ", ".join(record["axes"]),
        {primary: best} if best is not None else {},
        failed=failed,
        cells=len(record["cells"]),
        finished=len(finished),
        time=max([_written(path), *(cell.time for cell in cells)]),
    )


def is_running(path: Path) -> bool:
    """Whether a process holds the folder's lock."""
    from filelock import FileLock, Timeout

    if not (path / ".lock").is_file():
        return False
    try:
        with FileLock(path / ".lock", timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # a read-only folder: no run is in progress there
        return False


def _outputs(scored: Mapping[str, Any]) -> tuple[str, ...]:
    """A description of a finished run's empty, refused and unfinished outputs."""
    counts, usage = scored.get("outputs", {}), scored.get("usage", {})
    return tuple(output_counts.describe(counts, usage["requests"], scored["examples"])) if counts else ()


def _total(record: Mapping[str, Any]) -> int | None:
    """The number of examples that an unfinished run will have, None where its record does not say."""
    spec = record["spec"]
    data = spec.get("data", {})
    whole: Any = data.get("examples")
    if whole is None and "repository" in data:
        task = tasks.all_tasks().get(spec["task"])
        whole = task.dataset.counts.get(spec["split"]) if task else None
    asked = record.get("limit") or spec.get("sample")
    known = [int(number) for number in (asked, whole) if number]
    return min(known, default=None)


def how_to_resume(path: Path, record: Mapping[str, Any]) -> str:
    """The command that last started an unfinished run, with its folder."""
    command = next((start.get("command") for start in reversed(record.get("starts", ()))), None)
    if not command or not _is_ours(command):
        return f"start the same run again with out={str(path)!r}"
    return command if " --out" in command else f"{command} --out {shlex.quote(str(path))}"


def _is_ours(command: Any) -> bool:
    """Whether a shell would start this program and nothing else by it: users paste what is printed."""
    try:
        words = shlex.split(command)
    except (ValueError, AttributeError, TypeError):
        return False
    return words[:1] == ["longdoc"] and shlex.join(words) == command


def _by_score(run: ListedRun) -> tuple[Any, ...]:
    best = next(iter(run.scores.values()), None)
    return run.task == "", run.task, run.split, best is None, -(best or 0.0), str(run.folder)


def _by_time(run: ListedRun) -> tuple[Any, ...]:
    return run.task == "", run.task, -run.time, str(run.folder)


def _written(path: Path) -> float:
    """When a file of the folder was last written; not the lock, which is touched by checking it."""
    names = ("scores.json", "journal.jsonl", "run.json", ABLATION)
    return max(((path / name).stat().st_mtime for name in names if (path / name).is_file()), default=0.0)


def finished_examples(file: Path, total: int | None = None) -> int:
    """The number of examples in a journal, at most `total`. Lines begin with the id; an example can have several."""
    if not file.is_file():
        return 0
    with file.open("rb") as lines:
        count = len({line.partition(b',"document":')[0] for line in lines if line.endswith(b"\n")})
    return count if total is None else min(count, total)


def _json(file: Path) -> dict[str, Any]:
    try:
        record = plain_json.loads(file.read_text(encoding="utf-8", errors="surrogatepass"))
    except ValueError as error:
        raise UserError(f"{file.name} is damaged ({error})") from None
    if not isinstance(record, dict):
        raise UserError(f"{file.name} is damaged (a {type(record).__name__})")
    return record
