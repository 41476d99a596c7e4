"""The tables of the benchmarks' pages: recipes, files and counts, published scores, all as the code declares them."""

from collections.abc import Sequence

import markdown_text as md

from pipelines import tasks
from pipelines.benchmarks.scrolls.training import LENGTHS, RATES
from pipelines.results.leaderboards.published import PublishedRow, decimals, published
from pipelines.sources import _detect, zips
from pipelines.tasks import Task

SPLITS = ("train", "validation", "test")
MULD = ("narrativeqa", "hotpotqa", "style_change", "character_types", "opensubtitles", "vlsp")


def tables(benchmark: str, which: str) -> str:
    """One of a benchmark's tables: `recipes`, `prompts`, `data`, `layouts`, `baselines`, `rates`, or its `notes`."""
    makers = {
        "recipes": _recipes,
        "prompts": _prompts,
        "data": _data,
        "layouts": _layouts,
        "baselines": _baselines,
        "rates": _rates,
        "notes": _notes,
    }
    return makers[which](_tasks(benchmark))


def published_scores(name: str, *, notes: bool = True) -> str:
    """The papers' scores of a task or a benchmark: one table for each table of the papers."""
    results = published(name)
    parts = []
    for source, table in dict.fromkeys((row.source, row.table) for row in results.rows):
        rows = [row for row in results.rows if (row.source, row.table) == (source, table)]
        note = md.prose(results.notes[f"{source}, {table}"])
        parts += [f"**{source}, {table}.** {note}" if notes else f"{source}, {table}:", _score_table(rows, name)]
    return "\n\n".join(parts)


def published_scores_without_notes(name: str) -> str:
    """The same tables without the notes about them."""
    return published_scores(name, notes=False)


def all_tasks() -> str:
    """All tasks: what is asked, the split that is scored, the metrics."""
    rows = [
        [md.code(task.name), md.prose(task.summary), task.split, _metrics(task)]
        for task in (tasks.get(name) for name in tasks.names())
    ]
    return md.table(["task", "what is asked", "scored split", "metrics"], rows)


def _tasks(benchmark: str) -> list[Task]:
    declared = tasks.all_tasks()
    names = (
        MULD
        if benchmark == "muld"
        else [name for name in declared if name == benchmark or name.startswith(f"{benchmark}/")]
    )
    return [declared[name] for name in names]


def _short(task: Task) -> str:
    return md.code(task.name.rpartition("/")[2])


def _metrics(task: Task) -> str:
    return ", ".join(md.code(name) for name in task.metrics)


def _recipes(chosen: Sequence[Task]) -> str:
    rows = []
    for task in chosen:
        order = " order=document" if task.order == "document" else ""
        width = ", as many as fit" if task.k is None else f" k={task.k}"
        selected = md.code(task.retriever + ("" if task.retriever == "all" else f"{width}{order}"))
        length = str(task.max_new_tokens) if task.max_new_tokens > 1 else "–"
        recipe = [md.code(task.chunker), selected, md.code(task.strategy), md.code(task.model)]
        rows.append([_short(task), *recipe, length])
    head = ["task", "chunker", "retriever", "strategy", "reader", "output tokens"]
    return md.table(head, rows, right=[5])


def _rates(chosen: Sequence[Task]) -> str:
    columns = [(kind, length) for kind, lengths in LENGTHS.items() for length in lengths]
    rows = [[_short(task), *(f"{RATES[task.name, *column]:g}" for column in columns)] for task in chosen]
    head = ["task", *(f"{kind.upper()} {length:,}" for kind, length in columns)]
    return md.table(head, rows, right=range(1, len(head)))


def _data(chosen: Sequence[Task]) -> str:
    """One row per task: its files, with `*` for the split, and the examples of each split; the scored one is bold."""
    rows = []
    for task in chosen:
        files = dict.fromkeys(_pattern(name, split) for split, names in task.dataset.files.items() for name in names)
        counts = [_count(task, split) for split in SPLITS]
        rows.append([_short(task), ", ".join(md.code(name) for name in files), *counts])
    return md.table(["task", "file", *SPLITS], rows, right=range(2, 2 + len(SPLITS)))


def _pattern(name: str, split: str) -> str:
    archive, _, member = name.rpartition(zips.SEPARATOR)
    return (f"{archive} → " if archive else "") + member.replace(split, "*")


def _count(task: Task, split: str) -> str:
    if split not in task.dataset.files:
        return ""
    count = task.dataset.counts.get(split)
    text = f"{count:,}" if count else "?"
    return f"**{text}**" if split == task.split else text


def _layouts(chosen: Sequence[Task]) -> str:
    rows = []
    for task in chosen:
        accepts = [_detect.layout(name).ACCEPTS for name in (task.dataset.layout, *task.dataset.originals)]
        rows.append([_short(task), "; ".join(md.prose(one) for one in accepts)])
    return md.table(["task", "layouts read besides own rows and folders of texts"], rows)


def _baselines(chosen: Sequence[Task]) -> str:
    return md.table(["task", "baseline"], [[_short(task), md.code(task.floor)] for task in chosen])


def _prompts(chosen: Sequence[Task]) -> str:
    rows = []
    for task in chosen:
        template = task.prompt.replace("\n", "↵")
        prompt = f"<span>{md.code(template)}</span>"  # a cell of code alone is kept on one line (site.css)
        rows.append([_short(task), prompt, _metrics(task), md.prose(task.instruction.strip())])
    if not any(row[-1] for row in rows):
        return md.table(["task", "prompt", "metrics"], [row[:-1] for row in rows])
    return md.table(["task", "prompt", "metrics", "instruction"], rows)


def _notes(chosen: Sequence[Task]) -> str:
    """The notes of the declarations, once where all tasks have the same."""
    by_note: dict[str, list[str]] = {}
    for task in chosen:
        by_note.setdefault(task.notes, []).append(_short(task))
    if len(by_note) == 1:
        return md.prose(next(iter(by_note)))
    return "\n".join(f"- {', '.join(names)}: {md.prose(note)}" for note, names in by_note.items())


def _score_table(rows: Sequence[PublishedRow], name: str) -> str:
    """One row per model, one column per task and metric."""
    columns = list(dict.fromkeys((row.task, row.metric) for row in rows))
    alone = len({task for task, _ in columns}) == len(columns) > 1
    places = decimals(rows)
    lines: dict[tuple[str, int | None], dict[tuple[str, str], float]] = {}
    for row in rows:
        lines.setdefault((row.model, row.input_tokens), {})[row.task, row.metric] = row.value
    head = ["model", "input tokens", *(_column(task, metric, name, alone) for task, metric in columns)]
    body = [
        [model, f"{tokens:,}" if tokens else "", *(_score(scores.get(column), places) for column in columns)]
        for (model, tokens), scores in lines.items()
    ]
    return md.table(head, body, right=range(1, len(head)))


def _column(task: str, metric: str, name: str, alone: bool) -> str:
    """The heading of a column: task, metric, or both where a benchmark's tasks have several metrics."""
    short = "mean" if metric == "score" else task.rpartition("/")[2]
    if task == name and metric != "score":
        return metric
    return short if alone or short == "mean" else f"{short}<br>{metric}"


def _score(value: float | None, places: int) -> str:
    return "" if value is None else f"{value:.{places}f}"
