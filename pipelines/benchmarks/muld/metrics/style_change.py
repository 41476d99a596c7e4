"""Macro F1 of the authors that are assigned to paragraphs: task 3 of PAN 2021 (Zangerle et al. 2021), MuLD's F1-score.

The paragraphs of all documents are taken together; the mean is over the authors 1 to 4, as in PAN's evaluator: an
author who is neither predicted nor present counts 0. PAN leaves out documents with a prediction of the wrong length;
here they count: paragraphs without a prediction are wrong, predictions without a paragraph are dropped, both are
reported.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat

from models.authorship import Authorship, numbers
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared import classes
from pipelines.records import Example

AUTHORS = ("1", "2", "3", "4")


@dataclass(frozen=True)
class StyleChange(Metric):
    """Macro F1 over authors 1–4, 0–100; the key is "macro_f1". Predictions are numbers with anything between them.

    "missing_paragraphs" is the share of paragraphs without a prediction, "extra_paragraphs" that of predictions without
    a paragraph, both 0–100. Examples whose reference does not say who wrote each paragraph are left out.
    """

    bootstrap_on = "mean row"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "style_change|labels:1-4|average:macro|over:paragraphs|absent:0|missing:wrong|extra:dropped"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """Confusion counts of each author, and how many paragraphs were missing and extra."""
        actual = Authorship.of(example.references[0]).authors or ()
        return aligned(numbers(prediction) if actual else (), actual, AUTHORS)

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """Macro F1 of the summed counts, and the shares of missing and extra paragraphs."""
        summed = classes.total(rows)
        if not summed or not summed["labels"]:
            return {}
        predicted = summed["labels"] - summed["missing"] + summed["extra"]
        return {
            "macro_f1": classes.macro_f1(summed, AUTHORS),
            "missing_paragraphs": 100 * summed["missing"] / summed["labels"],
            "extra_paragraphs": 100 * summed["extra"] / predicted if predicted else 0.0,
        }


def aligned(predicted: Sequence[int], actual: Sequence[int], labels: Sequence[str]) -> dict[str, float]:
    """Confusion counts of two sequences by position, for each of `labels`.

    Under the key "labels" is the number of places, under "missing" that of places without a prediction, under "extra"
    that of predictions without a place.
    """
    padded = list(islice(chain(map(str, predicted), repeat(None)), len(actual)))
    row = classes.counts(padded, [str(label) for label in actual], labels)
    row["labels"] = float(len(actual))
    row["missing"] = float(max(len(actual) - len(predicted), 0))
    row["extra"] = float(max(len(predicted) - len(actual), 0))
    return row
