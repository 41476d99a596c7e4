"""A listing of runs, its entries, and their text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Literal

from longdoc.messages import counted
from longdoc.plain_json import Record, plain_fields
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
class Listing(Record):
    """The runs found under `folder`, by task, then by score or time. `left_out` counts cells of ablations."""

    folder: Path
    runs: Sequence[ListedRun]
    left_out: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; times in ISO 8601."""
        return {"folder": str(self.folder), "runs": [run.to_dict() for run in self.runs], "left_out": self.left_out}

    def __str__(self) -> str:
        """One line per run: folder, task, split, state, progress, time, scores, recipe; then the notes."""
        if not self.runs:
            return f"no runs in {self.folder}"
        rows = [
            (str(run.folder), run.task or "?", run.split or "?", run.status, run.done, run.local_time)
            for run in self.runs
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = []
        for run, row in zip(self.runs, rows, strict=True):
            scores = [f"{name}={value:.2f}" for name, value in run.scores.items()]
            cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
            lines.append("  ".join([*cells, *scores, run.recipe]).rstrip())
        return "\n".join([*lines, *self.notes, *([self.hint] if self.hint else [])])

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
