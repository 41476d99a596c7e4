"""The finished examples of a run in its journal: their predictions, and which start each part of them is from.

A line is a prediction with the `time` and number of the `start` that finished it, and where there are such:
- `reply_starts`: earlier starts whose logged replies it is made of,
- `rows`: later starts by the metric whose row they added.
Of several lines of one example the last holds.
"""

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from longdoc import record_checks
from pipelines.engine.recording.journal import Journal
from pipelines.engine.recording.starts import Starts, start_of
from pipelines.records import Prediction, check_prediction, checked_prediction, record_of

Rows = Mapping[str, Mapping[str, float]]
NONE_VALUES: Mapping[str, int] = MappingProxyType({})

FIELDS = {
    "start": record_checks.count,
    "reply_starts": record_checks.each_item(record_checks.count),
    "rows": record_checks.mapping(record_checks.count),
}


def check_finished(record: Any) -> None:
    """Raise `Malformed` for a record that is no finished example."""
    check_prediction(record)
    record_checks.check(record, {}, FIELDS)


@dataclass(frozen=True, slots=True)
class _Finished:
    """Where an example's prediction is in the journal, and which start each part of it is from."""

    position: int
    metrics: tuple[str, ...]  # that it has rows of
    start: int
    reply_starts: tuple[int, ...]
    rows: Mapping[str, int]
    requests: int

    def start_of_row(self, metric: str) -> int:
        return self.rows.get(metric, self.start)


class FinishedExamples:
    """What a journal holds, and what is added to it by the present one of the run's `starts`.

    Predictions stay in the journal, so that memory does not grow with what a model writes. A start has the `signatures`
    of its metrics: a row of a metric whose signature has changed since is not used.
    """

    def __init__(self, journal: Journal, starts: Starts) -> None:
        self._journal, self._starts, self._now = journal, starts, starts.now
        self._signatures: Mapping[str, str] = starts.get(starts.now).get("signatures", {})
        self._known_values = {record["id"]: _finished(position, record) for position, record in journal.entries()}

    def __len__(self) -> int:
        """How many examples are finished, whichever part of the data they are of."""
        return len(self._known_values)

    def __contains__(self, id: str) -> bool:
        """Whether an example is finished."""
        return id in self._known_values

    @property
    def requests(self) -> int:
        """The requests that these examples took."""
        return sum(finished.requests for finished in self._known_values.values())

    def prediction(self, id: str) -> Prediction:
        """A finished example's prediction, with the rows of this start's metrics alone."""
        prediction, names = self._read(id), self.current(id)
        if names == tuple(prediction.statistics):
            return prediction
        return replace(prediction, statistics={name: prediction.statistics[name] for name in names})

    def rows(self, id: str) -> dict[str, Mapping[str, float]]:
        """The rows of a finished example that this start's metrics can use, in the order of the metrics."""
        return dict(self.prediction(id).statistics)

    def current(self, id: str) -> tuple[str, ...]:
        """This start's metrics that a finished example has a row of which they can use, in their order."""
        value = self._known_values[id]
        return tuple(name for name in self._signatures if name in value.metrics and self._is_current(value, name))

    def add(self, prediction: Prediction, reply_starts: Iterable[int]) -> None:
        """Log a prediction that this start has finished, with the replies of these starts."""
        self._log(prediction, self._now, sorted({*reply_starts} - {self._now}), {})

    def add_rows(self, id: str, rows: Rows) -> None:
        """Log further rows of a finished example."""
        value, prediction = self._known_values[id], self._read(id)
        prediction = replace(prediction, statistics={**prediction.statistics, **rows})
        self._log(prediction, value.start, value.reply_starts, {**value.rows, **dict.fromkeys(rows, self._now)})

    def starts_of(self, id: str) -> AbstractSet[int]:
        """The starts that a finished example is from; those that only scored it are left out."""
        value = self._known_values[id]
        return {value.start, *value.reply_starts}

    def _read(self, id: str) -> Prediction:
        return checked_prediction(self._journal.read(self._known_values[id].position))  # the journal checks all lines

    def _is_current(self, finished: _Finished, metric: str) -> bool:
        value = self._starts.get(finished.start_of_row(metric)).get("signatures", {})
        return bool(value.get(metric, self._signatures[metric]) == self._signatures[metric])

    def _log(self, prediction: Prediction, start: int, reply_starts: Sequence[int], rows: Mapping[str, int]) -> None:
        record = record_of(prediction) | {"time": round(time.time(), 3), "start": start}
        collections = {"reply_starts": list(reply_starts), "rows": dict(rows)}
        record |= {name: value for name, value in collections.items() if value}
        self._known_values[prediction.id] = _finished(self._journal.append(record), record)


def _finished(position: int, record: Mapping[str, Any]) -> _Finished:
    metrics = tuple(map(sys.intern, record.get("statistics", {})))
    return _Finished(
        position,
        _same_names(metrics),
        start_of(record),
        tuple(record.get("reply_starts", ())),
        record.get("rows") or NONE_VALUES,
        record["requests"],
    )


@cache
def _same_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """One object for equal tuples: all examples of a run have rows of the same metrics, or nearly all."""
    return names
