"""The page's tables of published scores, with this report's own of the same metrics."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.results.leaderboards.comparable import sort_rows
from pipelines.results.leaderboards.published import PublishedRow, by_system, by_table
from pipelines.results.reports.content import Content, RunContent

MANY_LIMIT = 6  # runs that are all shown beside published scores


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A system: where its scores are from, its input limit, a score for each metric of the table."""

    system: str
    source: str
    input_tokens: int | None
    scores: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A paper's table; comparable scores of this report come first."""

    caption: str
    metrics: list[str]
    rows: Sequence[PaperRow]


@dataclass(frozen=True, slots=True)
class PaperScores:
    """The papers' tables, comparable with the runs or not, with the reasons and remarks."""

    comparable: Sequence[PaperTable]
    other: Sequence[PaperTable]
    reasons: Sequence[str]
    warning: str
    notes: Sequence[str]


def published(content: Content) -> PaperScores | None:
    """The published scores of the report's task; None if there are none."""
    if content.published is None or not content.published.rows:
        return None
    runs = [run.readable_run for run in content.finished if run.readable_run is not None]
    sorted_rows = sort_rows(content.published.rows, runs)
    other_rows = [row for rows in sorted_rows.other.values() for row in rows]
    return PaperScores(
        [_paper(caption, rows, _worth_showing(content)) for caption, rows in by_table(sorted_rows.comparable).items()],
        [_paper(caption, rows, ()) for caption, rows in by_table(other_rows).items()],
        list(sorted_rows.other),
        content.published.warning,
        [f"{table}: {note}" for table, note in content.published.notes.items()],
    )


def _paper(caption: str, rows: Sequence[PublishedRow], runs: Sequence[RunContent]) -> PaperTable:
    metrics = list(dict.fromkeys(row.metric for row in rows))
    own_rows = [
        PaperRow(run.label, "this report", None, list(map(run.scores.get, metrics)))
        for run in runs
        if set(metrics) & run.scores.keys()
    ]
    paper_rows = [
        PaperRow(model, "published", tokens, list(map(scores.get, metrics)))
        for (model, tokens), scores in by_system(rows).items()
    ]
    return PaperTable(caption, metrics, own_rows + paper_rows)


def _worth_showing(content: Content) -> Sequence[RunContent]:
    """All runs, or of many the baseline and the best by the primary metric."""
    runs = content.finished
    if len(runs) <= MANY_LIMIT:
        return runs
    best = max(runs, key=lambda run: run.scores.get(content.primary_metric, -1.0))
    return [run for run in runs if run is best or run.name == content.baseline]
