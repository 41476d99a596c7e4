"""The papers' figures for an overview: those that are comparable with its runs, and why the others are not."""

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
    """See `Overview`, whose fields these are."""

    published: Sequence[PaperSystem] = ()
    not_comparable: Sequence[PaperSystem] = ()
    reasons: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: Sequence[str] = ()


def papers(columns: Sequence[TaskScore], runs: Mapping[str, Sequence[Run]], benchmark: str = "") -> Papers:
    """The papers' scores of the columns, by whether all runs of their task are comparable with them.

    `benchmark` names the one whose own score is wanted too: comparable where those of all tasks are.
    """
    beside: list[PublishedRow] = []
    published_rows: list[PublishedRow] = []
    reasons: dict[str, dict[str, None]] = {}
    is_lacking = False
    for task in dict.fromkeys(column.task for column in columns):
        rows = [row for row in _rows(task) if TaskScore(task, row.metric) in columns]
        found_sorted = sort_rows(rows, runs.get(task, ()))
        if not runs.get(task):
            is_lacking = is_lacking or bool(rows)
            continue
        beside += found_sorted.comparable
        for reason, other_published_rows in found_sorted.other.items():
            published_rows += other_published_rows
            reasons.setdefault(reason, {})[task] = None
    means = [row for row in _rows(benchmark) if row.metric == SCORE] if benchmark in FILES else []
    tables = {row.table for row in published_rows}
    for row in means if not is_lacking else ():
        (published_rows if row.table in tables else beside).append(row)
    derived = any(row.metric == MEAN and row.task.startswith("scrolls/") for row in (*beside, *published_rows))
    return Papers(
        _systems(beside, benchmark),
        _systems(published_rows, benchmark),
        {reason: tuple(values) for reason, values in reasons.items()},
        (DERIVED,) if derived else (),
    )


def _rows(task: str) -> list[PublishedRow]:
    """The published rows of a task, with geometric means where only their ROUGE scores are printed."""
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
    """A system for each row of a paper's table; one that is printed twice with the same scores comes once."""
    groups: dict[tuple[str, int | None, str], list[PublishedRow]] = {}
    for row in rows:
        groups.setdefault((row.model, row.input_tokens, f"{row.source}, {row.table}"), []).append(row)
    paper_systems: dict[str, PaperSystem] = {}
    for (model, tokens, source), members in groups.items():
        scores: dict[str, dict[str, float]] = {}
        for row in members:
            if row.task != benchmark:
                scores.setdefault(row.task, {})[row.metric] = row.value
        mean = next((row.value for row in members if row.task == benchmark), None)
        system = PaperSystem(model, tokens, source, scores, mean)
        paper_systems.setdefault(repr((model, tokens, sorted(scores.items()), mean)), system)
    return tuple(paper_systems.values())
