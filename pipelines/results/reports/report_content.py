"""The content of a report of runs or of an ablation, for pages, tables and plots alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pipelines.display import numbers
from pipelines.results.analysis.stages import RunStages
from pipelines.results.comparisons.cell import Cell
from pipelines.results.leaderboards.published import Published
from pipelines.results.run_folders.run import Run


@dataclass(frozen=True, slots=True)
class RunContent(Cell):
    """One run, or one cell of an ablation; `settings` are empty outside an ablation. Scores are 0–100.

    `stages` say where gold evidence is lost; None where the run recorded nothing of it. `is_readable`: the run's folder
    is there, with its predictions.
    """

    warnings: tuple[str, ...] = ()
    stages: RunStages | None = None
    is_readable: bool = False

    KEYS: ClassVar[Sequence[str]] = (*Cell.KEYS, "scored", "truncated", "selection", "versions", "warnings", "stages")

    @property
    def readable_run(self) -> Run | None:
        """The run whose predictions can be read, None where there is none."""
        return self.run if self.is_readable else None

    @property
    def scored(self) -> int:
        """The number of examples with references."""
        return self.run.scored if self.run is not None and self.is_readable else self.counts.examples

    @property
    def truncated(self) -> Mapping[str, int]:
        """The "examples" whose prompts lost tokens, and these "tokens"."""
        return {"examples": 0, "tokens": 0} if self.readable_run is None else self.readable_run.truncated

    @property
    def selection(self) -> Mapping[str, float]:
        """Mean numbers of passages and words (`selection_counts`)."""
        return {} if self.readable_run is None else self.readable_run.selection

    @property
    def versions(self) -> dict[str, str]:
        """What made the examples, by name."""
        run = self.readable_run
        return {} if run is None else {name: ", ".join(versions) for name, versions in run.versions.items()}

    @property
    def label(self) -> str:
        """A short name: the settings, or without any the name."""
        return numbers.settings(self.settings) or self.name


@dataclass(frozen=True, slots=True)
class Content:
    """A whole report. `primary_metric` names the score that it leads with.

    `baseline` names the run that the others are compared with: the first of several, None for a single one. `part` is
    the part of the split that was run, empty for all of it. `published` is None for a task without published scores.
    """

    task: str
    split: str
    runs: tuple[RunContent, ...]
    primary_metric: str
    axes: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    baseline: str | None = None
    part: str = ""
    published: Published | None = None
    warnings: tuple[str, ...] = ()

    @property
    def finished(self) -> tuple[RunContent, ...]:
        """The runs that have scores."""
        return tuple(run for run in self.runs if run.error is None)

    @property
    def score_names(self) -> tuple[str, ...]:
        """The names of all scores, the primary metric first."""
        names = dict.fromkeys(name for run in self.runs for name in run.scores)
        return tuple(sorted(names, key=lambda name: name != self.primary_metric))
