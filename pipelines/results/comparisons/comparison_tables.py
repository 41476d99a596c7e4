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
    for name, found in comparison.differences.items():
        p = found.p if found.p_holm is None else found.p_holm
        wins = numbers.MISSING if found.wins is None else f"{found.wins}/{found.losses}/{found.ties}"
        bounds = str(found.interval or numbers.MISSING)
        scores = (
            Score(side[name]) if name in side else numbers.MISSING
            for side in (comparison.scores_a, comparison.scores_b)
        )
        rows.append((name, *scores, Delta(found.value, p), bounds, wins))
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
    most = sorted(comparison.changed, key=lambda one: -abs(one.score_after - one.score_before))[:CHANGED]
    rows = tuple(
        (
            numbers.line(one.id),
            Score(one.score_before),
            Score(one.score_after),
            _excerpt(one.before),
            _excerpt(one.after),
        )
        for one in most
    )
    left = len(comparison.changed) - len(most)
    notes = (f"… and {left:,} more",) if left else ()
    title = f"changed by {comparison.primary_metric}"
    return Table(title, ("example", "a", "b", "output of a", "output of b"), rows, notes, frozenset({1, 2}))


def _excerpt(text: str) -> str:
    line = numbers.line(text)
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1].rstrip() + "…"
