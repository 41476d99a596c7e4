"""Bytes of a run's folder flipped, zeroed, cut off and added; then it is read, verified, and the run started again.

In each trial one file of a finished or unfinished folder is damaged at a place drawn by the trial's seed. What readers
of results then say has to be what they said before, or a `UserError`; a traceback or another number is a loss. After
that the same start is made again: its final files have to be those of the undisturbed folder (repaired), or it is
refused.
"""

import io
import os
import random
import shutil
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import table as markdown
from longdoc import checked_json
from longdoc.errors import UserError
from models import Generate, Reader, Reply
from pipelines.plugins.verify.verify import verify
from pipelines.records import Document, Example
from pipelines.results.reports.report import report
from pipelines.results.run_folders.listing import runs
from pipelines.results.run_folders.run import finished_run

TITLE = "Damaged files"
PLACES = {"a bit flipped": 60, "1 byte zeroed": 8, "16 bytes zeroed": 10, "512 bytes zeroed": 6, "cut off": 20,
          "rubbish added": 12}  # fmt: skip
QUICK = 20  # so many times fewer
EXPLAINED = (
    "One file of a folder is damaged at a place that is drawn by a seed; one of the readers of results "
    "(`finished_run`, the report, the list, a comparison, a merge) reads it, then `longdoc runs verify`, and then the "
    "same start is made again. Repaired: the final files are those of the undisturbed folder, and the damage was said. "
    "Refused: in one line. Harmless: the final files are the same, and nothing had to be said, as where a log is cut "
    "off, which is what a kill leaves: what is lost is made again. Wrong: a traceback, or any other value."
)
OUTCOMES = ("repaired", "refused", "harmless", "wrong")
FINAL = ("predictions.jsonl", "scores.json", "report.html", "shard.jsonl", "ablation.json")


def examples() -> list[Example]:
    """Three documents with a question each."""
    return [
        Example(
            f"q{d}",
            Document(f"d{d}", f"Room{d}1 holds a chest. Room{d}2 holds {d} keys."),
            f"What does Room{d}2 hold?",
            (f"{d} keys",),
        )
        for d in range(3)
    ]


@dataclass(frozen=True)
class LastWordsReader(Reader):
    """Answers with the last words of its prompt; as a judge it says yes to some."""

    supports = frozenset({Generate})
    max_input_tokens: int | None = None

    def count(self, texts: Any) -> list[int]:
        """Words."""
        return [len(text.split()) for text in texts]

    def reply(self, requests: Any) -> list[Reply]:
        """The last three words, or a verdict."""
        texts = [request.prompt.text for request in requests]
        answers = [("yes" if "2 keys" in t else "no") if "Reference" in t else " ".join(t.split()[-3:]) for t in texts]
        return [Reply(answer, tokens_in=len(t.split()), tokens_out=1) for answer, t in zip(answers, texts, strict=True)]


RECIPE = {
    "chunker": "sentences:1",
    "retriever": "bm25",
    "k": 1,
    "model": LastWordsReader(),
    "metrics": ["f1"],
    "prompt": "{query} {document}",
}


def start_run(folder: Path, **changes: Any) -> None:
    """The run in a folder, started or started again."""
    pipelines.run("qa", data=examples(), out=folder, **{**RECIPE, **changes})


def make_ablation(folder: Path) -> None:
    """An ablation of two cells."""
    pipelines.ablate("qa", data=examples(), out=folder, **{**RECIPE, "retriever": ["bm25", "first"]})


def make_versus(folder: Path) -> None:
    """A table of ways, one of them a file of predictions."""
    recipe = {name: value for name, value in RECIPE.items() if name not in ("retriever", "k")}
    pipelines.versus("qa", data=examples(), out=folder, retriever="bm25", k=1, **recipe)


def results_of(folder: Path) -> Any:
    """Everything that readers of results get from a run's folder."""
    run = finished_run(folder)
    return (
        dict(run.scores),
        run.scores.intervals,
        run.predictions,
        run.failures,
        run.usage,
        run.spec,
        run.versions,
        run.judging,
    )


def text(folder: Path) -> str:
    """The table of a report."""
    return str(report(folder, format="markdown"))


def listing_of(folder: Path) -> Any:
    """What `longdoc runs list` says; a folder that cannot be read is refused."""
    (run,) = runs(folder).runs
    if run.state == "unreadable":
        raise UserError(run.note)
    return run.state, run.scores, run.examples


def state(folder: Path) -> Any:
    """Whether `longdoc runs list` has it as unfinished; examples whose lines are damaged are not counted."""
    listing = listing_of(folder)
    return listing[0], listing[1], listing[2] <= 2


def comparison_of(folder: Path) -> Any:
    """The comparison of a run with itself elsewhere."""
    comparison = pipelines.compare(folder, folder.parent / "other").to_dict()
    return {name: value for name, value in comparison.items() if name not in ("a", "b")}


