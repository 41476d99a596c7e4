"""The tables of the benchmarks' pages: recipes, files and counts, published figures, all as the code declares them."""

from collections.abc import Sequence

import markdown_text as words

from pipelines import tasks
from pipelines.results.leaderboards.published import PublishedRow, published
from pipelines.sources import _detect, _zip
from pipelines.tasks import Task
from pipelines.training._scrolls_rates import LENGTHS, RATES

SPLITS = ("train", "validation", "test")
MULD = ("narrativeqa", "hotpotqa", "style_change", "character_types", "opensubtitles", "vlsp")


def tables(benchmark: str, which: str) -> str:
    """One of a benchmark's tables: `recipes`, `prompts`, `data`, `layouts`, `floors`, `rates`, or its `notes`."""
    makers = {
        "recipes": _recipes,
        "prompts": _prompts,
        "data": _data,
        "layouts": _layouts,
        "floors": _floors,
        "rates": _rates,
        "notes": _notes,
    }
    return makers[which](_of(benchmark))


def figures(name: str, *, notes: bool = True) -> str:
    """What the papers print for a task or a benchmark, a table for each of the papers' tables."""
    found = published(name)
    parts = []
    for source, table in dict.fromkeys((row.source, row.table) for row in found.rows):
        rows = [row for row in found.rows if (row.source, row.table) == (source, table)]
        told = words.prose(found.notes[f"{source}, {table}"])
        parts += [f"**{source}, {table}.** {told}" if notes else f"{source}, {table}:", _figures(rows, name)]
    return "\n\n".join(parts)


def figures_alone(name: str) -> str:
    """The same without the papers' notes."""
    return figures(name, notes=False)


def every_task() -> str:
    """All tasks with what they ask and how they are scored."""
    rows = [
        [words.code(task.name), words.prose(task.summary), task.split, _metrics(task)]
        for task in (tasks.get(name) for name in tasks.names())
    ]
    return words.table(["task", "what is asked", "scored split", "metrics"], rows)


def _of(benchmark: str) -> list[Task]:
    known = tasks.all_tasks()
    names = MULD if benchmark == "muld" else [name for name in known if name.startswith(f"{benchmark}/")]
    return [known[name] for name in names]


def _short(task: Task) -> str:
    return words.code(task.name.rpartition("/")[2])


def _metrics(task: Task) -> str:
    return ", ".join(words.code(name) for name in task.metrics)


def _recipes(chosen: Sequence[Task]) -> str:
    rows = []
    for task in chosen:
        order = " order=document" if task.order == "document" else ""
        selected = words.code(task.retriever if task.retriever == "all" else f"{task.retriever} k={task.k}{order}")
        length = str(task.max_new_tokens) if task.max_new_tokens > 1 else "–"
        recipe = [words.code(task.chunker), selected, words.code(task.strategy), words.code(task.model)]
        rows.append([_short(task), *recipe, length])
    head = ["task", "chunker", "retriever", "strategy", "reader", "output"]
    return words.table(head, rows, right=[5])


def _rates(chosen: Sequence[Task]) -> str:
    columns = [(kind, length) for kind, lengths in LENGTHS.items() for length in lengths]
    rows = [[_short(task), *(f"{RATES[task.name, *column]:g}" for column in columns)] for task in chosen]
    head = ["task", *(f"{kind.upper()} {length:,}" for kind, length in columns)]
    return words.table(head, rows, right=range(1, len(head)))


def _data(chosen: Sequence[Task]) -> str:
    """A row a task: its files, `*` standing for the split, and the examples of each; bold is what is scored."""
    rows = []
    for task in chosen:
        files = dict.fromkeys(_pattern(name, split) for split, names in task.dataset.files.items() for name in names)
        counts = [_count(task, split) for split in SPLITS]
        rows.append([_short(task), ", ".join(words.code(name) for name in files), *counts])
    return words.table(["task", "file", *SPLITS], rows, right=range(2, 2 + len(SPLITS)))


def _pattern(name: str, split: str) -> str:
    archive, _, member = name.rpartition(_zip.SEPARATOR)
    return (f"{archive} → " if archive else "") + member.replace(split, "*")


def _count(task: Task, split: str) -> str:
    if split not in task.dataset.files:
        return ""
    count = task.dataset.counts.get(split)
    shown = f"{count:,}" if count else "?"
    return f"**{shown}**" if split == task.split else shown


def _layouts(chosen: Sequence[Task]) -> str:
    rows = []
    for task in chosen:
        accepts = [_detect.layout(name).ACCEPTS for name in (task.dataset.layout, *task.dataset.originals)]
        rows.append([_short(task), "; ".join(words.prose(one) for one in accepts)])
    return words.table(["task", "read besides own rows and folders of texts"], rows)


def _floors(chosen: Sequence[Task]) -> str:
    return words.table(["task", "floor"], [[_short(task), words.code(task.floor)] for task in chosen])


def _prompts(chosen: Sequence[Task]) -> str:
    rows = []
    for task in chosen:
        template = task.prompt.replace("\n", "↵")
        rows.append([_short(task), words.code(template), _metrics(task), words.prose(task.instruction.strip())])
    if not any(row[-1] for row in rows):
        return words.table(["task", "prompt", "metrics"], [row[:-1] for row in rows])
    return words.table(["task", "prompt", "metrics", "instruction"], rows)


def _notes(chosen: Sequence[Task]) -> str:
    """The declarations' own remarks; what all tasks share is said once."""
    told = dict.fromkeys(task.notes for task in chosen)
    if len(told) == 1:
        return words.prose(next(iter(told)))
    return "\n".join(f"- {_short(task)}: {words.prose(task.notes)}" for task in chosen)


def _figures(rows: Sequence[PublishedRow], name: str) -> str:
    """A line for each model, a column for each task and metric; for one task, the split where the rows differ in it."""
    columns = list(dict.fromkeys((row.task, row.metric) for row in rows))
    alone = len({task for task, _ in columns}) == len(columns) > 1
    decimals = max(len(f"{row.value:g}".partition(".")[2]) for row in rows)
    lines: dict[tuple[str, int | None], dict[tuple[str, str], float]] = {}
    for row in rows:
        lines.setdefault((row.model, row.input_tokens), {})[row.task, row.metric] = row.value
    head = ["model", "input tokens", *(_column(task, metric, name, alone) for task, metric in columns)]
    body = [
        [model, f"{tokens:,}" if tokens else "", *(_figure(found.get(column), decimals) for column in columns)]
        for (model, tokens), found in lines.items()
    ]
    return words.table(head, body, right=range(1, len(head)))


def _column(task: str, metric: str, name: str, alone: bool) -> str:
    """The head of a column: task, metric, or both where a benchmark's tasks have several metrics."""
    short = "mean" if metric == "score" else task.rpartition("/")[2]
    if task == name and metric != "score":
        return metric
    return short if alone or short == "mean" else f"{short}<br>{metric}"


def _figure(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:.{decimals}f}"
