"""The content of a report of runs or of an ablation, for pages, tables and plots alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipelines.display import numbers
from pipelines.results.analysis.stages import RunStages
from pipelines.results.comparisons.comparison import Cell
from pipelines.results.leaderboards.published import Published
from pipelines.results.run_folders.finished_run import FinishedRun


@dataclass(frozen=True, slots=True)
class RunContent(Cell):
    """One run, or one cell of an ablation; `settings` are empty outside an ablation. Scores are 0–100.

    `scored` counts the examples with references; `truncated` the examples whose prompts lost tokens, and these tokens.
    `selection` has the mean number of passages selected for an example, of those read and of their words
    (`selection_counts`).
    `stages` say where gold evidence is lost; None where the run recorded nothing of it. `run` is the content of the
    run's folder, where it was read.
    """

    scored: int = 0
    truncated: Mapping[str, int] = field(default_factory=lambda: {"examples": 0, "tokens": 0})
    selection: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    stages: RunStages | None = None
    run: FinishedRun | None = field(default=None, repr=False, compare=False)

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
