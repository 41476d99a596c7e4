"""The finished examples of a run in its journal: their predictions, and which start each part of them is from.

A line is a prediction with the `time` and number of the `start` that finished it, and where there are such:
- `reply_starts`: earlier starts whose logged replies it is made of,
- `rows`: later starts by the metric whose row they added.
Of several lines of one example the last holds.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from longdoc import record_checks
from pipelines.engine.recording.journal import Journal
from pipelines.engine.recording.starts import Starts, start_of
from pipelines.records import Prediction, check_prediction, prediction_of

Rows = Mapping[str, Mapping[str, float]]

FIELDS = {
    "start": record_checks.count,
    "reply_starts": record_checks.each(record_checks.count),
    "rows": record_checks.mapping(record_checks.count),
}


def check_finished(record: Any) -> None:
    """Raise `Malformed` for a record that is no finished example."""
    check_prediction(record)
    record_checks.check(record, {}, FIELDS)


@dataclass(frozen=True, slots=True)
class _Finished:
    prediction: Prediction
    start: int
    reply_starts: Sequence[int] = ()
    rows: Mapping[str, int] = field(default_factory=dict)

    def start_of_row(self, metric: str) -> int:
        return self.rows.get(metric, self.start)


class FinishedExamples:
    """What a journal holds, and what is added to it by the present one of the run's `starts`.

    A start has the `signatures` of its metrics: a row of a metric whose signature has changed since is not used.
    """

    def __init__(self, journal: Journal, starts: Starts) -> None:
        self._journal, self._starts, self._now = journal, starts, starts.now
        self._signatures: Mapping[str, str] = starts.get(starts.now).get("signatures", {})
        self._known = {record["id"]: _finished(record) for record in journal.records}

    def __len__(self) -> int:
        """How many examples are finished, whichever part of the data they are of."""
        return len(self._known)

    def __contains__(self, id: str) -> bool:
        """Whether an example is finished."""
        return id in self._known

    def prediction(self, id: str) -> Prediction:
        """A finished example's prediction, with the rows of this start's metrics alone."""
        one = self._known[id]
        return replace(one.prediction, statistics=self.rows(id))

    def rows(self, id: str) -> dict[str, Mapping[str, float]]:
        """The rows of a finished example that this start's metrics can use, in the order of the metrics."""
        one = self._known[id]
        rows = one.prediction.statistics
        return {name: rows[name] for name in self._signatures if name in rows and self._is_current(one, name)}

    def add(self, prediction: Prediction, reply_starts: Iterable[int]) -> None:
        """Log a prediction that this start has finished, with the replies of these starts."""
        earlier = sorted({*reply_starts} - {self._now})
        self._log(_Finished(prediction, self._now, earlier))

    def add_rows(self, id: str, rows: Rows) -> None:
        """Log further rows of a finished example."""
        one = self._known[id]
        prediction = replace(one.prediction, statistics={**one.prediction.statistics, **rows})
        later = {**one.rows, **dict.fromkeys(rows, self._now)}
        self._log(replace(one, prediction=prediction, rows=later))

    def starts_of(self, id: str) -> AbstractSet[int]:
        """The starts that a finished example is from; those that only scored it are left out."""
        one = self._known[id]
        return {one.start, *one.reply_starts}

    def _is_current(self, one: _Finished, metric: str) -> bool:
        then = self._starts.get(one.start_of_row(metric)).get("signatures", {})
        return bool(then.get(metric, self._signatures[metric]) == self._signatures[metric])

    def _log(self, one: _Finished) -> None:
        record = asdict(one.prediction) | {"time": round(time.time(), 3), "start": one.start}
        more = {"reply_starts": list(one.reply_starts), "rows": dict(one.rows)}
        self._journal.append(record | {name: value for name, value in more.items() if value})
        self._known[one.prediction.id] = one


def _finished(record: Mapping[str, Any]) -> _Finished:
    return _Finished(prediction_of(record), start_of(record), record.get("reply_starts", ()), record.get("rows", {}))
