"""The finished examples of a run in its journal: their predictions, and the starts that made each part of them.

A line is a prediction with the `time` and number of the `start` that finished it, and where there are such:
- `reply_starts`: earlier starts whose logged replies it is made of,
- `rows`: later starts, by the metric whose row they added.
Of several lines of one example the last counts.
"""

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from longdoc import checked_json
from pipelines.engine.recording.journal import Journal
from pipelines.engine.recording.starts import Starts, start_of
from pipelines.records import Prediction, check_prediction, checked_prediction, record_of

Rows = Mapping[str, Mapping[str, float]]
NO_ROWS: Mapping[str, int] = MappingProxyType({})

FIELDS = {
    "start": checked_json.count,
    "reply_starts": checked_json.each_item(checked_json.count),
    "rows": checked_json.mapping(checked_json.count),
}


def check_finished(record: Any) -> None:
    """Raise `Malformed` for a record that is not a finished example's."""
    check_prediction(record)
    checked_json.check(record, {}, FIELDS)


@dataclass(frozen=True, slots=True)
class _FinishedExample:
    """The position of an example's prediction in the journal, and the starts that made each part of it."""

    position: int
    metrics: tuple[str, ...]  # those with a row
    start: int
    reply_starts: tuple[int, ...]
    rows: Mapping[str, int]
    requests: int

    def start_of_row(self, metric: str) -> int:
        """The start that made an example's row of a metric."""
        return self.rows.get(metric, self.start)


class FinishedExamples:
    """The finished examples in a journal, to which the present one of the run's `starts` adds.

    Predictions stay in the journal, so that memory does not grow with what a model writes. A start has the `signatures`
    of its metrics: a row of a metric whose signature has changed since is not used.
    """

    def __init__(self, journal: Journal, starts: Starts) -> None:
        self._journal, self._starts, self._now = journal, starts, starts.now
        self._signatures: Mapping[str, str] = starts.get(starts.now).get("signatures", {})
        self._examples = {record["id"]: _finished(position, record) for position, record in journal.entries()}

    def __len__(self) -> int:
        """The number of finished examples, also of those that this start does not ask for."""
        return len(self._examples)

    def __contains__(self, id: str) -> bool:
        """Whether an example is finished."""
        return id in self._examples

    @property
    def requests(self) -> int:
        """The number of requests of all finished examples."""
        return sum(finished.requests for finished in self._examples.values())

    def prediction(self, id: str) -> Prediction:
        """A finished example's prediction, with the rows that this start's metrics can use."""
        prediction, names = self._read(id), self.usable_metrics(id)
        if names == tuple(prediction.statistics):
            return prediction
        return replace(prediction, statistics={name: prediction.statistics[name] for name in names})

    def rows(self, id: str) -> dict[str, Mapping[str, float]]:
        """The rows of a finished example that this start's metrics can use, in the order of the metrics."""
        return dict(self.prediction(id).statistics)

    def usable_metrics(self, id: str) -> tuple[str, ...]:
        """The metrics of this start, in order, that can use a finished example's row."""
        finished = self._examples[id]
        return tuple(name for name in self._signatures if name in finished.metrics and self._is_current(finished, name))

    def add(self, prediction: Prediction, reply_starts: Iterable[int]) -> None:
        """Log a prediction that this start has finished, made of replies that the starts `reply_starts` logged."""
        self._log(prediction, self._now, sorted({*reply_starts} - {self._now}), {})

    def add_rows(self, id: str, rows: Rows) -> None:
        """Log further rows of a finished example."""
        finished, prediction = self._examples[id], self._read(id)
        prediction = replace(prediction, statistics={**prediction.statistics, **rows})
        row_starts = {**finished.rows, **dict.fromkeys(rows, self._now)}
        self._log(prediction, finished.start, finished.reply_starts, row_starts)

    def starts_of(self, id: str) -> AbstractSet[int]:
        """The starts that made a finished example's prediction, without those that only scored it."""
        finished = self._examples[id]
        return {finished.start, *finished.reply_starts}

    def _read(self, id: str) -> Prediction:
        return checked_prediction(self._journal.read(self._examples[id].position))  # the journal checks all lines

    def _is_current(self, finished: _FinishedExample, metric: str) -> bool:
        """Whether the signature of a metric is that of the start that made an example's row of it."""
        signatures = self._starts.get(finished.start_of_row(metric)).get("signatures", {})
        return bool(signatures.get(metric, self._signatures[metric]) == self._signatures[metric])

    def _log(
        self, prediction: Prediction, start: int, reply_starts: Sequence[int], row_starts: Mapping[str, int]
    ) -> None:
        record = record_of(prediction) | {"time": round(time.time(), 3), "start": start}
        optional = {"reply_starts": list(reply_starts), "rows": dict(row_starts)}
        record |= {name: value for name, value in optional.items() if value}
        self._examples[prediction.id] = _finished(self._journal.append(record), record)


def _finished(position: int, record: Mapping[str, Any]) -> _FinishedExample:
    metrics = tuple(map(sys.intern, record.get("statistics", {})))
    return _FinishedExample(
        position,
        _shared_tuple(metrics),
        start_of(record),
        tuple(record.get("reply_starts", ())),
        record.get("rows") or NO_ROWS,
        record["requests"],
    )


@cache
def _shared_tuple(names: tuple[str, ...]) -> tuple[str, ...]:
    """The same object for equal tuples, to save memory: nearly all examples have rows of the same metrics."""
    return names
