"""The entry of a run's or ablation's folder in a listing, whatever state it is in.

Only small files are read (`run.json`, `scores.json`, `ablation.json`), and the lines of an unfinished run's journal are
counted, so that thousands of runs are listed quickly. A folder that cannot be read is listed with the reason.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc import checked_json
from longdoc.errors import UserError
from longdoc.files import is_locked
from pipelines import tasks
from pipelines.results import output_counts, reference_counts
from pipelines.results.formats import ABLATIONS_READ, READ, READERS
from pipelines.results.run_folders import resuming, schema
from pipelines.results.run_folders.listed_run import ListedRun, State
from pipelines.results.run_folders.record import (
    ABLATION,
    are_conditions,
    cells_run_here,
    check_format,
    part,
    recipe_of_spec,
)
from pipelines.results.scores import Scores
from pipelines.statistics.intervals import interval_of, is_interval

FileStates = Mapping[str, tuple[int, int]]  # modification time in nanoseconds and size, by file name
FILES = ("run.json", "scores.json", "predictions.jsonl", "journal.jsonl", ABLATION)
DAMAGE_ERRORS = (
    UserError,
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
)  # what reading a damaged folder raises


class FolderReader:
    """Reads the entries of folders, and remembers those whose files have not changed."""

    def __init__(self) -> None:
        self._entries: dict[Path, tuple[Any, ListedRun]] = {}
        self._records: dict[Path, tuple[Any, dict[str, Any]]] = {}

    def __call__(self, path: Path) -> ListedRun:
        """The entry of a folder; if it cannot be read, its note says why."""
        states = file_states(path)
        if ABLATION not in states:
            return self._run(path, states)
        try:
            return self._ablation(path, states)
        except DAMAGE_ERRORS as error:
            return ListedRun(path, "unreadable", time=last_written(states), note=problem(error))

    def _run(self, path: Path, states: FileStates) -> ListedRun:
        try:
            key = (states, is_locked(path))
            if path not in self._entries or self._entries[path][0] != key:
                self._entries[path] = key, _run(path, *key)
            return self._entries[path][1]
        except DAMAGE_ERRORS as error:
            return ListedRun(path, "unreadable", time=last_written(states), note=problem(error))

    def _ablation(self, path: Path, states: FileStates) -> ListedRun:
        """The entry of an ablation, with progress and best score from the folders of its runs."""
        record = self._ablation_record(path, states)
        run_cells = cells_run_here(record["cells"])
        is_versus = are_conditions(record["cells"])
        cells = [self._cell(path, record, cell) for cell in run_cells if cell["folder"]]
        finished_cells = [cell for cell in cells if cell.state == "finished"]
        failed_count = sum(1 for cell in run_cells if cell["error"])
        primary_metric = record["primary_metric"] or next((name for cell in finished_cells for name in cell.scores), "")
        best = max(
            (cell for cell in finished_cells if primary_metric in cell.scores),
            key=lambda run: run.scores[primary_metric],
            default=None,
        )
        is_finished = len(finished_cells) + failed_count >= len(run_cells)
        is_running = is_locked(path) or any(cell.state == "running" for cell in cells)
        totals = [cell.total for cell in cells]
        splits = {cell.split for cell in cells}
        costs = [cell.cost for cell in finished_cells if cell.cost is not None]
        return ListedRun(
            path,
            "running" if is_running else "finished" if is_finished else "unfinished",
            record["task"],
            splits.pop()
            if len(splits) == 1
            else record["split"],  # as `test shard=1/3`, where all cells are of one part
            "versus" if is_versus else "ablation of " + ", ".join(record["axes"]),
            _single_score(best.scores, primary_metric) if best else Scores(),
            sum(cell.examples for cell in cells),
            None if None in totals else sum(total or 0 for total in totals),
            failed_count,
            cells=len(run_cells),
            finished=len(finished_cells),
            time=max([last_written(states), *(cell.time for cell in cells)]),
            note="" if is_finished or is_running else resuming.ablation(path, record),
            cost=sum(costs) if costs else None,
            runs=cells,
        )

    def _ablation_record(self, path: Path, states: FileStates) -> dict[str, Any]:
        """The content of `ablation.json`, read only if it has changed."""
        if path not in self._records or self._records[path][0] != states[ABLATION]:
            record = read_json(path / ABLATION, ABLATIONS_READ)
            check_format(record, ABLATIONS_READ, path)
            schema.check_ablation(record)
            self._records[path] = states[ABLATION], record
        return self._records[path][1]

    def _cell(self, path: Path, record: Mapping[str, Any], cell: Mapping[str, Any]) -> ListedRun:
        """The entry of a cell, whose run may not have a folder yet."""
        folder = Path(os.path.normpath(path / cell["folder"]))
        states = file_states(folder)
        if "run.json" in states:
            run = self._run(folder, states)
        else:
            run = ListedRun(folder, "unfinished", record["task"], record["split"], cell["recipe"], of_ablation=True)
        if cell["error"]:
            return replace(run, state="unfinished", scores=Scores(), note=f"failed: {cell['error']}")
        is_hidden = run.of_ablation and run.state == "unfinished"  # it goes on with the ablation, not by itself
        return replace(run, note="") if is_hidden else run


def file_states(path: Path, names: tuple[str, ...] = FILES) -> dict[str, tuple[int, int]]:
    """Time and size of the files of these names in a folder; without the lock, which changes when it is checked."""
    states = {}
    for name in names:
        try:
            status = os.stat(os.path.join(path, name))  # noqa: PTH116, PTH118 pathlib takes three times as long
        except OSError:
            continue
        states[name] = (status.st_mtime_ns, status.st_size)
    return states


def last_written(states: FileStates) -> float:
    """The time of the last change of a file, in seconds since 1970."""
    return max((time for time, _ in states.values()), default=0) / 1e9


def problem(error: Exception) -> str:
    """Why a folder could not be read, in words."""
    return str(error) if isinstance(error, UserError) else f"the files in it are damaged ({error!r})"


def _run(path: Path, states: FileStates, is_running: bool) -> ListedRun:
    record = read_json(path / "run.json", READ)
    check_format(record, READ, path, READERS)
    schema.check(record, is_complete=True)
    spec = record["spec"]
    scored = read_json(path / "scores.json", READ) if {"scores.json", "predictions.jsonl"} <= states.keys() else None
    total = _total(record)
    examples = scored["examples"] if scored else finished_examples(path / "journal.jsonl", total)
    failed_count = len(scored.get("failures", {})) if scored else 0
    state: State = "running" if is_running else "finished" if scored else "unfinished"
    starts = record.get("starts", ())
    return ListedRun(
        path,
        state,
        spec["task"],
        f"{spec['split']} {part(record)}".rstrip(),
        recipe_of_spec(spec),
        _scores(scored) if scored else Scores(),
        examples,
        examples + failed_count if scored else total,
        failed_count,
        time=last_written(states),
        note=resuming.run(path, record) if state == "unfinished" else "",
        outputs=(*reference_counts.reference_notes(scored), *_outputs(scored)) if scored else (),
        cost=scored.get("usage", {}).get("cost") if scored else None,
        of_ablation=bool(starts) and all(start.get("of_ablation") for start in starts),
    )


def _outputs(scored: Mapping[str, Any]) -> tuple[str, ...]:
    """The lines on a finished run's empty, refused and unfinished outputs."""
    counts, usage = scored.get("outputs", {}), scored.get("usage", {})
    return tuple(output_counts.describe(counts, usage["requests"], scored["examples"])) if counts else ()


