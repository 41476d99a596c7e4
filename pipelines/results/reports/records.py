"""What a report shows of runs or of an ablation: one record for pages, tables and plots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipelines.results.ablations.records import Cell
from pipelines.results.display import numbers
from pipelines.results.leaderboards.published import Published
from pipelines.results.run_folders.finished import FinishedRun


@dataclass(frozen=True, slots=True)
class RunContent(Cell):
    """One run, or one cell of an ablation; `settings` are empty outside an ablation. Figures are 0–100.

    `scored` counts the examples with references; `cut` those whose prompts lost tokens, and these tokens. `run` is the
    folder's content where it was read.
    """

    scored: int = 0
    cut: tuple[int, int] = (0, 0)
    versions: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    run: FinishedRun | None = field(default=None, repr=False, compare=False)

    @property
    def label(self) -> str:
        """A short name: the settings, or without any the name."""
        return numbers.settings(self.settings) or self.name


@dataclass(frozen=True, slots=True)
class Content:
    """All of a report. `metric` is the figure that it leads with.

    `baseline` names the run that the others are compared with: the first of several, None for one alone. `part` says
    what was asked for of the split, empty for all of it. `published` is None for a task that no paper at hand has
    figures of.
    """

    task: str
    split: str
    runs: tuple[RunContent, ...]
    metric: str
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
    def figures(self) -> tuple[str, ...]:
        """The names of all scores, the leading one first."""
        names = dict.fromkeys(name for run in self.runs for name in run.scores)
        return tuple(sorted(names, key=lambda name: name != self.metric))
