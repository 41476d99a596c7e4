"""An overview as tables: a row for each system, or, for a single one and for many columns, a row for each score."""

from collections.abc import Sequence

from pipelines.display import interval_notes, numbers
from pipelines.display.table import Entry, Score, Table
from pipelines.results.overviews.overview import NOT_COMPARABLE, Column, Overview, PaperSystem, System, short_names

WIDE_LETTERS = 100  # letters in the heads of columns of scores beyond which each score is a row
BESIDE = 4  # published systems that have a column each where scores are rows


def tables(overview: Overview) -> list[Table]:
    """The tables of an overview, the notes below the last."""
    if not by_score(overview):
        return [_by_system(overview, overview.systems, overview.published, _notes(overview))]
    return [_by_score(overview, _notes(overview))]


def by_score(overview: Overview) -> bool:
    """Whether scores are rows: of a single system, with few published beside, and where there are many scores."""
    single = len(overview.systems) <= 1 and len(overview.published) <= BESIDE
    return single or is_wide(overview.columns)


def is_wide(columns: Sequence[Column]) -> bool:
    """Whether columns would be too wide for a page, each with its head."""
    return sum(map(len, heads(columns))) > WIDE_LETTERS


def folded_table(overview: Overview) -> Table | None:
    """The published scores that are not comparable; None where there are none."""
    if not overview.not_comparable:
        return None
    title = "published scores that are not comparable with these runs"
    if is_wide(overview.columns):
        return _papers_by_score(overview, overview.not_comparable, title)
    return _by_system(overview, (), overview.not_comparable, (), title)


def reasons(overview: Overview) -> list[str]:
    """Why published scores are not comparable, with their tasks."""
    short = short_names(overview.tasks)
    named_tasks = {reason: [short[task] for task in tasks] for reason, tasks in overview.reasons.items()}
    return [f"{reason}: {', '.join(_all_or_names(overview, tasks))}" for reason, tasks in named_tasks.items()]


def _all_or_names(overview: Overview, tasks: Sequence[str]) -> Sequence[str]:
    return ["all tasks"] if len(tasks) == len(overview.tasks) > 1 else tasks


def _by_system(
    overview: Overview,
    systems: Sequence[System],
    papers: Sequence[PaperSystem],
    below: Sequence[str],
    caption: str = "",
) -> Table:
    names = heads(overview.columns)
    best = {column: best_systems(column, systems) for column in overview.columns}
    rows: list[tuple[Entry, ...]] = [
        (
            numbers.line(system.name),
            *(_own_entry(system, column, best, False) for column in overview.columns),
            *_mean(overview, system),
        )
        for system in systems
    ]
    rows += [
        (
            numbers.line(paper.label),
            *(_number(paper.value(column)) for column in overview.columns),
            *_mean(overview, paper),
        )
        for paper in papers
    ]
    columns = ("system", *names, *([overview.mean] if overview.mean else []))
    return Table(_caption(overview, caption), columns, tuple(rows), tuple(below), frozenset(range(1, len(columns))))


def _by_score(overview: Overview, below: Sequence[str]) -> Table:
    """A row for each score: the examples, the systems with intervals, the papers."""
    best = {column: best_systems(column, overview.systems) for column in overview.columns}
    columns = [column for column in overview.columns if column.task not in overview.missing]
    rows: list[tuple[Entry, ...]] = [
        (
            *_named_rows(overview, columns, position),
            _examples(overview, columns, position),
            *(_own_entry(system, column, best, True) for system in overview.systems),
            *(_number(paper.value(column)) for paper in overview.published),
        )
        for position, column in enumerate(columns)
    ]
    if overview.mean:
        means = [system.mean for system in overview.systems] + [system.mean for system in overview.published]
        rows.append((overview.mean, "", "", *map(_number, means)))
    single = len(overview.systems) == 1
    names = ["score"] if single else [numbers.line(system.name) for system in overview.systems]
    columns_shown = ("task", "metric", "examples", *names, *(paper.label for paper in overview.published))
    caption = _caption(overview, overview.systems[0].name if single else "")
    numbers_in = frozenset(range(2, len(columns_shown)))
    return Table(caption, columns_shown, tuple(rows), tuple(below), numbers_in, frozenset({2}))


def _papers_by_score(overview: Overview, papers: Sequence[PaperSystem], caption: str) -> Table:
    columns = [column for column in overview.columns if any(paper.value(column) is not None for paper in papers)]
    rows = tuple(
        (*_named_rows(overview, columns, position), *(_number(paper.value(column)) for paper in papers))
        for position, column in enumerate(columns)
    )
    columns_shown = ("task", "metric", *(paper.label for paper in papers))
    return Table(_caption(overview, caption), columns_shown, rows, right=frozenset(range(2, len(columns_shown))))


def _named_rows(overview: Overview, columns: Sequence[Column], position: int) -> tuple[str, str]:
    """The task, where it is another than in the row above, and the metric."""
    above = columns[position - 1].task if position else ""
    column = columns[position]
    return short_names(overview.tasks)[column.task] if column.task != above else "", column.metric


def _examples(overview: Overview, columns: Sequence[Column], position: int) -> str:
    """How many examples a task has, in its first row; nothing where systems differ."""
    task = columns[position].task
    counts = {system.examples[task] for system in overview.systems if task in system.examples}
    return numbers.count(counts.pop()) if len(counts) == 1 and _named_rows(overview, columns, position)[0] else ""


def _caption(overview: Overview, more_text: str) -> str:
    return f"{overview.title}: {more_text}" if more_text else overview.title


def heads(columns: Sequence[Column]) -> list[str]:
    """Short names: the task without its benchmark, its metric where it has several columns."""
    several_names = [column.task for column in columns]
    short = short_names(several_names)
    return [
        f"{short[column.task]} {column.metric}" if several_names.count(column.task) > 1 else short[column.task]
        for column in columns
    ]


def _own_entry(system: System, column: Column, best: dict[Column, set[str]], bounds: bool) -> Entry:
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
    values = {system.name: round(value, 2) for system in systems if (value := system.value(column)) is not None}
    examples = {system.examples.get(column.task) for system in systems if system.name in values}
    if len(values) < 2 or len(examples) > 1 or len({*values.values()}) == 1:
        return set()
    return {name for name, value in values.items() if value == max(values.values())}


def _number(value: float | None) -> Entry:
    return numbers.score(value)


def _mean(overview: Overview, system: System | PaperSystem) -> list[Entry]:
    return [_number(system.mean)] if overview.mean else []


def _notes(overview: Overview) -> list[str]:
    """What the numbers are, what is missing, and which published scores are not comparable."""
    lines = []
    intervals = [
        one_interval
        for system in overview.systems
        for interval in system.intervals.values()
        for one_interval in interval.values()
    ]
    if by_score(overview):
        lines += interval_notes.method_notes(intervals)
    else:
        lines.append(f"scores: {metrics_of(overview)}")
    sources = dict.fromkeys(paper.source for paper in overview.published)
    lines += [f"published: {'; '.join(sources)}"] if sources else []
    lines += overview.notes
    lines += [f"{NOT_COMPARABLE}{line}" for line in reasons(overview)]
    return [numbers.line(line) for line in (*lines, *(f"warning: {warning}" for warning in overview.warnings))]


def metrics_of(overview: Overview) -> str:
    """The metrics with the tasks that they score."""
    groups: dict[str, list[str]] = {}
    for column in overview.columns:
        groups.setdefault(column.metric, []).append(column.task.rpartition("/")[2])
    return "; ".join(f"{metric} ({', '.join(names)})" for metric, names in groups.items())