def _scores(scored: Mapping[str, Any]) -> Scores:
    """A run's scores, with the intervals that `scores.json` has."""
    intervals = scored.get("intervals", {}).items()
    return Scores(
        {name: float(value) for name, value in scored["scores"].items()},
        {name: interval_of(value) for name, value in intervals if is_interval(value)},
    )


def _single_score(scores: Scores, name: str) -> Scores:
    """The one score `name`, with its interval."""
    bounds = scores.intervals.get(name)
    return Scores({name: scores[name]}, {} if bounds is None else {name: bounds})


def _total(record: Mapping[str, Any]) -> int | None:
    """The number of examples that an unfinished run will have; None if its record does not say."""
    spec = record["spec"]
    if record.get("shard"):
        return None  # a shard has whole documents, whose examples are only counted when they are read
    data = spec.get("data", {})
    total: Any = data.get("examples")
    if total is None and "repository" in data:
        task = tasks.all_tasks().get(spec["task"])
        total = task.dataset.counts.get(spec["split"]) if task else None
    limit = record.get("limit") or spec.get("sample")
    counts = [int(number) for number in (limit, total) if number]
    return min(counts, default=None)


def finished_examples(file: Path, total: int | None = None) -> int:
    """The number of examples in a journal, at most `total`. Lines begin with the id; an example can have several."""
    if not file.is_file():
        return 0
    with file.open("rb") as lines:
        complete_lines = (line for line in lines if checked_json.is_whole_line(line.removesuffix(b"\n")))
        count = len({line.partition(b',"document":')[0] for line in complete_lines})
    return count if total is None else min(count, total)


def read_json(file: Path, checked: range | None = None) -> dict[str, Any]:
    """A file's JSON object; files of the formats `checked` have a checksum. Raises `UserError` if it is damaged."""
    try:
        return checked_json.load(file, checked)
    except checked_json.Damaged as error:
        raise UserError(f"{file.name} is damaged ({error})") from None
