"""A condition before it is compared: which examples it answered, and why it has no answer to the others."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from pipelines.results.comparisons.runs import Ids, Rows
from pipelines.results.output_counts import REFUSAL
from pipelines.results.run_folders.run import Run
from pipelines.results.run_folders.schema import Kind
from pipelines.results.scores import Scores

REFUSED = "refused by the model"


@dataclass(slots=True)
class ConditionResults:
    """A condition before it is compared: `outcome` is its run, or why there is none.

    With a `source` its predictions come from a file, which has no tokens and may have no documents.
    """

    name: str
    kind: Kind
    outcome: Run | str
    line: str = ""
    amount: str = ""
    folder: Path | None = None
    source: str = ""
    expected: int | None = None

    @property
    def is_from_file(self) -> bool:
        """Whether the predictions come from a file that the user named."""
        return bool(self.source)


@dataclass(slots=True)
class Coverage:
    """A condition with a run: the rows of the examples that it answered, and why others have no answer.

    `uncounted_ids` are those whose answers the score does not count, as a claim of a half-answered pair.
    """

    results: ConditionResults
    run: Run
    rows: Rows = field(init=False)
    missing: dict[str, str] = field(init=False)
    uncounted_ids: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        refusals = {prediction.id: REFUSED for prediction in self.run.predictions if prediction.outputs.get(REFUSAL)}
        self.missing = {**self.run.failures, **refusals}
        if refusals:
            predictions = tuple(prediction for prediction in self.run.predictions if prediction.id not in refusals)
            self.run = replace(self.run, loaded=predictions, scores=Scores(signatures=self.run.scores.signatures))
        self.rows = Rows(self.run)

    @property
    def ids(self) -> set[str]:
        """The ids of the examples that the condition was asked about."""
        return {*(prediction.id for prediction in self.run.predictions), *self.missing}

    def leave_out(self, score: str, metric: str) -> None:
        """Record the examples that a score of a metric does not count, with the reasons."""
        ids = self.rows.ids_with_row(metric, self.rows.ids)
        rows = [self.rows.scored[example_id].statistics[metric] for example_id in ids]
        pairs = zip(ids, self.rows.metrics[metric].left_out(score, rows), strict=True)
        reasons = {example_id: reason for example_id, reason in pairs if reason}
        self.missing |= reasons
        self.uncounted_ids |= reasons.keys()

    def counted_ids(self, metric: str) -> Ids:
        """The ids of the examples with an answer that the score counts."""
        return tuple(
            example_id
            for example_id in self.rows.ids_with_row(metric, self.rows.ids)
            if example_id not in self.uncounted_ids
        )
