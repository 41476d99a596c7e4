"""Macro F1 from confusion counts that can be summed over examples.

For a class c with h hits among p predicted and a actual ones: F1 = 2h / (p + a), 0 where c is neither predicted nor
present. Macro F1 is the mean over classes (scikit-learn's `f1_score(average="macro", labels=classes,
zero_division=0)`).
"""

from collections.abc import Sequence
from math import fsum

from pipelines.metrics import Row


def counts(predicted: Sequence[str | None], actual: Sequence[str], classes: Sequence[str]) -> dict[str, float]:
    """`hits-c`, `predicted-c` and `actual-c` of each class, for two aligned lists of labels.

    A predicted label that is None or of no class is wrong and counts as a prediction of no class.
    """
    row: dict[str, float] = {}
    for name in classes:
        row[f"hits-{name}"] = float(sum(p == a == name for p, a in zip(predicted, actual, strict=True)))
        row[f"predicted-{name}"] = float(sum(p == name for p in predicted))
        row[f"actual-{name}"] = float(sum(a == name for a in actual))
    return row


def total(rows: Sequence[Row]) -> dict[str, float]:
    """The rows summed by name; empty for no rows."""
    return {name: fsum(row[name] for row in rows) for name in rows[0]} if rows else {}


def f1(summed: Row, name: str) -> float:
    """F1 of one class, 0–100."""
    label_count = summed[f"predicted-{name}"] + summed[f"actual-{name}"]
    return 200 * summed[f"hits-{name}"] / label_count if label_count else 0.0


def macro_f1(summed: Row, classes: Sequence[str]) -> float:
    """The mean F1 of the classes, 0–100; a class that is neither predicted nor present counts 0."""
    return fsum(f1(summed, name) for name in classes) / len(classes)


def present(summed: Row, classes: Sequence[str]) -> list[str]:
    """The classes that are predicted or present: those of a macro F1 that leaves the others out."""
    return [name for name in classes if summed[f"predicted-{name}"] or summed[f"actual-{name}"]]
