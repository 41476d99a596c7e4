"""The result of comparing two runs or logs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from longdoc.messages import counted
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Column, Delta, Score, Table
from pipelines.display.view import View
from pipelines.results.comparisons import notes
from pipelines.results.comparisons.gate import Gate
from pipelines.statistics.intervals import Difference

COUNTS = "up, down, same: examples whose score is higher in b, lower, or within 0.05"
LISTED = 10  # examples of the table
EXCERPT = 48  # characters of an output in it


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

    def __str__(self) -> str:
        """One line per score, then the examples that changed most."""
        lines = [
            self.heading,
            f"  a  {self.a.recipe}   in {self.a.name}",
            f"  b  {self.b.recipe}   in {self.b.name}",
            "",
            *([*self._table(), ""] if self.differences else []),
            *(f"  {note}" for note in self.notes()),
            *([f"  {COUNTS}"] if self.differences else []),
            *(f"  warning: {warning}" for warning in self.warnings),
            *(f"  {gate}" for gate in self.gates),
        ]
        if self.changed:
            lines += ["", f"  most changed by {self.primary_metric}:"]
        for example in self.changed:
            lines.append(
                f"  {example.id}: {example.score_before:.1f} → {example.score_after:.1f}   "
                f"{_excerpt(example.query)}".rstrip()
            )
            if example.before or example.after:
                lines += [f"    a  {_excerpt(example.before)}", f"    b  {_excerpt(example.after)}"]
        return "\n".join(lines)

    def tables(self) -> list[Table]:
        """The differences, and the most changed examples."""
        return [self._differences(), *([self._changes()] if self.changed else [])]

    def _differences(self) -> Table:
        """One row per score: both runs, the difference with interval and p, wins and losses."""
        sides = [f"a: {self.a.name}: {self.a.recipe}", f"b: {self.b.name}: {self.b.recipe}"]
        lines = [*sides, *self.notes(), *(f"warning: {warning}" for warning in self.warnings)]
        lines += map(str, self.gates)
        columns: tuple[Column, ...] = (
            Column("metric", lambda name: name),
            Column("a", lambda name: _score(self.a.scores, name), "right"),
            Column("b", lambda name: _score(self.b.scores, name), "right"),
            Column("b less a", lambda name: Delta.of(self.differences[name]), "right"),
            Column("interval", lambda name: str(self.differences[name].interval or numbers.MISSING), "right"),
            Column("won/lost/tied", lambda name: _tallies(self.differences[name]), "right", optional=True),
        )
        if self.detectable:
            columns = (
                *columns,
                Column("detectable", lambda name: _score(self.detectable, name), "right", optional=True),
            )
        return Table(self.heading, columns, list(self.differences), tuple(map(numbers.line, lines)))

    def _changes(self) -> Table:
        """The table of the examples whose score changed most, with both outputs."""
        ordered = sorted(self.changed, key=lambda example: -abs(example.score_after - example.score_before))
        unlisted_count = len(ordered) - LISTED
        columns = (
            Column("example", lambda example: numbers.line(example.id)),
            Column("a", lambda example: Score(example.score_before), "right"),
            Column("b", lambda example: Score(example.score_after), "right"),
            Column("output of a", lambda example: _excerpt(numbers.line(example.before), EXCERPT)),
            Column("output of b", lambda example: _excerpt(numbers.line(example.after), EXCERPT)),
        )
        lines = (f"… and {unlisted_count:,} more",) if unlisted_count > 0 else ()
        return Table(f"changed by {self.primary_metric}", columns, ordered[:LISTED], lines)

    def _table(self) -> list[str]:
        name_width = max(map(len, self.differences))
        bounds = {name: str(difference.interval or numbers.MISSING) for name, difference in self.differences.items()}
        interval_width = max(16, *map(len, bounds.values()))
        headings = (
            f"{'a':>6} {'b':>6} {'b - a':>7} {'interval':>{interval_width}} {'p':>6} {'up':>4} {'down':>5} {'same':>5}"
        )
        lines = [f"  {'':<{name_width}} {headings}{self._further_headings()}"]
        for name, difference in self.differences.items():
            tallies = zip((4, 5, 5), (difference.wins, difference.losses, difference.ties), strict=True)
            counts = " ".join(f"{'' if count is None else count:>{width}}" for width, count in tallies)
            scores = f"{self.a.scores[name]:6.2f} {self.b.scores[name]:6.2f} {difference.value:+7.2f}"
            values = f"{scores} {bounds[name]:>{interval_width}} {_p(difference.p):>6} {counts}"
            lines.append(f"  {name:<{name_width}} {values}{self._further_cells(name)}".rstrip())
        return lines

    def _further_headings(self) -> str:
        """The headings of the further columns that comparisons of logs have."""
        return f" {'p Holm':>7}" * self._has_holm + f" {'detectable':>11}" * bool(self.detectable)

    def _further_cells(self, name: str) -> str:
        p_holm = self.differences[name].p_holm
        cells = f" {numbers.MISSING if p_holm is None else _p(p_holm):>7}" * self._has_holm
        return cells + (f" {numbers.score(self.detectable.get(name)):>11}" * bool(self.detectable))

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
        return [*lines, *self.remarks]


def _score(scores: Mapping[str, float], name: str) -> Score | str:
    return Score(scores[name]) if name in scores else numbers.MISSING


def _tallies(difference: Difference) -> str:
    return numbers.MISSING if difference.wins is None else f"{difference.wins}/{difference.losses}/{difference.ties}"


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _excerpt(text: str, characters: int = 110) -> str:
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"
