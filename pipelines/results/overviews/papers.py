"""The papers' scores for an overview: those comparable with its runs, and why the others are not."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from longdoc.errors import UserError
from pipelines.results.leaderboards.comparable import sort_rows
from pipelines.results.leaderboards.published import FILES, PublishedRow, published
from pipelines.results.overviews.system import PaperSystem, TaskScore
from pipelines.results.run_folders.run import Run

ROUGES = ("rouge1", "rouge2", "rougeL")
MEAN, SCORE = "geometric_mean", "score"
DERIVED = "geometric means of SCROLLS are those of its printed ROUGE-1, 2 and L"


@dataclass(frozen=True, slots=True)
class Papers:
    """The papers' scores, in fields of `Overview`."""

    published: Sequence[PaperSystem] = ()
    not_comparable: Sequence[PaperSystem] = ()
    reasons: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: Sequence[str] = ()


def papers(columns: Sequence[TaskScore], runs: Mapping[str, Sequence[Run]], benchmark: str = "") -> Papers:
    """The papers' scores of the columns, sorted by whether all runs of their task are comparable with them.

    `benchmark` names the one whose own score is wanted, too; it is comparable if the scores of all tasks are.
    """
    comparable: list[PublishedRow] = []
    not_comparable: list[PublishedRow] = []
    reasons: dict[str, dict[str, None]] = {}
    lacks_runs = False
    for task in dict.fromkeys(column.task for column in columns):
        rows = [row for row in _rows(task) if TaskScore(task, row.metric) in columns]
        sorted_rows = sort_rows(rows, runs.get(task, ()))
        if not runs.get(task):
            lacks_runs = lacks_runs or bool(rows)
            continue
        comparable += sorted_rows.comparable
        for reason, other_rows in sorted_rows.other.items():
            not_comparable += other_rows
            reasons.setdefault(reason, {})[task] = None
    means = [row for row in _rows(benchmark) if row.metric == SCORE] if benchmark in FILES else []
    tables = {row.table for row in not_comparable}
    for row in means if not lacks_runs else ():
        (not_comparable if row.table in tables else comparable).append(row)
    has_derived_means = any(
        row.metric == MEAN and row not in published(row.task).rows for row in (*comparable, *not_comparable)
    )
    return Papers(
        _systems(comparable, benchmark),
        _systems(not_comparable, benchmark),
        {reason: tuple(tasks) for reason, tasks in reasons.items()},
        (DERIVED,) if has_derived_means else (),
    )


def _rows(task: str) -> list[PublishedRow]:
    """The published rows of a task, and geometric means of printed ROUGE scores."""
    try:
        rows = list(published(task).rows)
    except UserError:
        return []
    return rows + list(_geometric_means(rows))


def _geometric_means(rows: Iterable[PublishedRow]) -> Iterable[PublishedRow]:
    groups: dict[tuple[object, ...], dict[str, PublishedRow]] = {}
    for row in rows:
        groups.setdefault((row.table, row.model, row.input_tokens, row.split), {})[row.metric] = row
    for group in groups.values():
        if all(name in group for name in ROUGES):
            product = group[ROUGES[0]].value * group[ROUGES[1]].value * group[ROUGES[2]].value
            yield replace(group[ROUGES[0]], metric=MEAN, value=round(product ** (1 / 3), 2))


def _systems(rows: Sequence[PublishedRow], benchmark: str) -> tuple[PaperSystem, ...]:
    """A system for each row of a paper's table, without repetitions of the same scores."""
    groups: dict[tuple[str, int | None, str], list[PublishedRow]] = {}
    for row in rows:
        groups.setdefault((row.model, row.input_tokens, f"{row.source}, {row.table}"), []).append(row)
    systems: dict[str, PaperSystem] = {}
    for (model, tokens, source), members in groups.items():
        scores: dict[str, dict[str, float]] = {}
        for row in members:
            if row.task != benchmark:
                scores.setdefault(row.task, {})[row.metric] = row.value
        mean = next((row.value for row in members if row.task == benchmark), None)
        system = PaperSystem(model, tokens, source, scores, mean)
        systems.setdefault(repr((model, tokens, sorted(scores.items()), mean)), system)
    return tuple(systems.values())
