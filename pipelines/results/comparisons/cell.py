"""A run among others, as ablations and reports compare them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

from longdoc.plain_json import Record
from pipelines.results.run_folders.run import Counts, Run
from pipelines.results.scores import Scored, Scores
from pipelines.statistics.intervals import Difference


@dataclass(frozen=True, slots=True)
class Cell(Record, Scored):
    """One run among others. `settings` are its values of an ablation's axes, as typed; empty outside an ablation.

    `folder` is the run's folder. A failed cell has an `error`, no `run`, and perhaps no folder. `counts` are those of
    the run's predictions. `differences` are from the baseline, and empty for the baseline itself. `same_as` names the
    baseline or an earlier cell that made the same requests and predictions; such a cell is not compared.
    """

    name: str
    settings: Mapping[str, Any]
    recipe: str
    folder: Path | None
    run: Run | None = field(default=None, repr=False)
    counts: Counts = field(default_factory=Counts)
    differences: Mapping[str, Difference] = field(default_factory=dict)
    same_as: str | None = None
    error: str | None = None

    KEYS: ClassVar[Sequence[str]] = (
        "name", "settings", "recipe", "folder", "scores", "signatures", "not_computed",
        "intervals", "no_interval", "differences", "same_as", "counts.examples", "counts.documents",
        "failures", "counts.requests", "counts.tokens_in", "counts.tokens_out", "counts.tokens_shown",
        "counts.words_shown", "counts.cost", "error", "counts.outputs",
    )  # fmt: skip

    @classmethod
    def of(
        cls, name: str, run: Run, differences: Mapping[str, Difference] | None = None, same_as: str | None = None
    ) -> Self:
        """The cell of a run outside an ablation, with its differences from the baseline."""
        return cls(name, {}, run.recipe, run.folder, run, run.counts, differences or {}, same_as)

    @property
    def scores(self) -> Scores:  # type: ignore[override]
        """The run's scores; empty for a failed cell."""
        return Scores() if self.run is None else self.run.scores

    @property
    def failures(self) -> Mapping[str, str]:
        """The error messages of examples without a prediction, by id."""
        return {} if self.run is None else self.run.failures
