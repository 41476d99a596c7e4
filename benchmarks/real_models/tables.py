"""The tables of a model: ways with one request a question at equal words, and strategies at equal prompt tokens."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from benchmarks.real_models import outputs
from benchmarks.real_models.cells import BY_EVIDENCE, RECIPE, SETS, TWO_SEARCHES, Cell
from benchmarks.real_models.outputs import Output
from benchmarks.results import interval, table
from pipelines import metrics, tasks
from pipelines.display.numbers import MISSING
from pipelines.metrics import Metric, Row
from pipelines.records import Example
from pipelines.statistics.bootstrap import intervals
from pipelines.statistics.intervals import Interval
from pipelines.statistics.paired import paired

BASELINES = ("bm25", "bm25 sentences")
HEAD = [
    "questions", "way", "words shown", "n", "score", *(f"less {name}" for name in BASELINES), "evidence shown",
    "prompt tokens", "cached", "seconds",
]  # fmt: skip
STRATEGIES_HEAD = [
    "questions", "strategy", "words a search", "n", "requests", "prompt tokens", "seconds", "score",
    "one request: way", "prompt tokens", "score", "difference", f"less {TWO_SEARCHES}",
]  # fmt: skip
EVIDENCE_HEAD = [
    "questions", "way", "words shown", "all evidence shown: n", "score", "less oracle", "less than all: n", "score",
]  # fmt: skip
RECIPES_HEAD = ["MuLD's task", "n", "scores", "requests", "prompt tokens", "seconds"]
GENERATION = ("bleu-1", "bleu-4", "rouge-l", "meteor")
ALL = 0.99  # of the evidence's characters


@dataclass(frozen=True)
class Answered:
    """A cell with its outputs, and the questions of its set by id."""

    cell: Cell
    found: Mapping[str, Output]
    examples: Mapping[str, Example]

    @cached_property
    def rows(self) -> dict[str, Row]:
        """The rows of the metric by question."""
        return outputs.rows(self.cell, self.found, self.examples)

    def only(self, names: Collection[str]) -> "Answered":
        """The outputs to some of the questions."""
        return replace(self, found={name: output for name, output in self.found.items() if name in names})

    @property
    def tokens(self) -> float:
        """The mean of a question's prompt tokens."""
        return self.mean("tokens")

    def mean(self, name: str) -> float:
        """The mean of a number of the outputs."""
        return sum(getattr(output, name) for output in self.found.values()) / len(self.found)

    @property
    def value(self) -> float:
        """The score."""
        return next(iter(self._metric.aggregate(list(self.rows.values())).values()))

    def scores(self, metric: str) -> Mapping[str, float]:
        """The scores of another metric than the set's."""
        chosen = metrics.get(metric)
        return chosen.aggregate(
            [chosen.statistics(self.found[name].prediction, self.examples[name]) for name in self.rows]
        )

    @cached_property
    def bounds(self) -> Interval | None:
        """The score's interval, over documents."""
        documents = [self.examples[name].document.id for name in self.rows]
        return next(iter(intervals(self._metric, list(self.rows.values()), documents).values()), None)

    @property
    def score(self) -> str:
        """The score with its interval, in words."""
        return f"{self.value:.1f} {interval(self.bounds)}" if self.rows else MISSING

    @property
    def seconds(self) -> str:
        """The mean of a question's seconds; a dash where they were not measured."""
        measured = [output.seconds for output in self.found.values() if output.seconds]
        return f"{sum(measured) / len(measured):.1f}" if measured else MISSING

    @property
    def evidence(self) -> str:
        """The share of the evidence's characters that was shown; a dash where none is marked."""
        marked = [output.shown / output.evidence for output in self.found.values() if output.evidence]
        return f"{100 * sum(marked) / len(marked):.1f} %" if marked else MISSING

    def less(self, other: "Answered | None") -> str:
        """The paired difference from another cell on the questions of both, with its interval and p."""
        both = [name for name in self.rows if other is not None and name in other.rows]
        if other is None or not both:
            return MISSING
        pair = [other.rows[name] for name in both], [self.rows[name] for name in both]
        apart = next(iter(paired(self._metric, *pair, [self.examples[name].document.id for name in both]).values()))
        return f"{apart.value:+.1f} {interval(apart.interval)}, p = {apart.p:.3f}"

    @property
    def _metric(self) -> Metric:
        return metrics.get(SETS[self.cell.set_name].metric)


