"""A run among others, as ablations and reports compare them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from longdoc.plain_values import Record
from pipelines.results.run_folders.run import Counts, Run
from pipelines.results.scores import Scored, Scores
from pipelines.statistics.difference import Difference


@dataclass(frozen=True, slots=True)
class Cell(Record, Scored):
    """One run among others. `settings` are its values of an ablation's axes, as typed; empty outside an ablation.

    `folder` is an ordinary run's folder. A failed cell has `error`, no `run`, and perhaps no folder. `counts` are those
    of the run's predictions. `differences` are from the baseline, and empty for the baseline itself. `same_as` names an
    earlier cell, or the baseline, whose requests and predictions are this cell's, too: it is then compared with
    nothing.
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

    @property
    def scores(self) -> Scores:  # type: ignore[override]
        """The run's scores; none of a failed cell."""
        return Scores() if self.run is None else self.run.scores

    @property
    def failures(self) -> Mapping[str, str]:
        """Ids of examples without a prediction, with error messages."""
        return {} if self.run is None else self.run.failures
