"""The result of `pipelines.versus`: a row for each condition, compared with the whole document."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from longdoc.messages import counted
from longdoc.plain_json import plain_keys
from pipelines.display import numbers
from pipelines.display.table import Column, Entry, Score, Table
from pipelines.display.view import RowsView
from pipelines.plugins.versus import plots
from pipelines.plugins.versus.condition import Condition
from pipelines.plugins.versus.lines import Line, lines
from pipelines.results.comparisons import notes
from pipelines.results.comparisons.summary import cell_interval_notes, delta_entry

ERROR = 160  # characters of an error in the notes
REASONS = 3  # reasons for missing answers that are named for a condition


@dataclass(frozen=True, slots=True)
class ConditionTable(RowsView):
    """The conditions of one task, side by side. `primary_metric` names the score that table and plot show.

    `baseline` is the condition that the others are compared with: the whole document, else the first. `examples` and
    `documents` count all that some condition was asked about, `common_examples` and `common_documents` those that every
    condition answered: scores in `Condition.common`, differences and p are over these.
    """

    task: str
    split: str
    primary_metric: str
    baseline: str
    ways: Sequence[Condition]
    examples: int
    documents: int
    common_examples: int
    common_documents: int
    folder: Path | None = None
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    seconds: float | None = field(default=None, compare=False)

    PAGE: ClassVar[str] = "pipelines.plugins.versus.page:page"

    def __getitem__(self, name: str) -> Condition:
        """The condition with a name."""
        return next(condition for condition in self.ways if condition.name == name)

    @property
    def location(self) -> str:
        """The folder, and the time that the table took."""
        return f"in {self.folder}" + ("" if self.seconds is None else f", {self.seconds:.1f} s")

    @property
    def finished(self) -> list[Condition]:
        """The conditions that have the primary score."""
        return [condition for condition in self.ways if self.primary_metric in condition.scores]

    @property
    def title(self) -> str:
        """The task and split, and the numbers of examples and documents."""
        size = f"{counted(self.examples, 'example')} over {counted(self.documents, 'document')}"
        return f"{self.task}, {self.split}: {size}"

    @property
    def is_partial(self) -> bool:
        """Whether some condition left examples out, so that the scores are over different examples."""
        return any(condition.covered != self.common_examples for condition in self.finished)

    def tables(self) -> list[Table]:
        """A row for each condition: score, coverage, score on the common examples, difference, tokens, cost."""
        remarks = tuple(numbers.line(note) for note in self.remarks())
        return [Table(self.title, tuple(self._columns()), self.ways, remarks)]

    def _columns(self) -> Iterator[Column]:
        primary = self.primary_metric
        yield Column("way", lambda condition: numbers.line(condition.name))
        yield Column(primary, self._score, "right")
        yield Column("answered", self._coverage, "right", optional=not self.is_partial)
        if self.is_partial:
            yield Column("of all ways", self._common, "right", optional=True)
        if any(condition.differences for condition in self.ways):
            delta = partial(delta_entry, primary, self.ways, self.baseline)
            yield Column(f"Δ {primary}", delta, "right")
        if any(condition.answers_anyway is not None for condition in self.ways):
            yield Column("answers anyway", lambda condition: numbers.percent(condition.answers_anyway), "right")
        if any(condition.tokens_mean is not None for condition in self.ways):
            yield Column("tokens", lambda condition: numbers.count(condition.tokens_mean), "right")
            yield Column("tokens in all", lambda condition: numbers.count(condition.tokens_in), "right", optional=True)
        if any(condition.words_shown is not None for condition in self.ways):
            yield Column("words", lambda condition: numbers.count(condition.words_shown), "right", optional=True)
        if any((condition.requests or 0) > self.examples for condition in self.ways):
            yield Column("requests", self._requests, "right")
        if any(condition.cut for condition in self.ways):
            yield Column("cut", _cut, "right", optional=True)
        if any(condition.cost is not None for condition in self.ways):
            yield Column("cost", lambda condition: numbers.money(condition.cost), "right")

    def __fspath__(self) -> str:
        """The table's folder, so that functions of paths take a table."""
        return str(self.folder)

    def latex_caption(self, table: Table) -> str:
        """The caption of the LaTeX table."""
        return f"Ways to read the documents of {self.task}."

    def lines_below(self) -> list[str]:
        """The folder, and the time that the table took."""
        return [] if self.folder is None else [self.location]

    def plot(self, path: str | Path) -> None:
        """Plot the score against prompt tokens, a line for each retriever: PNG, SVG or PDF.

        Raises `UserError` without matplotlib.
        """
        plots.write(self.lines(), f"{self.task}, {self.split}", self.y_title, Path(path))

    def lines(self) -> list[Line]:
        """The lines of the plot, over the common examples where the conditions cover different ones."""
        return lines(self.finished, self.primary_metric, self._is_shared)

    @property
    def y_title(self) -> str:
        """The title of the plot's y axis."""
        return f"{self.primary_metric}, of what all ways answered" if self._is_shared else self.primary_metric

    @property
    def _is_shared(self) -> bool:
        return self.is_partial and self.common_examples > 0

    def remarks(self) -> list[str]:
        """The notes below the table: what columns mean, how intervals and p were made, what is missing and why."""
        warnings = (f"warning: {line}" for line in self.warnings)
        return [*self._legend(), *self.notes, *self.missing_notes(), *warnings]

    def _legend(self) -> Iterator[str]:
        conditions, primary = self.finished, self.primary_metric
        yield from cell_interval_notes(conditions, [primary])
        size = f"{counted(self.common_examples, 'example')} of {counted(self.common_documents, 'document')}"
        if self.is_partial:
            yield f"of all ways: {primary} over the {size} that every way answered; Δ and p are over these, too"
        if any(condition.differences for condition in conditions):
            differences = [condition.differences.get(primary) for condition in conditions]
            corrected = any(difference is not None and difference.p_holm for difference in differences)
            holm = ", after Holm's correction" if corrected else ""
            unit = "document" if self.common_documents > 1 else "example"
            yield f"Δ: less {numbers.line(self.baseline)}; p two-sided, by exchanging {unit}s{holm}"
        yield from notes.same_runs(condition.same_as for condition in conditions)
        if any(condition.tokens_mean is not None for condition in conditions):
            yield "tokens: in the prompts of one example, as the reader counts them"
        if any(condition.answers_anyway is not None for condition in conditions):
            yield "answers anyway: per cent of the questions without an answer that the model answered"
        if any((condition.requests or 0) > self.examples for condition in conditions):
            yield "requests: per example"
        signatures = dict.fromkeys(condition.scores.signatures.get(primary) for condition in conditions)
        if texts := list(filter(None, signatures)):
            yield f"{primary}: {' or '.join(texts)}"

    def missing_notes(self) -> list[str]:
        """A line for each condition that failed or that left examples out, with the reasons."""
        missing = []
        for condition in self.ways:
            if condition.error is not None:
                missing.append(f"failed: {condition.name}: {numbers.shortened(numbers.line(condition.error), ERROR)}")
            elif condition.missing:
                ordered = sorted(condition.missing.items(), key=lambda item: -item[1])
                reasons = [f"{count:,}: {numbers.shortened(numbers.line(reason), ERROR)}" for reason, count in ordered]
                rest = f"; and {len(reasons) - REASONS} more reasons" if len(reasons) > REASONS else ""
                missing.append(f"{condition.name}: no answer to {'; '.join(reasons[:REASONS])}{rest}")
        return missing

    def flat_rows(self) -> list[dict[str, Any]]:
        """One mapping for each condition: settings, scores with bounds, coverage, differences, expenses."""
        scores = list(dict.fromkeys(name for condition in self.ways for name in condition.scores))
        scores.sort(key=lambda name: name != self.primary_metric)
        return [self._row(condition, scores) for condition in self.ways]

    def _row(self, condition: Condition, scores: Sequence[str]) -> dict[str, Any]:
        primary = self.primary_metric
        difference = condition.differences.get(primary)
        row: dict[str, Any] = {
            "way": condition.name, "kind": condition.kind, "retriever": condition.line, "amount": condition.amount,
        }  # fmt: skip
        for name in scores:
            bounds = condition.scores.intervals.get(name)
            low, high = (bounds.low, bounds.high) if bounds else (None, None)
            row |= {name: condition.scores.get(name), f"{name}_low": low, f"{name}_high": high}
        row |= {
            "answered": condition.covered,
            "examples": self.examples,
            "common_examples": self.common_examples,
            f"{primary}_common": condition.common.get(primary),
            f"{primary}_difference": difference and difference.value,
            f"{primary}_p": difference and difference.p,
            f"{primary}_p_holm": difference and difference.p_holm,
        }
        return row | plain_keys(condition, EXPENSES)

    def _score(self, condition: Condition) -> Entry:
        rank = int(not self.is_partial and condition.name in self._best_names())
        missing = "failed" if condition.error is not None else numbers.MISSING
        return condition.scores.entry(self.primary_metric, rank) or missing

    def _best_names(self) -> list[str]:
        """The names of the conditions with the best printed score over the common examples; empty where all tie.

        The oracle, which knows the gold evidence, takes no part.
        """
        scored = {
            condition.name: round(condition.common.get(self.primary_metric, float("-inf")), 2)
            for condition in self.finished
            if condition.kind != "oracle" and condition.common
        }
        top = max(scored.values(), default=0.0)
        return [name for name, value in scored.items() if value == top] if len({*scored.values()}) > 1 else []

    def _coverage(self, condition: Condition) -> Entry:
        if condition.error is not None:
            return numbers.MISSING
        is_complete = all(condition.covered == self.examples for condition in self.ways if condition.error is None)
        return f"{condition.covered:,}" if is_complete else f"{condition.covered:,} of {self.examples:,}"

    def _requests(self, condition: Condition) -> Entry:
        """Requests per example."""
        examples = condition.covered + sum(condition.missing.values())
        return f"{condition.requests / examples:.1f}" if condition.requests and examples else numbers.MISSING

    def _common(self, condition: Condition) -> Entry:
        value = condition.common.get(self.primary_metric)
        return numbers.MISSING if value is None else Score(value, rank=int(condition.name in self._best_names()))


EXPENSES = (
    "requests", "tokens_in", "tokens_out", "tokens_mean", "words_shown", "cut", "answers_anyway", "cost", "same_as",
    "error", "folder",
)  # fmt: skip


def _cut(condition: Condition) -> str:
    return numbers.count(condition.cut if condition.error is None else None)
