"""The scores of one system on one set of examples, with what is known of each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from pipelines.display import interval_notes, numbers
from pipelines.display.table import Score
from pipelines.statistics.intervals import Interval, interval_of


@dataclass(frozen=True, slots=True, eq=False)
class Scores(Mapping[str, float]):
    """Scores by name, 0–100: a mapping from names to values.

    `intervals` are their 95 % intervals, by bootstrap over documents (examples, where there is one document);
    `no_interval` says why a score has none. `signatures` say what decides a score: the metric's settings and versions.
    `not_computed` has the reasons of metrics without a score.
    """

    by_name: Mapping[str, float] = field(default_factory=dict)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    no_interval: Mapping[str, str] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    not_computed: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Scores":
        """The scores in the content of a `scores.json`."""
        intervals = {name: interval_of(value) for name, value in record.get("intervals", {}).items()}
        texts = (record.get(name, {}) for name in ("no_interval", "signatures", "not_computed"))
        return cls(record.get("scores", {}), intervals, *texts)

    def __getitem__(self, name: str) -> float:
        return self.by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Scores):
            return all(getattr(self, field.name) == getattr(other, field.name) for field in fields(self))
        return dict(self) == dict(other) if isinstance(other, Mapping) else NotImplemented

    def interval(self, name: str) -> str:
        """The interval of a score; a dash where it has none, empty where none of them has one."""
        return str(self.intervals.get(name, numbers.MISSING)) if self.intervals else ""

    def entry(self, name: str, rank: int = 0, has_bounds: bool = True) -> Score | None:
        """A score as tables show it, with its interval; None where there is none."""
        if name not in self.by_name:
            return None
        interval = self.intervals.get(name) if has_bounds else None
        if interval is None:
            return Score(self.by_name[name], rank=rank)
        return Score(self.by_name[name], interval.low, interval.high, rank, interval.few)

    def interval_notes(self) -> list[str]:
        """How the intervals were made, and which are missing."""
        notes = interval_notes.method_notes(self.intervals.values())
        return notes + interval_notes.missing_interval_notes([self.no_interval], list(self))


class Scored:
    """What has `scores`: their parts by their own names, too."""

    __slots__ = ()
    scores: Scores

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """The intervals of the scores."""
        return self.scores.intervals

    @property
    def no_interval(self) -> Mapping[str, str]:
        """Why scores have none."""
        return self.scores.no_interval

    @property
    def signatures(self) -> Mapping[str, str]:
        """What decides each score."""
        return self.scores.signatures

    @property
    def not_computed(self) -> Mapping[str, str]:
        """Why metrics have no score."""
        return self.scores.not_computed
