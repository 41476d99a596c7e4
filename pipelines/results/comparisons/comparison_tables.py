"""A comparison of two runs as tables: the differences of the scores, the examples that changed most."""

from typing import TYPE_CHECKING

from longdoc.plurals import counted
from pipelines.display import numbers
from pipelines.display.table import Delta, Entry, Score, Table

if TYPE_CHECKING:
    from pipelines.results.comparisons.comparison import Comparison

CHANGED = 10  # examples of a comparison
EXCERPT = 48  # characters of an output


def differences(comparison: "Comparison") -> Table:
    """One row per score: both runs, the difference with interval and p, wins and losses."""
    rows: list[tuple[Entry, ...]] = []
    for name, difference in comparison.differences.items():
        p = difference.p if difference.p_holm is None else difference.p_holm
        wins = (
            numbers.MISSING if difference.wins is None else f"{difference.wins}/{difference.losses}/{difference.ties}"
        )
        bounds = str(difference.interval or numbers.MISSING)
        scores = (
            Score(side[name]) if name in side else numbers.MISSING
            for side in (comparison.scores_a, comparison.scores_b)
        )
        rows.append((name, *scores, Delta(difference.value, p), bounds, wins))
    counts = f"{counted(comparison.examples, 'example')} over {counted(comparison.documents, 'document')}"
    notes = [f"a: {comparison.a}: {comparison.recipe_a}", f"b: {comparison.b}: {comparison.recipe_b}"]
    notes += [*comparison.notes(), *(f"warning: {warning}" for warning in comparison.warnings)]
    return Table(
        f"{comparison.task}, {comparison.split}: {counts}",
        ("metric", "a", "b", "b less a", "interval", "won/lost/tied"),
        tuple(rows),
        tuple(numbers.line(note) for note in notes),
        frozenset(range(1, 6)),
        frozenset({5}),
    )


def changes(comparison: "Comparison") -> Table:
    """The examples whose score changed most, with both outputs."""
    changed_examples = sorted(comparison.changed, key=lambda example: -abs(example.score_after - example.score_before))[
        :CHANGED
    ]
    rows = tuple(
        (
            numbers.line(example.id),
            Score(example.score_before),
            Score(example.score_after),
            _excerpt(example.before),
            _excerpt(example.after),
        )
        for example in changed_examples
    )
    unlisted_count = len(comparison.changed) - len(changed_examples)
    notes = (f"… and {unlisted_count:,} more",) if unlisted_count else ()
    title = f"changed by {comparison.primary_metric}"
    return Table(title, ("example", "a", "b", "output of a", "output of b"), rows, notes, frozenset({1, 2}))


def _excerpt(text: str) -> str:
    line = numbers.line(text)
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1].rstrip() + "…"
