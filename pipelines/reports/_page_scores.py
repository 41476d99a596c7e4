"""The scores of a page: of one run, of several side by side, and what decides each number."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from pipelines.comparisons.records import Difference, Interval
from pipelines.reports._markup import element
from pipelines.reports._page_table import table
from pipelines.reports.content import Content, RunContent

DIGITS = 2  # behind the point, of every score


def scores(run: RunContent) -> Element:
    """A line a score: figure, interval, and what decides the number."""
    level = _level(run.intervals)
    heads = ["Score and what decides it", "Figure", *([level] if level else [])]
    rows = []
    for name, value in run.scores.items():
        interval = run.intervals.get(name)
        cells = [element("td", f"{value:.2f}", class_="number lead")]
        cells += [element("td", _interval(interval), class_="number")] if level else []
        rules = element("small", run.signatures.get(name, ""), class_="signature")
        rows.append((element("th", name, rules, scope="row"), cells))
    return table("Scores, 0–100", heads, rows)


def side_by_side(content: Content) -> Element:
    """A line a run: the axes' values, each figure with its interval and its difference to the baseline, the expense."""
    axes, figures = list(content.axes), content.figures
    counts = [name for name, column in EXPENSE.items() if _tells(name, [column(run) for run in content.finished])]
    heads = ["Run", *axes, *figures, *counts]
    best = {name: _best([run.scores[name] for run in content.finished if name in run.scores]) for name in figures}
    rows = []
    for run in content.runs:
        cells = [_setting(run.settings.get(axis)) for axis in axes]
        if run.error is not None:
            told = element("div", f"failed: {run.error}", dir="auto")
            cells.append(element("td", told, class_="error", colspan=str(len(figures) + len(counts))))
        else:
            cells += [_figure(run, name, best[name]) for name in figures]
            cells += [_count(EXPENSE[name](run)) for name in counts]
        rows.append((_name(run, content), cells))
    return table(_caption(content), heads, rows, sortable=True)


EXPENSE: Mapping[str, Callable[[RunContent], float | None]] = {
    "examples": lambda run: run.examples or None,
    "tokens shown": lambda run: run.tokens_shown or None,
    "requests": lambda run: run.requests or None,
    "cost": lambda run: run.cost,
}  # columns behind the figures, by heading


def _tells(name: str, values: Sequence[float | None]) -> bool:
    """Whether a column says more than the overview: not the same everywhere, or money."""
    return len(set(values)) > 1 or (name == "cost" and any(value is not None for value in values))


def _best(values: Sequence[float]) -> float | None:
    shown = {round(value, DIGITS) for value in values}
    return max(shown) if len(shown) > 1 else None


def signatures(content: Content) -> Element:
    """What decides each number; runs that differ in it are named."""
    rows = []
    for name in content.figures:
        told: dict[str, list[str]] = {}
        for run in content.finished:
            if name in run.signatures:
                told.setdefault(run.signatures[name], []).append(run.name)
        for signature, runs in told.items():
            who = "" if len(told) == 1 else f" ({', '.join(runs)})"
            rows.append((name + who, [element("td", element("code", signature), class_="signature")]))
    return table("What decides each number", ["Score", "Signature"], rows)


def _name(run: RunContent, content: Content) -> Element:
    mark = element("span", "baseline", class_="chip") if run.name == content.baseline else None
    recipe = None if content.axes else element("small", run.recipe)  # the axes' columns tell what differs
    return element("th", run.name, " " if mark is not None else None, mark, recipe, scope="row")


def _setting(value: Any) -> Element:
    sort = f"{value}" if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    return element("td", "–" if value is None else str(value), data_value=sort, class_="number" if sort else None)


def _figure(run: RunContent, name: str, best: float | None) -> Element:
    if name not in run.scores:
        reason = run.not_computed.get(name)
        return element("td", "–", class_="number", title=reason, data_value="")
    value = run.scores[name]
    shown = element("strong", f"{value:.2f}") if round(value, DIGITS) == best else element("span", f"{value:.2f}")
    more = [_interval(run.intervals.get(name)), _difference(run.differences.get(name))]
    small = [element("small", text) for text in more if text]
    return element("td", shown, *small, class_="number", data_value=repr(value))


def _count(value: float | None) -> Element:
    shown = "–" if value is None else f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:,.4g}"
    return element("td", shown, class_="number", data_value="" if value is None else repr(value))


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"


def _difference(difference: Difference | None) -> str:
    if difference is None:
        return ""
    p = difference.p if difference.p_holm is None else difference.p_holm
    small = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    value = round(difference.value, DIGITS)
    return f"{value:+.{DIGITS}f}, {small}".replace("-", "−") if value else f"±{0:.{DIGITS}f}, {small}"


def _level(intervals: Mapping[str, Interval]) -> str:
    first = next(iter(intervals.values()), None)
    return "" if first is None else f"{100 * first.level:g} % interval"


def _caption(content: Content) -> str:
    """What stands in a cell."""
    level = next((found for run in content.finished if (found := _level(run.intervals))), "")
    parts = ["Scores, 0–100, the best bold"]
    parts += [f"with {level}"] if level else []
    if any(run.differences for run in content.finished):
        holm = any(d.p_holm is not None for run in content.finished for d in run.differences.values())
        parts.append(f"difference to {content.baseline} with p" + (" after Holm’s correction" if holm else ""))
    return "; ".join(parts)
