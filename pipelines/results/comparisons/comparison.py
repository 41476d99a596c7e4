"""The result of comparing two runs or logs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from longdoc.messages import counted
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Column, Delta, Entry, Score, Table, cut, numbered_columns
from pipelines.display.view import View
from pipelines.results.comparisons import notes
from pipelines.results.comparisons.gate import Gate
from pipelines.statistics.intervals import Difference

COUNTS = "up/down/same: examples whose score is higher in b, lower, or within 0.05"
EXCERPT = 110  # terminal columns of a question or an output


@dataclass(frozen=True, slots=True)
class ChangedExample:
    """An example whose score differs between two runs."""

    id: str
    document: str
    query: str
    before: str
    after: str
    score_before: float
    score_after: float


@dataclass(frozen=True, slots=True)
class Side:
    """One of two compared runs or logs: its folder or file, its recipe, and its scores over the examples of both.

    `words` is the mean number of words shown, None where it is not known.
    """

    name: str
    recipe: str
    scores: Mapping[str, float]
    words: float | None = None


@dataclass(frozen=True, slots=True)
class Comparison(View):
    """Two runs of the same examples: `b` less `a` in every score, and the examples most changed in `primary_metric`.

    `detectable` is the least difference that these examples show with a power of 80 % at alpha 0.05, for logs;
    `gates` say which conditions hold, `remarks` how logs were read. Logs name no split and no outputs, and perhaps no
    documents (0).
    With `same_requests` both readers were shown the same and gave the same: there are no `differences`, unless a metric
    has other rows in `b`.
    """

    task: str
    split: str
    a: Side
    b: Side
    differences: Mapping[str, Difference]
    examples: int
    documents: int
    primary_metric: str
    changed: Sequence[ChangedExample]
    warnings: Sequence[str] = field(default_factory=tuple)
    same_requests: bool = False
    detectable: Mapping[str, float] = field(default_factory=dict)
    gates: Sequence[Gate] = ()
    remarks: Sequence[str] = ()

    SEPARATOR: ClassVar[str] = "\n\n"
    KEYS: ClassVar[Sequence[str]] = (
        "task", "split", "a: a.name", "b: b.name", "recipe_a: a.recipe", "recipe_b: b.recipe", "scores_a: a.scores",
        "scores_b: b.scores", "differences", "examples", "documents", "primary_metric", "changed", "warnings",
        "same_requests", "words_a: a.words", "words_b: b.words", "detectable", "gates", "remarks",
    )  # fmt: skip

    @property
    def heading(self) -> str:
        """The task, its split, and how many examples and documents were compared."""
        documents = f" over {counted(self.documents, 'document')}" if self.documents else ""
        return f"{', '.join(filter(None, [self.task, self.split]))}: {counted(self.examples, 'example')}{documents}"

    def tables(self) -> list[Table]:
        """The differences, and the most changed examples."""
        return [self._differences(), *([self._changes()] if self.changed else [])]

    def _differences(self) -> Table:
        """One row per score: both runs, the difference with interval and p, and how many examples gain or lose."""
        columns = [
            Column("metric", lambda name: name),
            Column("a", lambda name: Score(self.a.scores[name]), "right"),
            Column("b", lambda name: Score(self.b.scores[name]), "right"),
            Column("b - a", lambda name: Delta.of(self.differences[name], shows_p=False), "right"),
            Column(
                "interval", lambda name: str(self.differences[name].interval or numbers.MISSING), "right", optional=True
            ),
            Column("p", lambda name: _p(self.differences[name].p), "right"),
        ]
        if self._has_holm:
            columns.append(Column("p Holm", lambda name: _p(self.differences[name].p_holm), "right"))
        columns.append(Column("up/down/same", lambda name: _tallies(self.differences[name]), "right", optional=True))
        if self.detectable:
            columns.append(
                Column("detectable", lambda name: numbers.score(self.detectable.get(name)), "right", optional=True)
            )
        lines = [f"{letter}: {side.name}: {side.recipe}" for letter, side in (("a", self.a), ("b", self.b))]
        lines += [*self.notes(), *(f"warning: {warning}" for warning in self.warnings), *map(str, self.gates)]
        return Table(self.heading, tuple(columns), list(self.differences), tuple(lines))

    def _changes(self) -> Table:
        """The examples whose score changed most: the question and both outputs, if known."""
        rows = [row for example in self.changed for row in _changed_rows(example)]
        columns = numbered_columns(("example", "a", "b", "", ""), right={1, 2}, whole={0})
        has_texts = any(name for *_, name, _ in rows)
        return Table(f"most changed by {self.primary_metric}", tuple(columns if has_texts else columns[:3]), rows)

    @property
    def _has_holm(self) -> bool:
        return any(difference.p_holm is not None for difference in self.differences.values())

    def notes(self) -> list[str]:
        """Notes on how intervals and p values were computed, and on what is missing."""
        unit = "document" if self.documents > 1 else "example"
        lines = [notes.SAME_REQUESTS] if self.same_requests else []
        if not self.differences:
            return lines
        if self.a.words is not None and self.b.words is not None:
            a, b = numbers.count(self.a.words), numbers.count(self.b.words)
            lines.append(f"words shown, on average: {a} in a, {b} in b")
        intervals = [difference.interval for difference in self.differences.values() if difference.interval]
        method = f"p by exchanging the runs' {unit}s"
        if intervals:
            resamples = f"{intervals[0].resamples:,} resamples of {counted(intervals[0].units, unit)}"
            method = f"{100 * intervals[0].level:g}% intervals from {resamples}; {method}"
        lines += [
            method,
            *dict.fromkeys(interval_notes.few_units_footnote(interval.unit) for interval in intervals if interval.few),
        ]
        reasons = {
            name: difference.no_interval for name, difference in self.differences.items() if difference.no_interval
        }
        lines += interval_notes.missing_interval_notes([reasons], list(self.differences))
        if self._has_holm:
            lines.append("p Holm: after Holm's correction for all scores here")
        if self.detectable:
            lines.append(notes.DETECTABLE)
        return [*lines, *self.remarks, COUNTS]


def _changed_rows(example: ChangedExample) -> list[tuple[Entry, ...]]:
    """The scores beside the first of the texts; logs have no texts."""
    texts = [("question", example.query)] if example.query else []
    if example.before or example.after:
        texts += [("a", example.before), ("b", example.after)]
    first, *others = [(name, cut(numbers.line(text), EXCERPT)) for name, text in texts] or [("", "")]
    scores = (example.id, Score(example.score_before), Score(example.score_after))
    return [(*scores, *first), *(("", "", "", *text) for text in others)]


def _tallies(difference: Difference) -> str:
    return numbers.MISSING if difference.wins is None else f"{difference.wins}/{difference.losses}/{difference.ties}"


def _p(value: float | None) -> str:
    return numbers.MISSING if value is None else numbers.p_number(value)
