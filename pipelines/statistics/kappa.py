"""Agreement of two raters: Cohen's kappa (Cohen 1960) of right and wrong, and the share of equal calls.

With the shares a of items that both raters call right, b and c that the first or the second alone does, and d that
neither does, the observed agreement is o = a + d, that by chance e = (a + b)(a + c) + (d + b)(d + c), and
kappa = (o - e) / (1 - e). It follows from the mean row, so that intervals resample whole documents (`bootstrap`).
"""

from collections.abc import Sequence

from pipelines.statistics.sample import MeanRowAggregation, Row

CELLS = ("both", "first", "second", "neither")  # who calls an item right
AGREE, KAPPA = "agree", "kappa"


class RaterAgreement(MeanRowAggregation):
    """Two raters' rows (`row`) as scores: "agree", the share of equal calls, 0–100, and "kappa", times 100.

    Kappa is left out where all items are in one cell: it would say nothing.
    """

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The scores of rows; empty for no rows."""
        if not rows:
            return {}
        cells = [sum(row[name] for row in rows) for name in CELLS]
        scores = {AGREE: 100 * (cells[0] + cells[3]) / sum(cells)}
        value = kappa(*cells)
        return scores if value is None else scores | {KAPPA: 100 * value}


def row(first: bool, second: bool) -> dict[str, float]:
    """The row of an item: 1 for the cell of the raters who call it right, 0 for the other cells."""
    cell = CELLS[0 if first and second else 1 if first else 2 if second else 3]
    return {name: float(name == cell) for name in CELLS}


def kappa(both_right: float, first_right: float, second_right: float, none_right: float) -> float | None:
    """Cohen's kappa, -1 to 1, from counts or shares; None if there are no items or all are in one cell."""
    total = both_right + first_right + second_right + none_right
    if max(both_right, first_right, second_right, none_right) == total:
        return None
    first, second = both_right + first_right, both_right + second_right
    chance = (first * second + (total - first) * (total - second)) / total**2
    return ((both_right + none_right) / total - chance) / (1 - chance)
