"""The tables of a model: ways with one request a question at equal words, and strategies at equal prompt tokens."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from benchmarks.real_models import outputs
from benchmarks.real_models.cells import BY_EVIDENCE, RECIPE, SETS, TWO_SEARCHES, UNBUDGETED, Cell
from benchmarks.real_models.outputs import Output
from benchmarks.results import interval, table
from pipelines import metrics, tasks
from pipelines.display.numbers import MISSING
from pipelines.metrics import Metric, Row
from pipelines.records import Example
from pipelines.statistics.bootstrap import intervals
from pipelines.statistics.intervals import Interval
from pipelines.statistics.paired import paired

BASELINES = ("bm25", "bm25 sentences", "whole")
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
HOPS_HEAD = ["questions", "way", "words shown", "hops", "n", "score", "less bm25", "evidence shown"]
RECIPES_HEAD = ["MuLD's task", "n", "scores", "requests", "prompt tokens", "seconds"]
GENERATION = ("bleu-1", "bleu-4", "rouge-l", "meteor")
ALL = 0.99  # of the evidence's characters


@dataclass(frozen=True)
class CellAnswers:
    """A cell with its outputs, and the questions of its set by id."""

    cell: Cell
    outputs: Mapping[str, Output]
    examples: Mapping[str, Example]

    @cached_property
    def rows(self) -> dict[str, Row]:
        """The rows of the metric by question."""
        return outputs.rows(self.cell, self.outputs, self.examples)

    def only(self, names: Collection[str]) -> "CellAnswers":
        """The outputs to some of the questions."""
        return replace(self, outputs={name: output for name, output in self.outputs.items() if name in names})

    @property
    def tokens(self) -> float:
        """The mean of a question's prompt tokens."""
        return self.mean("tokens")

    def mean(self, name: str) -> float:
        """The mean of a number of the outputs."""
        return sum(getattr(output, name) for output in self.outputs.values()) / len(self.outputs)

    @property
    def score(self) -> float:
        """The score of the set's metric."""
        return next(iter(self._metric.aggregate(list(self.rows.values())).values()))

    def scores(self, metric: str) -> Mapping[str, float]:
        """The scores of another metric than the set's."""
        chosen = metrics.get(metric)
        return chosen.aggregate(
            [chosen.statistics(self.outputs[name].prediction, self.examples[name]) for name in self.rows]
        )

    @cached_property
    def bounds(self) -> Interval | None:
        """The score's interval, over documents."""
        documents = [self.examples[name].document.id for name in self.rows]
        return next(iter(intervals(self._metric, list(self.rows.values()), documents).values()), None)

    @property
    def score_text(self) -> str:
        """The score with its interval, as text."""
        return f"{self.score:.1f} {interval(self.bounds)}" if self.rows else MISSING

    @property
    def seconds(self) -> str:
        """The mean of a question's seconds; a dash where they were not measured."""
        measured = [output.seconds for output in self.outputs.values() if output.seconds]
        return f"{sum(measured) / len(measured):.1f}" if measured else MISSING

    @property
    def evidence(self) -> str:
        """The share of the evidence's characters that was shown; a dash where none is marked."""
        marked = [output.shown / output.evidence for output in self.outputs.values() if output.evidence]
        return f"{100 * sum(marked) / len(marked):.1f} %" if marked else MISSING

    def less(self, other: "CellAnswers | None") -> str:
        """The paired difference from another cell on the questions of both, with its interval and p."""
        both = [name for name in self.rows if other is not None and name in other.rows]
        if other is None or not both:
            return MISSING
        pairs = [other.rows[name] for name in both], [self.rows[name] for name in both]
        difference = next(
            iter(paired(self._metric, *pairs, [self.examples[name].document.id for name in both]).values())
        )
        return f"{difference.value:+.1f} {interval(difference.interval)}, p = {difference.p:.3f}"

    @property
    def _metric(self) -> Metric:
        return metrics.get(SETS[self.cell.set_name].metric)


def answers_of(model: str, sets: Mapping[str, list[Example]]) -> list[CellAnswers]:
    """The cells of a model that have outputs."""
    by_id = {name: {example.id: example for example in examples} for name, examples in sets.items()}
    return [
        CellAnswers(cell, outputs.kept_outputs(model, cell), by_id[cell.set_name])
        for cell in outputs.asked_cells(model)
    ]


def tables(model: str, all_answers: Sequence[CellAnswers]) -> str:
    """A model's tables; those without rows are left out."""
    parts = [f"### {model}"]
    for head, lines in (
        (HEAD, list(_ways(all_answers))),
        (RECIPES_HEAD, list(_recipes(all_answers))),
        (EVIDENCE_HEAD, list(_evidence(all_answers))),
        (HOPS_HEAD, list(_hops(all_answers))),
        (STRATEGIES_HEAD, list(_strategies(all_answers))),
    ):
        parts += [table(head, lines)] if lines else []
    return "\n\n".join(parts)


