"""An overview as tables: a row for each system, or, for a single one and for many columns, a row for each score."""

from collections.abc import Sequence

from pipelines.display import interval_notes, numbers
from pipelines.display.table import Entry, Score, Table
from pipelines.results.overviews.overview import NOT_COMPARABLE, Column, Overview, PaperSystem, System, short_names

WIDE = 100  # letters in the heads of columns of scores beyond which each score is a row
BESIDE = 4  # published systems that have a column each where scores are rows


def tables(found: Overview) -> list[Table]:
    """The tables of an overview, the notes below the last."""
    if not by_score(found):
        return [_by_system(found, found.systems, found.published, _notes(found))]
    return [_by_score(found, _notes(found))]


def by_score(found: Overview) -> bool:
    """Whether scores are rows: of a single system, with few published beside, and where there are many scores."""
    single = len(found.systems) <= 1 and len(found.published) <= BESIDE
    return single or is_wide(found.columns)


def is_wide(columns: Sequence[Column]) -> bool:
    """Whether columns would be too wide for a page, each with its head."""
    return sum(map(len, heads(columns))) > WIDE


def folded(found: Overview) -> Table | None:
    """The published scores that are not comparable; None where there are none."""
    if not found.not_comparable:
        return None
    title = "published scores that are not comparable with these runs"
    if is_wide(found.columns):
        return _papers_by_score(found, found.not_comparable, title)
    return _by_system(found, (), found.not_comparable, (), title)


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
    best = {column: best_systems(column, systems) for column in found.columns}
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


def _by_score(found: Overview, below: Sequence[str]) -> Table:
    """A row for each score: the examples, the systems with intervals, the papers."""
    best = {column: best_systems(column, found.systems) for column in found.columns}
    columns = [one for one in found.columns if one.task not in found.missing]
    rows: list[tuple[Entry, ...]] = [
        (
            *_named(found, columns, at),
            _examples(found, columns, at),
            *(_own(one, column, best, True) for one in found.systems),
            *(_number(one.value(column)) for one in found.published),
        )
        for at, column in enumerate(columns)
    ]
    if found.mean:
        means = [one.mean for one in found.systems] + [one.mean for one in found.published]
        rows.append((found.mean, "", "", *map(_number, means)))
    single = len(found.systems) == 1
    names = ["score"] if single else [numbers.line(one.name) for one in found.systems]
    columns_shown = ("task", "metric", "examples", *names, *(one.label for one in found.published))
    caption = _caption(found, found.systems[0].name if single else "")
    numbers_in = frozenset(range(2, len(columns_shown)))
    return Table(caption, columns_shown, tuple(rows), tuple(below), numbers_in, frozenset({2}))


def _papers_by_score(found: Overview, papers: Sequence[PaperSystem], caption: str) -> Table:
    columns = [one for one in found.columns if any(paper.value(one) is not None for paper in papers)]
    rows = tuple(
        (*_named(found, columns, at), *(_number(one.value(column)) for one in papers))
        for at, column in enumerate(columns)
    )
    columns_shown = ("task", "metric", *(one.label for one in papers))
    return Table(_caption(found, caption), columns_shown, rows, right=frozenset(range(2, len(columns_shown))))


def _named(found: Overview, columns: Sequence[Column], at: int) -> tuple[str, str]:
    """The task, where it is another than in the row above, and the metric."""
    above = columns[at - 1].task if at else ""
    column = columns[at]
    return short_names(found.tasks)[column.task] if column.task != above else "", column.metric


def _examples(found: Overview, columns: Sequence[Column], at: int) -> str:
    """How many examples a task has, in its first row; nothing where systems differ."""
    task = columns[at].task
    counts = {one.examples[task] for one in found.systems if task in one.examples}
    return numbers.count(counts.pop()) if len(counts) == 1 and _named(found, columns, at)[0] else ""


def _caption(found: Overview, more: str) -> str:
    return f"{found.title}: {more}" if more else found.title


def heads(columns: Sequence[Column]) -> list[str]:
    """Short names: the task without its benchmark, its metric where it has several columns."""
    several = [column.task for column in columns]
    short = short_names(several)
    return [f"{short[one.task]} {one.metric}" if several.count(one.task) > 1 else short[one.task] for one in columns]


def _own(system: System, column: Column, best: dict[Column, set[str]], bounds: bool) -> Entry:
    value = system.value(column)
    if value is None:
        return numbers.MISSING
    rank = int(system.name in best[column])
    interval = system.intervals.get(column.task, {}).get(column.metric) if bounds else None
    if interval is None:
        return Score(value, rank=rank)
    return Score(value, interval.low, interval.high, rank, interval.few)


def best_systems(column: Column, systems: Sequence[System]) -> set[str]:
    """The systems with the best score of a column as printed; none of fewer than two, nor of other examples."""
    having = {one.name: round(value, 2) for one in systems if (value := one.value(column)) is not None}
    examples = {one.examples.get(column.task) for one in systems if one.name in having}
    if len(having) < 2 or len(examples) > 1 or len({*having.values()}) == 1:
        return set()
    return {name for name, value in having.items() if value == max(having.values())}


def _number(value: float | None) -> Entry:
    return numbers.score(value)


def _mean(found: Overview, system: System | PaperSystem) -> list[Entry]:
    return [_number(system.mean)] if found.mean else []


def _notes(found: Overview) -> list[str]:
    """What the numbers are, what is missing, and which published scores are not comparable."""
    lines = []
    shown = [one for system in found.systems for of in system.intervals.values() for one in of.values()]
    if by_score(found):
        lines += interval_notes.method_notes(shown)
    else:
        lines.append(f"scores: {metrics_of(found)}")
    sources = dict.fromkeys(one.source for one in found.published)
    lines += [f"published: {'; '.join(sources)}"] if sources else []
    lines += found.notes
    lines += [f"{NOT_COMPARABLE}{line}" for line in reasons(found)]
    return [numbers.line(line) for line in (*lines, *(f"warning: {warning}" for warning in found.warnings))]


def metrics_of(found: Overview) -> str:
    """The metrics with the tasks that they score."""
    groups: dict[str, list[str]] = {}
    for column in found.columns:
        groups.setdefault(column.metric, []).append(column.task.rpartition("/")[2])
    return "; ".join(f"{metric} ({', '.join(names)})" for metric, names in groups.items())
