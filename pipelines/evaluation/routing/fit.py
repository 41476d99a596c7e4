"""Fit a rule: weights by ridge regression of the gain of each reading, then a threshold.

- `budget`: the lowest threshold, not under 0, at which the tokens read are that share of the documents'. The share is
  the mean over the calibration documents and one more that is read wholly for every question. It is no bound, since the
  weights are fitted on the same documents.
- `risk`: the highest threshold at which the points lost by reading too little, of 1, are at most so many in
  expectation, by conformal risk control. A third of the documents is for the weights, the others are for the threshold,
  so that these are exchangeable with a further document.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from longdoc.errors import UserError
from longdoc.plurals import counted
from pipelines.evaluation.routing.calibration_rows import CalibrationRow
from pipelines.statistics.risk_control import bounded_mean, largest_threshold, units_needed
from pipelines.statistics.sample import Floats
from pipelines.strategies.shared.route_rule import FEATURES, Gain, ReadingOn, RouteRule

PENALTY = 30.0  # of the ridge regression, on standardized features
LEAST_COST = 1e-3  # of more passages whose tokens are not known
ROUNDING = 1e-9  # points: scores of equal features, summed in another order
LOSS = "points that reading more would have added, of 1; the mean over a document"


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a rule is fitted to: a share of tokens, or a risk; one of them is given."""

    budget: float | None = None
    risk: float | None = None

    def __post_init__(self) -> None:
        if (self.budget is None) == (self.risk is None):
            raise UserError("give one of budget=SHARE and risk=SHARE, as budget=0.3")
        for name, value in (("budget", self.budget), ("risk", self.risk)):
            if value is not None and not 0 < value < 1:
                raise UserError(f"{name} must be between 0 and 1, got {value}: give a share, as {name}=0.3")

    @property
    def name(self) -> str:
        """As it is typed: `budget=0.3`."""
        return f"budget={self.budget:g}" if self.budget is not None else f"risk={self.risk:g}"


def fitted_rule(rows: Sequence[CalibrationRow], criterion: Criterion, seed: int) -> RouteRule:
    """The rule that fits these rows. Raises `UserError` for rows that no rule can be fitted on."""
    check_rows(rows)
    documents = list(dict.fromkeys(row.document for row in rows))
    if criterion.risk is not None:
        return _risk_rule(rows, documents, criterion, seed)
    return _budget_rule(rows, documents, criterion)


def check_rows(rows: Sequence[CalibrationRow]) -> None:
    """Raise `UserError` for no rows, one document, and rows in which one way is never better."""
    if not rows:
        raise UserError("there are no calibration rows: give files of predictions with questions in common")
    if len({row.document for row in rows}) < 2:
        raise UserError(f"all {counted(len(rows), 'row')} are of one document: a rule needs two, and better ten")
    if len({row.more_reading is None for row in rows}) > 1:
        raise UserError("some questions have an answer from more passages, others have none: give it for all, or none")
    if all(row.gain(name) <= 0 for row in rows for name in row.readings):
        raise UserError("the whole document is never better in these rows: read with retrieval, without a rule")
    if all(row.more_reading is None and row.gain("whole") > 0 for row in rows):
        raise UserError("the whole document is always better in these rows: read it, without a rule")


def documents_needed(risk: float) -> int:
    """How many documents a rule with a risk needs, those for its weights included."""
    calibration = units_needed(risk)
    return next(count for count in range(2, 2 * calibration + 4) if count - _weight_documents(count) >= calibration)


def _weight_documents(documents: int) -> int:
    """How many of the documents are for the weights."""
    return max(round(documents / 3), 1)


def _risk_rule(rows: Sequence[CalibrationRow], documents: Sequence[str], criterion: Criterion, seed: int) -> RouteRule:
    risk = float(criterion.risk or 0)
    if len(documents) < (needed_count := documents_needed(risk)):
        raise UserError(
            f"{counted(len(documents), 'document')} cannot give risk={risk:g}: {needed_count} are needed, a third of "
            f"them for the weights; give more, or a risk of {_least_risk(len(documents)):.2g} or more"
        )
    shuffled = np.random.default_rng((seed, 1)).permutation(sorted(documents)).tolist()
    weight_documents = set(shuffled[: _weight_documents(len(documents))])
    table = _GainTable.fitted(rows, weight_documents)
    thresholds = np.array([table.lowest - 1, *table.breakpoints]) + ROUNDING
    by_document = _means(table.rows, table.losses(thresholds))
    choice = largest_threshold(thresholds.tolist(), by_document, risk)
    assert choice is not None  # at the lowest threshold nothing is lost, and documents_needed says that 1/(n+1) is less
    threshold, bound = choice
    promise = {"bound": "expectation", "risk": risk, "loss": LOSS, "bounded_mean": bound}
    return _rule(criterion, table, threshold, rows, promise | {"documents": len(by_document)})


def _least_risk(documents: int) -> float:
    """The least risk that so many documents can give, rounded up to two digits."""
    return float(np.ceil(1000 / (documents - _weight_documents(documents) + 1)) / 1000)


def _budget_rule(rows: Sequence[CalibrationRow], documents: Sequence[str], criterion: Criterion) -> RouteRule:
    table = _GainTable.fitted(rows)
    base = sum(row.retrieved_reading.tokens for row in rows) / sum(row.whole_reading.tokens for row in rows)
    thresholds = np.array([0.0, *(value for value in table.breakpoints if value > 0)]) + ROUNDING
    means = base + bounded_mean(_ratios(rows, table.tokens(thresholds)))
    fitting = [number for number, mean in enumerate(means) if mean <= float(criterion.budget or 0)]
    if not fitting:
        raise UserError(
            f"{criterion.name} is less than retrieval's own tokens, {base:.3f} of the documents', and a further "
            f"document that is read wholly among {len(documents)}: give a larger budget"
        )
    promise = {"bound": "none", "budget": criterion.budget, "share": float(means[fitting[0]])}
    threshold = float(thresholds[fitting[0]])
    return _rule(criterion, table, threshold, rows, promise | {"documents": len(documents)})