def _ways(all_answers: Sequence[CellAnswers]) -> Iterator[list[str]]:
    """A row for each way with one request a question."""
    by_cell = {answers.cell: answers for answers in all_answers}
    for answers in all_answers:
        cell = answers.cell
        if cell.strategy is None and cell.way != RECIPE:
            cached = 100 * answers.mean("cached") / max(answers.tokens, 1)
            yield [
                cell.set_name, cell.way, str(cell.budget or 0), str(len(answers.rows)), answers.score_text,
                *map(answers.less, _baselines(cell, by_cell)), answers.evidence, f"{answers.tokens:.0f}",
                f"{cached:.0f} %", answers.seconds,
            ]  # fmt: skip


def _baselines(cell: Cell, by_cell: Mapping[Cell, CellAnswers]) -> Iterator[CellAnswers | None]:
    """The cells that a cell is compared with: those of `BASELINES` in the same words. None for itself."""
    for way in BASELINES:
        budget = None if way in UNBUDGETED else cell.budget
        yield by_cell.get(Cell(cell.set_name, way, budget)) if way != cell.way else None


def _recipes(all_answers: Sequence[CellAnswers]) -> Iterator[list[str]]:
    """A row for each task of MuLD that was read by its own recipe, with MuLD's scores of it."""
    for answers in all_answers:
        if answers.cell.way == RECIPE:
            task = tasks.get(SETS[answers.cell.set_name].task)
            names = GENERATION if set(GENERATION) <= set(task.metrics) else task.metrics
            scores = [f"{name} {value:.1f}" for metric in names for name, value in answers.scores(metric).items()]
            yield [
                answers.cell.set_name, str(len(answers.rows)), ", ".join(scores), f"{answers.mean('requests'):.1f}",
                f"{answers.tokens:.0f}", answers.seconds,
            ]  # fmt: skip


def _evidence(all_answers: Sequence[CellAnswers]) -> Iterator[list[str]]:
    """A row for each way that selects: its answers where it shows all the evidence, and where it shows less."""
    by_cell = {answers.cell: answers for answers in all_answers}
    for answers in all_answers:
        cell = answers.cell
        marked = {name: output.shown / output.evidence for name, output in answers.outputs.items() if output.evidence}
        if marked and cell.strategy is None and cell.budget and cell.way != BY_EVIDENCE:
            complete, rest = (
                answers.only([n for n in marked if (marked[n] >= ALL) == is_all]) for is_all in (True, False)
            )
            oracle = by_cell.get(Cell(cell.set_name, BY_EVIDENCE, cell.budget))
            yield [
                cell.set_name, cell.way, str(cell.budget), str(len(complete.outputs)), complete.score_text,
                complete.less(oracle), str(len(rest.outputs)), rest.score_text,
            ]  # fmt: skip


def _hops(all_answers: Sequence[CellAnswers]) -> Iterator[list[str]]:
    """Two rows for each way where the ids say how many hops a question has: two hops, and more."""
    by_cell = {answers.cell: answers for answers in all_answers}
    for answers in all_answers:
        cell = answers.cell
        if cell.strategy is None and SETS[cell.set_name].ids_have_hops:
            bm25 = by_cell.get(Cell(cell.set_name, "bm25", cell.budget))
            for hops in ("2", "34"):
                part = answers.only([name for name in answers.outputs if name[0] in hops])
                yield [
                    cell.set_name, cell.way, str(cell.budget or 0), " and ".join(hops), str(len(part.rows)),
                    part.score_text, part.less(bm25 if cell.way != "bm25" else None), part.evidence,
                ]  # fmt: skip


def _strategies(all_answers: Sequence[CellAnswers]) -> Iterator[list[str]]:
    """A row for each strategy, beside the cells with one request and with two searches whose tokens are nearest."""
    for answers in all_answers:
        if strategy := answers.cell.strategy:
            plain = nearest(answers, all_answers, strategy.beside)
            two = nearest(answers, all_answers, TWO_SEARCHES) if answers.cell.way != TWO_SEARCHES else None
            beside = [plain.cell.way, f"{plain.tokens:.0f}", plain.score_text] if plain else [MISSING] * 3
            yield [
                answers.cell.set_name, answers.cell.way, str(answers.cell.budget or MISSING), str(len(answers.rows)),
                f"{answers.mean('requests'):.1f}", f"{answers.tokens:.0f}", answers.seconds, answers.score_text,
                *beside, answers.less(plain), answers.less(two),
            ]  # fmt: skip


def nearest(answers: CellAnswers, all_answers: Sequence[CellAnswers], way: str) -> CellAnswers | None:
    """The cell of a way whose prompt tokens are nearest to a cell's, with that cell's questions alone.

    Cells that lack one of these questions are left out.
    """
    others = [
        other.only(answers.outputs)
        for other in all_answers
        if (other.cell.set_name, other.cell.way) == (answers.cell.set_name, way)
        and set(other.outputs) >= set(answers.outputs)
    ]
    return min(others, key=lambda other: abs(other.tokens - answers.tokens), default=None)
