"""The scores of one system on one set of examples, with their intervals and signatures."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from longdoc.errors import UserError, unknown
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Score
from pipelines.statistics.intervals import Interval, interval_of


class UnknownScore(UserError, KeyError):
    """There is no score of this name."""

    __str__ = Exception.__str__  # a KeyError quotes its message


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
        if name in self.by_name:
            return self.by_name[name]
        alike = [known for known in self.by_name if _form(known) == _form(name)]  # "F1", "rouge_l"
        if len(alike) != 1:
            raise UnknownScore(str(unknown("score", str(name), self.by_name)))
        return self.by_name[alike[0]]

    def __contains__(self, name: object) -> bool:
        return name in self.by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Scores):
            return all(getattr(self, field.name) == getattr(other, field.name) for field in fields(self))
        return dict(self) == dict(other) if isinstance(other, Mapping) else NotImplemented

    def interval(self, name: str) -> str:
        """A score's interval as text; a dash if it has none, empty if no score has one."""
        return str(self.intervals.get(name, numbers.MISSING)) if self.intervals else ""

    def entry(self, name: str, rank: int = 0, has_bounds: bool = True) -> Score | None:
        """A score as tables show it, with its interval; None if there is no such score."""
        if name not in self.by_name:
            return None
        return Score.of(self.by_name[name], self.intervals.get(name) if has_bounds else None, rank)

    def interval_notes(self) -> list[str]:
        """Notes on how the intervals were computed, and which are missing."""
        notes = interval_notes.method_notes(self.intervals.values())
        return notes + interval_notes.missing_interval_notes([self.no_interval], list(self))


def _form(name: str) -> str:
    """A score's name in lower case, with hyphens for underscores."""
    return str(name).casefold().replace("_", "-")


class Scored:
    """Base of records with `scores`: the fields of these are properties of the record, too."""

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