@dataclass(frozen=True, slots=True)
class _GainTable:
    """What readings are expected to add to each of the rows, by gains that were fitted; cheaper readings first."""

    rows: Sequence[CalibrationRow]
    readings: Mapping[ReadingOn, Gain]
    values: Floats  # [rows, readings], points

    @classmethod
    def fitted(cls, rows: Sequence[CalibrationRow], weight_documents: Collection[str] = ()) -> "_GainTable":
        """Gains fitted on the rows of some documents, for the rows of the others; without any, on all for all."""
        weight_rows = [row for row in rows if row.document in weight_documents] or rows
        other_rows = [row for row in rows if row.document not in weight_documents]
        gains = {name: _ridge(weight_rows, name) for name in rows[0].readings}
        readings = {name: gains[name] for name in sorted(gains, key=lambda name: gains[name].cost)}
        values = np.array([[gain.predict(row.features) for gain in readings.values()] for row in other_rows])
        return cls(other_rows, readings, values)

    @property
    def costs(self) -> Floats:
        """Of each reading."""
        return np.array([gain.cost for gain in self.readings.values()])

    @property
    def lowest(self) -> float:
        """A threshold below which the dearest reading is read for every row."""
        return float(self.breakpoints.min(initial=0.0))

    @property
    def breakpoints(self) -> Floats:
        """The thresholds at which something else is read for a row, each once, the lowest first."""
        values, costs = np.pad(self.values, ((0, 0), (1, 0))), np.pad(self.costs, (1, 0))
        pairs = [(low, high) for high in range(len(costs)) for low in range(high) if costs[high] > costs[low]]
        points = [(values[:, high] - values[:, low]) / (costs[high] - costs[low]) for low, high in pairs]
        return np.unique(np.concatenate(points))

    def numbers(self, thresholds: Floats) -> npt.NDArray[np.intp]:
        """What is read for each row [rows, thresholds]: 0 for nothing further, else the number of the reading."""
        net = self.values[:, :, None] - thresholds * self.costs[None, :, None]
        return np.asarray(np.where(net.max(1) > 0, net.argmax(1) + 1, 0))

    def tokens(self, thresholds: Floats) -> Floats:
        """What that takes, beside the first passages: [rows, thresholds]."""
        table = np.array([[0.0, *(row.readings[name].tokens for name in self.readings)] for row in self.rows])
        return np.take_along_axis(table, self.numbers(thresholds), 1)

    def losses(self, thresholds: Floats) -> Floats:
        """The points, of 1, that a dearer reading would have added: [rows, thresholds]."""
        gains = np.array([[0.0, *(row.gain(name) for name in self.readings)] for row in self.rows]) / 100
        dearer = np.maximum.accumulate(gains[:, ::-1], axis=1)[:, ::-1]  # the best of a reading and all dearer ones
        losses = np.minimum.accumulate(dearer - gains, axis=1)  # of a dearer reading no more is lost than of a cheaper
        return np.take_along_axis(losses, self.numbers(thresholds), 1)


def _ridge(rows: Sequence[CalibrationRow], name: ReadingOn) -> Gain:
    """The regression of a reading's gain on the features."""
    table = np.array([[row.features[feature] for feature in FEATURES] for row in rows])
    gains = np.array([row.gain(name) for row in rows])
    scales = np.where(table.std(0) > 0, table.std(0), 1.0)
    centred = (table - table.mean(0)) / scales
    weights = np.linalg.solve(centred.T @ centred + PENALTY * np.eye(len(FEATURES)), centred.T @ (gains - gains.mean()))
    weights = weights / scales
    intercept = float(gains.mean() - table.mean(0) @ weights)
    return Gain(dict(zip(FEATURES, weights.tolist(), strict=True)), intercept, _cost(rows, name))


def _cost(rows: Sequence[CalibrationRow], name: ReadingOn) -> float:
    """A reading's share of the tokens of the whole document."""
    share = sum(row.readings[name].tokens for row in rows) / sum(row.whole_reading.tokens for row in rows)
    return max(share, LEAST_COST)


def _means(rows: Sequence[CalibrationRow], values: Floats) -> Floats:
    """The means over each document's rows, of values [rows, columns]: [documents, columns]."""
    names = np.array([row.document for row in rows])
    return np.stack([values[names == name].mean(0) for name in dict.fromkeys(names.tolist())])


def _ratios(rows: Sequence[CalibrationRow], tokens: Floats) -> Floats:
    """The tokens of each document's rows as a share of reading it for each of them: [documents, columns]."""
    names = np.array([row.document for row in rows])
    totals = np.array([row.whole_reading.tokens for row in rows])
    return np.stack(
        [tokens[names == name].sum(0) / totals[names == name].sum() for name in dict.fromkeys(names.tolist())]
    )


def _rule(
    criterion: Criterion,
    table: _GainTable,
    threshold: float,
    rows: Sequence[CalibrationRow],
    promise: Mapping[str, Any],
) -> RouteRule:
    return RouteRule(
        criterion.name,
        table.readings,
        threshold,
        tuple(dict.fromkeys(row.task for row in rows)),
        calibration={"rows": len(rows), **promise},
    )