@dataclass(frozen=True)
class Kind:
    """A folder: how it is made and started again, its readers, and which of its files are damaged."""

    name: str
    make: Callable[[Path], None]
    files: tuple[str, ...]
    readers: tuple[Callable[[Path], Any], ...] = ()
    after_making: Callable[[Path], None] = field(default=lambda folder: None)  # after it is made, as a kill leaves it
    again: Callable[[Path], None] | None = None


def make_unfinished(folder: Path) -> None:
    """Leave a run as a kill does: without final files and without its last example."""
    for name in FINAL:
        (folder / name).unlink(missing_ok=True)
    log = folder / "journal.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))


def make_shards(folder: Path) -> None:
    """Two shards, in folders beside each other."""
    for number in (1, 2):
        start_run(folder / str(number), shard=f"{number}/2", report=False)


def results_merged(folder: Path) -> Any:
    """The two shards merged."""
    shutil.rmtree(folder.parent / "merged", ignore_errors=True)
    pipelines.merge(folder / "1", folder / "2", out=folder.parent / "merged", report=False)
    return results_of(folder.parent / "merged")


RUN = ("run.json", "requests.jsonl", "journal.jsonl", "predictions.jsonl", "scores.json", "report.html")
KINDS = (
    Kind("finished run", start_run, RUN, (results_of, text, listing_of, comparison_of)),
    Kind("unfinished run", start_run, RUN[:3], (state,), make_unfinished),
    Kind("judged run", lambda folder: start_run(folder, judge=LastWordsReader()),
         ("scores.json", "judgements.jsonl", "judge-*.jsonl"), (results_of, text)),
    Kind("shards", make_shards, ("1/run.json", "1/requests.jsonl", "1/journal.jsonl", "1/shard.jsonl", "1/scores.json"),
         (results_merged,)),
    Kind("ablation", make_ablation, ("ablation.json", "runs/*/scores.json", "report.html"), (text, listing_of)),
    Kind("versus", make_versus, ("ablation.json",), (text, listing_of)),
)  # fmt: skip


