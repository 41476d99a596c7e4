"""A way before it is compared: which examples it answered, and why it has no answer to the others."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from pipelines.results.comparisons.runs import Ids, Rows
from pipelines.results.conditions.condition import Kind
from pipelines.results.output_counts import REFUSED_TEXT
from pipelines.results.run_folders.finished_run import FinishedRun

BY_MODEL = "refused by the model"


@dataclass(slots=True)
class ConditionResults:
    """A way before it is compared: `found` are its results, or why there are none.

    `given` says that they come from a file of predictions, which knows neither tokens nor, perhaps, documents.
    """

    name: str
    kind: Kind
    found: FinishedRun | str
    line: str = ""
    amount: str = ""
    folder: Path | None = None
    source: str = ""
    expected: int | None = None

    @property
    def given(self) -> bool:
        """Whether the predictions were given as a file."""
        return bool(self.source)


@dataclass(slots=True)
class Covered:
    """A way with results: the rows of the examples that it answered, and why others have no answer.

    `left_out` are those whose answers the score does not count, as a claim of a half-answered pair.
    """

    way: ConditionResults
    run: FinishedRun
    rows: Rows = field(init=False)
    missing: dict[str, str] = field(init=False)
    left_out: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        refused_values = {
            prediction.id: BY_MODEL for prediction in self.run.predictions if prediction.outputs.get(REFUSED_TEXT)
        }
        self.missing = {**self.run.failures, **refused_values}
        if refused_values:
            predictions = tuple(
                prediction for prediction in self.run.predictions if prediction.id not in refused_values
            )
            self.run = replace(self.run, predictions=predictions, intervals=None)
        self.rows = Rows(self.run)

    @property
    def ids(self) -> set[str]:
        """The examples that it was asked about."""
        return {*(prediction.id for prediction in self.run.predictions), *self.missing}

    def leave_out(self, score: str, metric: str) -> None:
        """Note the examples that a score of a metric does not count."""
        ids = self.rows.having(metric, self.rows.ids)
        rows = [self.rows.scored[text].statistics[metric] for text in ids]
        reasons = zip(ids, self.rows.metrics[metric].left_out(score, rows), strict=True)
        fields = {text: reason for text, reason in reasons if reason}
        self.missing |= fields
        self.left_out |= fields.keys()

    def counted(self, metric: str) -> Ids:
        """The examples with an answer that the score counts."""
        return tuple(text for text in self.rows.having(metric, self.rows.ids) if text not in self.left_out)