def answered(model: str, sets: Mapping[str, list[Example]]) -> list[Answered]:
    """The cells of a model that have outputs."""
    by_id = {name: {example.id: example for example in examples} for name, examples in sets.items()}
    return [Answered(cell, outputs.kept(model, cell), by_id[cell.set_name]) for cell in outputs.asked_cells(model)]


def tables(model: str, found: Sequence[Answered]) -> str:
    """A model's tables, as far as it was asked."""
    parts = [f"### {model}"]
    for head, lines in (
        (HEAD, list(_ways(found))),
        (RECIPES_HEAD, list(_recipes(found))),
        (EVIDENCE_HEAD, list(_evidence(found))),
        (STRATEGIES_HEAD, list(_strategies(found))),
    ):
        parts += [table(head, lines)] if lines else []
    return "\n\n".join(parts)


def _ways(found: Sequence[Answered]) -> Iterator[list[str]]:
    """A row for each way with one request a question."""
    by_cell = {one.cell: one for one in found}
    for one in found:
        cell = one.cell
        if cell.strategy is None and cell.way != RECIPE:
            others = [
                by_cell.get(Cell(cell.set_name, way, cell.budget)) if way != cell.way else None for way in BASELINES
            ]
            cached = 100 * one.mean("cached") / max(one.tokens, 1)
            yield [
                cell.set_name, cell.way, str(cell.budget or 0), str(len(one.rows)), one.score, *map(one.less, others),
                one.evidence, f"{one.tokens:.0f}", f"{cached:.0f} %", one.seconds,
            ]  # fmt: skip


def _recipes(found: Sequence[Answered]) -> Iterator[list[str]]:
    """A row for each task of MuLD that was read by its own recipe, with MuLD's scores of it."""
    for one in found:
        if one.cell.way == RECIPE:
            task = tasks.get(SETS[one.cell.set_name].task)
            names = GENERATION if set(GENERATION) <= set(task.metrics) else task.metrics
            scores = [f"{name} {value:.1f}" for metric in names for name, value in one.scores(metric).items()]
            yield [
                one.cell.set_name, str(len(one.rows)), ", ".join(scores), f"{one.mean('requests'):.1f}",
                f"{one.tokens:.0f}", one.seconds,
            ]  # fmt: skip


def _evidence(found: Sequence[Answered]) -> Iterator[list[str]]:
    """A row for each way that selects: its answers where it shows all the evidence, and where it shows less."""
    by_cell = {one.cell: one for one in found}
    for one in found:
        cell = one.cell
        marked = {name: output.shown / output.evidence for name, output in one.found.items() if output.evidence}
        if marked and cell.strategy is None and cell.budget and cell.way != BY_EVIDENCE:
            complete, rest = (one.only([n for n in marked if (marked[n] >= ALL) == is_all]) for is_all in (True, False))
            oracle = by_cell.get(Cell(cell.set_name, BY_EVIDENCE, cell.budget))
            yield [
                cell.set_name, cell.way, str(cell.budget), str(len(complete.found)), complete.score,
                complete.less(oracle), str(len(rest.found)), rest.score,
            ]  # fmt: skip


def _strategies(found: Sequence[Answered]) -> Iterator[list[str]]:
    """A row for each strategy, beside one request and two searches with the most equal numbers of prompt tokens."""
    for one in found:
        if strategy := one.cell.strategy:
            plain = nearest(one, found, strategy.beside)
            two = nearest(one, found, TWO_SEARCHES) if one.cell.way != TWO_SEARCHES else None
            beside = [plain.cell.way, f"{plain.tokens:.0f}", plain.score] if plain else [MISSING] * 3
            yield [
                one.cell.set_name, one.cell.way, str(one.cell.budget or MISSING), str(len(one.rows)),
                f"{one.mean('requests'):.1f}", f"{one.tokens:.0f}", one.seconds, one.score, *beside, one.less(plain),
                one.less(two),
            ]  # fmt: skip


def nearest(one: Answered, found: Sequence[Answered], way: str) -> Answered | None:
    """The cell of a way that has most nearly as many prompt tokens on all the questions of another cell, and these."""
    others = [
        other.only(one.found)
        for other in found
        if (other.cell.set_name, other.cell.way) == (one.cell.set_name, way) and set(other.found) >= set(one.found)
    ]
    return min(others, key=lambda other: abs(other.tokens - one.tokens), default=None)
