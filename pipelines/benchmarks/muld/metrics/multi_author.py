"""Macro F1 of distinguishing documents of several authors from those of one: task 1 of PAN 2021 (Zangerle et al. 2021).

The mean is over the two classes, leaving out one that is neither predicted nor present, as in PAN's evaluator.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from models.authorship import Authorship
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared import classes
from pipelines.records import Example

CLASSES = ("0", "1")  # one author, several


@dataclass(frozen=True)
class MultiAuthor(Metric):
    """Macro F1 over one author and several, 0–100; the key is "multi_author_macro_f1".

    What is scored is the strategy's note "multi_author" (`0` or `1`), not its prediction.
    """

    target = "multi_author"
    bootstrap_on = "mean row"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "multi_author|of:multi_author|labels:0-1|average:macro|over:documents|absent:left out"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """Confusion counts of one author and several."""
        is_multi_author = Authorship.of(example.references[0]).several
        return classes.counts([prediction.strip()], [str(int(is_multi_author))], CLASSES)

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """Macro F1 of the summed counts."""
        summed = classes.total(rows)
        return {"multi_author_macro_f1": classes.macro_f1(summed, classes.present(summed, CLASSES))} if summed else {}
