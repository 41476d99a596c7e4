"""A listing of runs, its entries, and their text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Literal

from longdoc.messages import counted
from longdoc.plain_json import Record, plain_fields
from pipelines.display import numbers
from pipelines.display.table import Column, Table
from pipelines.display.view import View
from pipelines.results.scores import Scored, Scores

State = Literal["finished", "unfinished", "running", "unreadable"]


@dataclass(frozen=True, slots=True)
class ListedRun(Record, Scored):
    """The folder of a run; or of an ablation, with its number of `cells`, those `finished`, and the best score.

    `examples` of `total` are done, `failed` have no prediction; of an ablation these are the sums over its cells, save
    that `failed` counts cells. `time` is when one of its files was last written, in seconds since 1970. `note` says why
    a folder is unreadable, or how to continue what is unfinished; `outputs` describes examples that were not scored,
    and outputs that are empty, were refused or stopped at their length limit. `runs` are an ablation's cells;
    `of_ablation` says that a run was never started but as a cell.
    """

    folder: Path
    state: State
    task: str = ""
    split: str = ""
    recipe: str = ""
    scores: Scores = field(default_factory=Scores)
    examples: int = 0
    total: int | None = None
    failed: int = 0
    cells: int | None = None
    finished: int | None = None
    time: float = 0.0
    note: str = ""
    outputs: Sequence[str] = ()
    cost: float | None = None
    of_ablation: bool = False
    runs: "Sequence[ListedRun]" = ()

    KEYS: ClassVar[Sequence[str]] = (
        "folder", "state", "task", "split", "recipe", "scores", "examples", "total", "failed", "cells", "finished",
        "time", "note", "outputs", "scores.intervals", "cost", "of_ablation", "runs",
    )  # fmt: skip

    @property
    def done(self) -> str:
        """The progress, `12/68`: of a run in examples, of an ablation in cells."""
        if self.cells is not None:
            return f"{self.finished}/{self.cells}"
        return f"{self.examples}/{self.total}" if self.total is not None else str(self.examples)

    @property
    def local_time(self) -> str:
        """The local time at which the run was last written, to the minute."""
        return datetime.fromtimestamp(self.time).strftime("%Y-%m-%d %H:%M")

    @property
    def status(self) -> str:
        """The state in words, with the number of failed examples (for an ablation, of failed cells)."""
        state = f"ablation, {self.state}" if self.cells is not None else self.state
        return f"{state}, {self.failed} failed" if self.failed else state

    @property
    def command(self) -> str:
        """The command that resumes an unfinished run; empty if it is unknown."""
        return self.note if self.state == "unfinished" and self.note.startswith(("longdoc ", "cd ")) else ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; the time in ISO 8601."""
        time = datetime.fromtimestamp(self.time).astimezone().isoformat(timespec="seconds")
        return plain_fields(self) | {"time": time, "runs": [run.to_dict() for run in self.runs]}


@dataclass(frozen=True, slots=True)
class Listing(View):
    """The runs found under `folder`, by task, then by score or time. `left_out` counts cells of ablations."""

    folder: Path
    runs: Sequence[ListedRun]
    left_out: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; times in ISO 8601."""
        return {"folder": str(self.folder), "runs": [run.to_dict() for run in self.runs], "left_out": self.left_out}

    def tables(self) -> list[Table]:
        """One table for each task; runs of unknown tasks are in the notes alone."""
        groups = groupby(filter(attrgetter("task"), self.runs), key=attrgetter("task"))
        return [_table(task, list(runs)) for task, runs in groups]

    def lines_below(self) -> list[str]:
        """The notes, and how to list what is left out."""
        return [*self.notes, *filter(None, [self.hint])] if self.runs else [f"no runs in {self.folder}"]

    @property
    def notes(self) -> list[str]:
        """The notes of all folders, each after its folder's name."""
        state_notes = [f"{run.folder}: {run.state}: {run.note}" for run in self.runs if run.note]
        return state_notes + [f"{run.folder}: {line}" for run in self.runs for line in run.outputs]

    @property
    def hint(self) -> str:
        """How to list the cells of ablations, too; empty if none is left out."""
        if not self.left_out:
            return ""
        return f"{counted(self.left_out, 'cell')} of ablations not listed: --all (all=True) lists them"


def _table(task: str, runs: Sequence[ListedRun]) -> Table:
    names = list(dict.fromkeys(name for run in runs for name in run.scores))
    columns = [
        Column("run", lambda run: str(run.folder), whole=True),
        Column("split", lambda run: run.split),
        Column("state", lambda run: run.status),
        Column("done", lambda run: run.done, "right"),
        Column("written", lambda run: run.local_time),
        *(Column(name, partial(_score, name), "right", optional=True) for name in names),
        Column("recipe", lambda run: run.recipe),
    ]
    return Table(task, tuple(columns), runs)


def _score(name: str, run: ListedRun) -> str:
    return numbers.score(run.scores[name]) if name in run.scores else ""
