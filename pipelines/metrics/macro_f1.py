"""Macro F1 of a classification: the mean over classes of F1 = 2 · right / (predicted + actual).

MuLD reports "the F1-score" of its character types (Hudson and Al Moubayed 2022, table 2) and states neither the average
nor the class that it is of; this is the mean of both classes, with each class's F1 beside it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import fsum

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.metrics.accuracy import accepted_answer, normal
from pipelines.metrics.shared import classes
from pipelines.records import Example


@dataclass(frozen=True)
class MacroF1(Metric):
    """Macro F1, 0–100; the key is "macro_f1", and "f1[LABEL]" is the F1 of each of `labels`.

    The mean is over `labels`, but for one that is neither predicted nor present. Without `labels` it is over the
    classes that the references have, and there are no keys for these. A prediction that is none of the classes is
    wrong, and counts for none of them. Labels are compared in lower case with single spaces. Of several references the
    one that is predicted counts, else the first.
    """

    bootstrap_on = "mean row"

    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len({normal(label) for label in self.labels}) < len(self.labels) or "" in map(normal, self.labels):
            raise UserError(f"metric macro_f1: labels must differ and not be empty, got {', '.join(self.labels)}")

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        labels = ",".join(self.labels) or "those of the references"
        return f"macro_f1|labels:{labels}|average:macro|absent:left out|compared:lower case, single spaces"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """Confusion counts of each label; without `labels`, numbers that identify the reference and the prediction.

        Raises `UserError` for a reference that is none of `labels`.
        """
        predicted, actual = normal(prediction), accepted_answer(prediction, example.references)
        if not self.labels:
            return {"reference": _number(actual), "prediction": _number(predicted)}
        labels_by_normal_form = {normal(label): label for label in self.labels}
        if actual not in labels_by_normal_form:
            raise UserError(
                f"example {example.id}: the reference {example.references[0]!r} is not one of the labels "
                f"{', '.join(self.labels)}; fix the data, or set the labels of metric macro_f1"
            )
        return classes.counts([labels_by_normal_form.get(predicted)], [labels_by_normal_form[actual]], self.labels)

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """Macro F1 of the corpus, from counts summed over examples; it is not a mean over examples."""
        if not rows:
            return {}
        if self.labels:
            summed = classes.total(rows)
            present_classes = classes.present(summed, self.labels)
            class_scores = {f"f1[{name}]": classes.f1(summed, name) for name in present_classes}
            return {"macro_f1": classes.macro_f1(summed, present_classes)} | class_scores
        if "reference" not in rows[0]:
            summed = classes.total(rows)
            present_classes = [name for name in _classes_of(summed) if summed[f"actual-{name}"]]
            return {"macro_f1": classes.macro_f1(summed, present_classes)}
        actual = Counter(row["reference"] for row in rows)
        predicted = Counter(row["prediction"] for row in rows)
        hits = Counter(row["reference"] for row in rows if row["reference"] == row["prediction"])
        f1_scores = [200 * hits[label] / (predicted[label] + count) for label, count in actual.items()]
        return {"macro_f1": fsum(f1_scores) / len(f1_scores)}

    def summable(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Without `labels`, confusion counts of each class that the references have."""
        if self.labels or not rows or "reference" not in rows[0]:
            return rows
        class_names = sorted({str(row["reference"]) for row in rows})
        return [classes.counts([str(row["prediction"])], [str(row["reference"])], class_names) for row in rows]


def _classes_of(summed: Row) -> list[str]:
    """The classes in summed confusion counts."""
    return [name.removeprefix("actual-") for name in summed if name.startswith("actual-")]


def _number(label: str) -> float:
    """A whole number below 2^53 that identifies a label, since statistics are numbers."""
    return float(int.from_bytes(sha256(label.encode("utf-8", "surrogatepass")).digest()[:6]))
