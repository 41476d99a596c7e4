"""Macro F1 of the places where the author changes: task 2 of PAN 2021, and the task of PAN 2023 (Zangerle et al.).

Every two neighbouring paragraphs of all documents, taken together, change their author (1) or not (0); the mean is over
the two, as in PAN's evaluator.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from models.authorship import Authorship, numbers
from pipelines.benchmarks.muld.metrics.style_change import aligned
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared import classes
from pipelines.records import Example

CHANGES = ("0", "1")


@dataclass(frozen=True)
class StyleChanges(Metric):
    """Macro F1 over change and no change, 0–100; the key is "changes_macro_f1".

    What is scored is the strategy's note "changes" (`0,1,0`), not its prediction. A change that is missing is wrong,
    one too many is dropped.
    """

    target = "changes"
    bootstrap_on = "mean row"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "style_changes|of:changes|labels:0-1|average:macro|over:neighbours|absent:0|missing:wrong|extra:dropped"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """Confusion counts of change and no change."""
        return aligned(numbers(prediction), Authorship.of(example.references[0]).changes, CHANGES)

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """Macro F1 of the summed counts; nothing where no document has two paragraphs."""
        summed = classes.total(rows)
        return {"changes_macro_f1": classes.macro_f1(summed, CHANGES)} if summed and summed["labels"] else {}
