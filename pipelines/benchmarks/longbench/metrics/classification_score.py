"""LongBench's score of trec and lsht (Bai et al. 2024): the right class is named, and few others are.

The classes that occur in the output's first line are listed in the order of the data. A listed class that is a part of
the right one ("location" of "Other location") is taken off the list; as in the published code, which changes the list
while it walks through it, the class behind one that is taken off is not looked at. Of n classes that are left, the
right one among them, the score is 1 / n.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from pipelines.benchmarks.longbench.metrics.first_line import first_line
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example


@dataclass(frozen=True)
class ClassificationScore(Metric):
    """1 / n where n of the example's options are named in the output's first line, the right one too, 0–100.

    The key is "classification_score". Names are compared to the letter, wherever they stand. The best reference counts.
    """

    needs_example = True
    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "classification_score|prediction:first line|classes:as substrings|several:1/n|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best score over the references, 0–100. Raises `UserError` for an example without options."""
        if not example.options:
            raise UserError(
                f"example {example.id}: classification_score needs all classes (LongBench's field all_classes, "
                "`options` in rows of your own); without them use metric accuracy"
            )
        line = first_line(prediction)
        return {
            "classification_score": max(_score(line, reference, example.options) for reference in example.references)
        }

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "classification_score")


def _score(line: str, reference: str, classes: Sequence[str]) -> float:
    """100 / n for n classes named in a line, the right one among them; else 0."""
    named_classes = [name for name in classes if name in line]
    position = 0
    while position < len(named_classes):
        if named_classes[position] != reference and named_classes[position] in reference:
            del named_classes[position]  # the next one moves here, and is passed over
        position += 1
    return 100 / len(named_classes) if reference in named_classes else 0.0