@dataclass
class Tally:
    """Outcomes by folder and file, by damage, and the trials that went wrong."""

    outcomes: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    by_damage: dict[str, Counter[str]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def add(self, kind: Kind, file: str, damage: str, outcome: str, reading: str, verified: str, why: str) -> None:
        """Count a trial."""
        for counts in (
            self.outcomes.setdefault((kind.name, file), Counter()),
            self.by_damage.setdefault(damage, Counter()),
        ):
            counts[outcome] += 1
            counts["trials"] += 1
            counts[f"reading {reading}"] += 1
            counts[f"verify {verified}"] += 1
        if why:
            self.wrong.append(f"{kind.name}, {file}, {damage}: {why}")


def damaged(content: bytes, damage: str, draw: random.Random) -> bytes:
    """The bytes of a file with the damage; the same bytes where the file is too short to be damaged so."""
    data, place = bytearray(content), draw.randrange(len(content)) if content else 0
    if damage == "a bit flipped" and data:
        data[place] ^= 1 << draw.randrange(8)
    elif damage.endswith("zeroed"):
        size = min(int(damage.split()[0]), len(data) - place)
        data[place : place + size] = bytes(size)
    elif damage == "cut off":
        del data[place:]
    elif damage == "rubbish added":
        data += draw.choice([draw.randbytes(draw.randrange(1, 40)), bytes(content[place : place + 100])])
    return bytes(data)


@contextmanager
def folders() -> Iterator[Path]:
    """A folder for all trials, in memory where the system has such a place."""
    memory = Path("/dev/shm")  # noqa: S108  # its folders are made by tempfile
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


def outcome_of_reading(read: Callable[[Path], Any], folder: Path) -> tuple[str, Any]:
    """What a reader of results says: its value, that it was refused, or a traceback."""
    try:
        return "said", repr(read(folder))
    except UserError as error:
        return "refused", str(error)
    except Exception:
        return "broken", traceback.format_exc(limit=-3)


def contents(folder: Path) -> dict[str, Any]:
    """The final files in a folder and below; of a judge's replies it does not count how many are of this start."""
    contents_by_name: dict[str, Any] = {}
    for file in sorted(folder.rglob("*")):
        if file.name in FINAL:
            contents_by_name[str(file.relative_to(folder))] = file.read_bytes()
        if file.name == "scores.json" and b'"new_requests"' in file.read_bytes():
            record = checked_json.load(file)
            contents_by_name[str(file.relative_to(folder))] = {
                **record,
                "judging": {**record["judging"], "new_requests": 0},
            }
    return contents_by_name


class Trials:
    """The trials of one kind of folder, all in the same place, so that nothing differs by its path."""

    def __init__(self, kind: Kind, home: Path) -> None:
        self.kind, self.home, self.work = kind, home, home / "work"
        self.clean = home / "clean"
        kind.make(self.work)
        if not (home / "other").exists():
            start_run(home / "other")
        self.whole = contents(self.work)
        kind.after_making(self.work)
        shutil.copytree(self.work, self.clean)
        self.readings = [outcome_of_reading(read, self.work) for read in kind.readers]
        self.files = [file for name in kind.files for file in sorted(self.clean.glob(name))[:1]]

    def trial(self, file: Path, damage: str, draw: random.Random) -> tuple[str, str, str, str]:
        """One damage: its outcome, what readers did, what `verify` says, and why it is wrong."""
        shutil.rmtree(self.work)
        shutil.copytree(self.clean, self.work)
        target = self.work / file.relative_to(self.clean)
        content = target.read_bytes()
        changed = damaged(content, damage, draw)
        target.write_bytes(changed)
        reading, why = self._read(draw)
        if why:
            return "wrong", reading, "-", why
        verified = self._verified()
        if verified == "broken":
            return "wrong", reading, verified, "verify ended with a traceback"
        outcome, why = self._again(without_versions=file.name == "run.json")
        return outcome, reading, verified, why

    def _read(self, draw: random.Random) -> tuple[str, str]:
        """Let one of the readers read: "same", "refused" or "wrong", and why."""
        number = draw.randrange(len(self.kind.readers))
        outcome, result = outcome_of_reading(self.kind.readers[number], self.work)
        if outcome == "broken":
            return "wrong", result
        if outcome == "refused":
            return "refused", "" if len(result.splitlines()) == 1 else f"a message of several lines: {result}"
        differs = (outcome, result) != self.readings[number]
        if differs and ("is damaged" in result or "unfinished" in result):  # the others of an ablation are shown
            return "refused", ""
        return ("wrong", f"{self.kind.readers[number].__name__} says something else") if differs else ("same", "")

    def _verified(self) -> str:
        folder = self.work / "1" if self.kind.name == "shards" else self.work
        try:
            return "agrees" if verify(folder, data=examples(), **MODEL).agrees else "differs"  # type: ignore[arg-type]
        except UserError:
            return "differs"
        except Exception:
            traceback.print_exc()
            return "broken"

    def _again(self, without_versions: bool) -> tuple[str, str]:
        """Start again: what becomes of the final files, and whether something was said of the damage.

        Where `run.json` has lost the versions of earlier starts, the page says so, and is another.
        """
        printed = io.StringIO()
        try:
            with redirect_stderr(printed), redirect_stdout(printed):
                (self.kind.again or self.kind.make)(self.work)
        except UserError as error:
            return "refused", "" if len(str(error).splitlines()) == 1 else f"a message of several lines: {error}"
        except Exception:
            return "wrong", traceback.format_exc(limit=-4)
        contents_now = contents(self.work)
        names = sorted(
            name for name in {**contents_now, **self.whole} if contents_now.get(name) != self.whole.get(name)
        )
        if without_versions and "damaged" in printed.getvalue():
            names = [name for name in names if not name.endswith("report.html")]
        if names:
            return "wrong", f"{', '.join(names)} differ after another start"
        return ("repaired" if "damaged" in printed.getvalue() else "harmless"), ""


MODEL: dict[str, Any] = {"model": LastWordsReader()}


def attack(quick: bool) -> Tally:
    """All trials of all kinds."""
    tally = Tally()
    for kind in KINDS:
        with folders() as home, Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stderr(nowhere):
            trials = Trials(kind, home)
            for file in trials.files:
                name = kind.files[trials.files.index(file)]
                for damage, count in PLACES.items():
                    for number in range(max(1, count // QUICK if quick else count)):
                        draw = random.Random(f"{kind.name} {name} {damage} {number}")
                        tally.add(kind, name, damage, *trials.trial(file, damage, draw))
    return tally


def table(quick: bool) -> str:
    """The table of files and outcomes, and that of kinds of damage. Raises `SystemExit` where something was wrong."""
    tally = attack(quick)
    count_names = [*OUTCOMES, "trials", "reading refused", "verify differs"]
    rows = [
        [f"{folder_kind}: `{file}`", *(f"{counts[name]:,}" for name in count_names)]
        for (folder_kind, file), counts in tally.outcomes.items()
    ]
    damages = [[damage, *(f"{counts[name]:,}" for name in count_names)] for damage, counts in tally.by_damage.items()]
    trials = sum(counts["trials"] for counts in tally.by_damage.values())
    headings = [*OUTCOMES, "trials", "refused by a reader of results", "found by `longdoc runs verify`"]
    if tally.wrong:
        raise SystemExit("\n".join([f"{len(tally.wrong):,} of {trials:,} trials went wrong", *tally.wrong[:20]]))
    return "\n\n".join(
        [
            f"{trials:,} trials. {EXPLAINED}",
            markdown(["file", *headings], rows),
            markdown(["damage", *headings], damages),
        ]
    )
