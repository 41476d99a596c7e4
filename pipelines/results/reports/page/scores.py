"""The scores of a page: of one run, of several side by side, and their signatures."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from pipelines.display import numbers
from pipelines.display.interval_notes import few_units_footnote, missing_interval_notes
from pipelines.display.markup import Child, element
from pipelines.display.table import Score
from pipelines.results.comparisons import notes
from pipelines.results.comparisons.summary import ERROR, delta, score_entry
from pipelines.results.reports.content import Content, RunContent
from pipelines.results.reports.page.table import table
from pipelines.statistics.intervals import Interval


def scores(run: RunContent) -> Element:
    """One line per score: value, interval and signature."""
    heads = ["Score and what decides it", "Value", _level(run.scores.intervals) or "Interval"]
    rows = []
    for name, value in run.scores.items():
        interval = run.scores.intervals.get(name)
        reason = run.scores.no_interval.get(name)
        bounds = element("td", str(interval or numbers.MISSING), class_="number", title=reason)
        cells = [element("td", numbers.score(value), class_="number lead"), bounds]
        rules = element("small", *_rules(run.scores.signatures.get(name, "")), class_="signature")
        rows.append((element("th", name, rules, scope="row"), cells))
    return table("; ".join(["Scores, 0–100", *_remarks([run])]), heads, rows)


def side_by_side(content: Content) -> Element:
    """One line per run: settings, each score with its interval and its difference from the baseline, the expense."""
    names = content.score_names
    counts = [name for name in EXPENSE if _is_informative(name, content.finished)]
    ranked = {name: score_entry(content.runs, name) for name in names}
    rows = []
    for run in content.runs:
        first, *cells = _heads(run, content)
        if run.error is not None:
            message = f"failed: {numbers.shortened(numbers.line(run.error), ERROR)}"
            width = str(len(names) + len(counts))
            cells.append(element("td", element("div", message, dir="auto"), class_="error", colspan=width))
        else:
            cells += [_score(run, name, ranked[name](run)) for name in names]
            cells += [_count(run, name) for name in counts]
        rows.append((first, cells))
    return table(_caption(content), [*(content.axes or ["Run"]), *names, *counts], rows, sortable=True)


EXPENSE: Mapping[str, tuple[Callable[[RunContent], float | None], Callable[[float], str]]] = {
    "examples": (lambda run: run.counts.examples or None, numbers.count),
    "tokens shown": (lambda run: run.counts.tokens_shown or None, numbers.count),
    "words shown": (lambda run: run.counts.words_shown, numbers.count),
    "requests": (lambda run: run.counts.requests or None, numbers.count),
    "cost": (lambda run: run.counts.cost, numbers.money),
}  # columns after the scores, by heading: value and format


def _is_informative(name: str, runs: Sequence[RunContent]) -> bool:
    """Whether a column shows more than the overview: values differ between the runs, or are costs."""
    if name == "requests" and all(run.counts.requests == run.counts.examples for run in runs):
        return False
    values = [EXPENSE[name][0](run) for run in runs]
    return len(set(values)) > 1 or (name == "cost" and any(value is not None for value in values))


def signatures(content: Content) -> Element:
    """The signature of each score; where runs differ, with their names."""
    rows = []
    for name in content.score_names:
        labels: dict[str, list[str]] = {}
        for run in content.finished:
            if name in run.scores.signatures:
                labels.setdefault(run.scores.signatures[name], []).append(run.label)
        for signature, runs in labels.items():
            runs_text = "" if len(labels) == 1 else f" ({', '.join(runs)})"
            rows.append((name + runs_text, [element("td", element("code", *_rules(signature)), class_="signature")]))
    return table("What decides each number", ["Score", "Signature"], rows)


def _rules(signature: str) -> list[Child]:
    """A signature, which has few spaces, with places to break behind its bars."""
    first, *other_rules = signature.split("|")
    return [first, *(part for rule in other_rules for part in ("|", element("wbr"), rule))]


def _heads(run: RunContent, content: Content) -> list[Element]:
    """What names a row: a cell an axis, on a phone all in the first; without axes name and recipe."""
    mark = element("span", "baseline", class_="chip") if run.name == content.baseline else None
    if not content.axes:
        return [
            element("th", run.name, " " if mark is not None else None, mark, element("small", run.recipe), scope="row")
        ]
    first, *other_names = content.axes
    rest = numbers.settings({name: run.settings.get(name) for name in other_names})
    elements = [element("small", rest, class_="narrow") if rest else None, mark]
    made_elements = [_setting(run.settings.get(first), "axis", *elements)]
    return made_elements + [_setting(run.settings.get(name), "axis more") for name in other_names]


def _setting(value: Any, kind: str, *elements: Element | None) -> Element:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    shown_text = numbers.setting(value)
    sort = "" if value is None else shown_text
    return element(
        "th", shown_text, *elements, scope="row", data_value=sort, class_=f"{kind} number" if number else kind
    )


def _score(run: RunContent, name: str, score: Score | None) -> Element:
    if score is None:
        return element("td", numbers.MISSING, class_="number", title=run.scores.not_computed.get(name), data_value="")
    shown_element = element("strong" if score.rank == 1 else "span", numbers.score(score.value))
    bounds = str(run.scores.intervals[name]) if name in run.scores.intervals else None
    found_delta = delta(run, name)
    equal = None if run.same_as is None else numbers.line(f"{notes.SAME_MARK}{run.same_as}")
    difference = equal if found_delta is None else str(found_delta).replace("-", "−")
    small = [element("small", text) for text in (bounds, difference) if text]
    return element("td", shown_element, *small, class_="number", data_value=repr(score.value))


def _count(run: RunContent, name: str) -> Element:
    column, reads = EXPENSE[name]
    value = column(run)
    shown_text = numbers.MISSING if value is None else reads(value)
    return element("td", shown_text, class_="number", data_value="" if value is None else repr(value))


def _level(intervals: Mapping[str, Interval]) -> str:
    first = next(iter(intervals.values()), None)
    return "" if first is None else f"{100 * first.level:g}% interval"


def _caption(content: Content) -> str:
    """The caption, which explains the cells."""
    level = next((text for run in content.finished if (text := _level(run.scores.intervals))), "")
    parts = ["Scores, 0–100, the best bold"]
    parts += [f"with {level}"] if level else []
    if any(run.differences for run in content.finished):
        holm = any(d.p_holm is not None for run in content.finished for d in run.differences.values())
        parts.append(f"difference to {content.baseline} with p" + (" after Holm’s correction" if holm else ""))
    parts += notes.same_runs(run.same_as for run in content.finished)
    return "; ".join([*parts, *_remarks(content.finished)])


def _remarks(runs: Sequence[RunContent]) -> list[str]:
    """The notes on marked intervals, and on scores without one."""
    names = list(dict.fromkeys(name for run in runs for name in run.scores))
    marked = dict.fromkeys(
        few_units_footnote(interval.unit) for run in runs for interval in run.scores.intervals.values() if interval.few
    )
    return [*marked, *missing_interval_notes([run.scores.no_interval for run in runs], names)]
