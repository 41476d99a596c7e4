"""An overview as tables: a row for each system, or, for a single one and for many columns, a row for each score."""

from collections.abc import Sequence

from pipelines.results import intervals
from pipelines.results.display import numbers
from pipelines.results.display.table import Entry, Score, Table
from pipelines.results.overviews.records import Column, Overview, PaperSystem, System

WIDE = 11  # columns of scores beyond which each score is a row
BESIDE = 4  # published systems that have a column each where scores are rows


def tables(found: Overview) -> list[Table]:
    """The tables of an overview, the notes below the last."""
    if len(found.systems) > 1 and len(found.columns) <= WIDE:
        return [_by_system(found, found.systems, found.published, _notes(found))]
    beside = found.published if len(found.published) <= BESIDE else ()
    if len(beside) == len(found.published):
        return [_by_score(found, beside, _notes(found))]
    papers = _by_system(found, (), found.published, _notes(found), "published scores")
    return [_by_score(found, (), ()), papers]


def folded(found: Overview) -> Table | None:
    """The published scores that are not comparable; None where there are none."""
    if not found.not_comparable:
        return None
    return _by_system(found, (), found.not_comparable, (), "published scores that are not comparable with these runs")


def reasons(found: Overview) -> list[str]:
    """Why published scores are not comparable, with their tasks."""
    short = short_names(found.tasks)
    named = {reason: [short[task] for task in of] for reason, of in found.reasons.items()}
    return [f"{reason}: {', '.join(_all_or(found, tasks))}" for reason, tasks in named.items()]


def _all_or(found: Overview, tasks: Sequence[str]) -> Sequence[str]:
    return ["all tasks"] if len(tasks) == len(found.tasks) > 1 else tasks


def _by_system(
    found: Overview,
    systems: Sequence[System],
    papers: Sequence[PaperSystem],
    below: Sequence[str],
    caption: str = "",
) -> Table:
    names = heads(found.columns)
    best = {column: _best(column, systems) for column in found.columns}
    rows: list[tuple[Entry, ...]] = [
        (numbers.line(one.name), *(_own(one, column, best, False) for column in found.columns), *_mean(found, one))
        for one in systems
    ]
    rows += [
        (numbers.line(one.label), *(_number(one.value(column)) for column in found.columns), *_mean(found, one))
        for one in papers
    ]
    columns = ("system", *names, *([found.mean] if found.mean else []))
    return Table(_caption(found, caption), columns, tuple(rows), tuple(below), frozenset(range(1, len(columns))))


def _by_score(found: Overview, papers: Sequence[PaperSystem], below: Sequence[str]) -> Table:
    best = {column: _best(column, found.systems) for column in found.columns}
    rows: list[tuple[Entry, ...]] = []
    task, short = "", short_names(found.tasks)
    for column in [one for one in found.columns if one.task not in found.missing]:
        examples = [str(one.examples[column.task]) for one in found.systems if column.task in one.examples]
        counts = numbers.count(int(examples[0])) if len(set(examples)) == 1 else "" if examples else numbers.MISSING
        named = short[column.task] if column.task != task else ""
        own = [_own(one, column, best, True) for one in found.systems]
        theirs = [_number(one.value(column)) for one in papers]
        rows.append((named, column.metric, counts if named else "", *own, *theirs))
        task = column.task
    if found.mean:
        rows.append((found.mean, "", "", *(_number(one.mean) for one in found.systems), *_means(papers)))
    names = ["score"] if len(found.systems) == 1 else [numbers.line(one.name) for one in found.systems]
    columns = ("task", "metric", "examples", *names, *(one.label for one in papers))
    caption = f"{found.systems[0].name}" if len(found.systems) == 1 else ""
    return Table(_caption(found, caption), columns, tuple(rows), tuple(below), frozenset(range(2, len(columns))))


def _caption(found: Overview, more: str) -> str:
    return f"{found.title}: {more}" if more else found.title


def heads(columns: Sequence[Column]) -> list[str]:
    """Short names: the task without its benchmark, its metric where it has several columns."""
    several = [column.task for column in columns]
    short = short_names(several)
    return [f"{short[one.task]} {one.metric}" if several.count(one.task) > 1 else short[one.task] for one in columns]


def short_names(tasks: Sequence[str]) -> dict[str, str]:
    """The tasks without their benchmarks, where that tells them apart."""
    bare = {task: task.rpartition("/")[2] for task in tasks}
    return bare if len({*bare.values()}) == len(bare) else {task: task for task in tasks}


def _own(system: System, column: Column, best: dict[Column, str], bounds: bool) -> Entry:
    value = system.value(column)
    if value is None:
        return numbers.MISSING
    rank = int(best[column] == system.name)
    interval = system.intervals.get(column.task, {}).get(column.metric) if bounds else None
    if interval is None:
        return Score(value, rank=rank)
    return Score(value, interval.low, interval.high, rank, interval.few)


def _best(column: Column, systems: Sequence[System]) -> str:
    """The system with the best score of a column; empty for fewer than two, and where they are of other examples."""
    having = [one for one in systems if one.value(column) is not None]
    if len(having) < 2 or len({one.examples.get(column.task) for one in having}) > 1:
        return ""
    return max(having, key=lambda one: one.value(column) or 0.0).name


def _number(value: float | None) -> Entry:
    return numbers.score(value)


def _means(papers: Sequence[PaperSystem]) -> list[Entry]:
    return [_number(one.mean) for one in papers]


def _mean(found: Overview, system: System | PaperSystem) -> list[Entry]:
    return [_number(system.mean)] if found.mean else []


def _notes(found: Overview) -> list[str]:
    """What the numbers are, what is missing, and which published scores are not comparable."""
    lines = []
    shown = [one for system in found.systems for of in system.intervals.values() for one in of.values()]
    if shown and (len(found.systems) == 1 or len(found.columns) > WIDE):
        lines += intervals.how_made(shown)
    elif found.systems:
        metrics = dict.fromkeys(column.metric for column in found.columns)
        lines.append(f"scores: {_metrics(found)}" if len(metrics) > 1 else f"scores: {next(iter(metrics))}")
    sources = dict.fromkeys(one.source for one in found.published)
    lines += [f"published: {'; '.join(sources)}"] if sources else []
    lines += found.notes
    lines += [f"published, not comparable: {line}" for line in reasons(found)]
    return [numbers.line(line) for line in (*lines, *(f"warning: {warning}" for warning in found.warnings))]


def _metrics(found: Overview) -> str:
    """The metrics with the tasks that they score."""
    groups: dict[str, list[str]] = {}
    for column in found.columns:
        groups.setdefault(column.metric, []).append(column.task.rpartition("/")[2])
    return "; ".join(f"{metric} ({', '.join(names)})" for metric, names in groups.items())
