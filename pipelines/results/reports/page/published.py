"""The papers' published scores, beside this report's own of the same metrics."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from pipelines.display import numbers
from pipelines.display.markup import element
from pipelines.results.leaderboards.comparable import sort_rows
from pipelines.results.leaderboards.published import PublishedRow
from pipelines.results.reports.content import Content, RunContent
from pipelines.results.reports.page.table import table

MANY_LIMIT = 6  # runs that are all shown beside published scores


def published(content: Content) -> list[Element]:
    """A table for each of the papers' tables, with this report's own scores of the same metrics first.

    What is not comparable with the runs is folded, with the reasons, and without their scores beside.
    """
    runs = [run.readable_run for run in content.finished if run.readable_run is not None]
    found_sorted = sort_rows(content.published.rows if content.published else (), runs)
    published_rows = [row for rows in found_sorted.other.values() for row in rows]
    beside = [_paper(content, caption, rows, True) for caption, rows in _tables(found_sorted.comparable)]
    return [*beside, *([_folded_element(content, list(found_sorted.other), published_rows)] if published_rows else [])]


def _folded_element(content: Content, reasons: Sequence[str], rows: Sequence[PublishedRow]) -> Element:
    why_element = element("ul", *(element("li", reason) for reason in reasons))
    papers = [_paper(content, caption, published_rows, False) for caption, published_rows in _tables(rows)]
    several_text = "these runs" if len(content.runs) > 1 else "this run"
    title = f"Not comparable with {several_text}"
    if len(reasons) == 1:
        return element("details", element("summary", f"{title}: {reasons[0]}"), *papers)
    return element("details", element("summary", title), why_element, *papers)


def _tables(rows: Sequence[PublishedRow]) -> list[tuple[str, list[PublishedRow]]]:
    """The rows of each of the papers' tables, under its caption."""
    groups: dict[str, list[PublishedRow]] = {}
    for row in rows:
        caption = f"{row.source}, {row.table} ({row.split or 'split not stated'})"
        groups.setdefault(caption, []).append(row)
    return list(groups.items())


def _paper(content: Content, caption: str, rows: Sequence[PublishedRow], beside: bool) -> Element:
    metrics = list(dict.fromkeys(row.metric for row in rows))
    lines: dict[tuple[str, int | None], dict[str, float]] = {}
    for row in rows:
        lines.setdefault((row.model, row.input_tokens), {})[row.metric] = row.value
    run_scores = _worth_showing(content) if beside else ()
    own_rows = [(run.label, None, run.scores) for run in run_scores if set(metrics) & run.scores.keys()]
    published_rows = [(model, tokens, values) for (model, tokens), values in lines.items()]
    table_rows = []
    for group, source in ((own_rows, "this report"), (published_rows, "published")):
        for name, tokens, values in group:
            cells = [
                element("td", source),
                element("td", "" if tokens is None else numbers.count(tokens), class_="number"),
            ]
            cells += [element("td", numbers.score(values.get(m)), class_="number") for m in metrics]
            table_rows.append((name, cells))
    return table(caption, ["System", "From", "Input tokens", *metrics], table_rows)


def _worth_showing(content: Content) -> Sequence[RunContent]:
    """All runs; of many, the baseline and the best by the primary metric."""
    runs = content.finished
    if len(runs) <= MANY_LIMIT:
        return runs
    best = max(runs, key=lambda run: run.scores.get(content.primary_metric, -1.0))
    return [run for run in runs if run is best or run.name == content.baseline]
