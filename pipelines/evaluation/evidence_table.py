"""How much gold evidence chunkers and retrievers let through at equal budgets, over several tasks; nothing is read.

A cell is what `run(model="none", select=…)` does, with the same numbers. Here a document is split once for each
chunker and indexed once for each retriever, whatever the number of budgets, and no run folders are written.
"""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Unpack

import retrievers
from chunkers.shared.words import count_words
from longdoc.errors import UserError
from longdoc.folders import output_folder
from longdoc.plurals import counted
from longdoc.registry import describe
from longdoc.typed_form import typed_form
from models.refusals import is_refusal_label
from pipelines import tasks
from pipelines.display import terminal
from pipelines.engine import engines
from pipelines.engine.engines import Engine
from pipelines.engine.planning.argument_types import (
    ChunkerSpec,
    DataSpec,
    EngineSpec,
    RetrieverSpec,
    Select,
    TaskSpec,
)
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.reader import NO_READER
from pipelines.engine.planning.run_arguments import FillArgument
from pipelines.engine.planning.selection_plan import BEST
from pipelines.engine.planning.signatures import takes_arguments
from pipelines.engine.planning.spec import digest, spec_of
from pipelines.engine.planning.task_data import data_of
from pipelines.evaluation import _evidence_files as files
from pipelines.metrics import EVIDENCE_NAMES
from pipelines.metrics.shared.gold_spans import common, joined, merged
from pipelines.records import Example, Span
from pipelines.results.evidence_tables.evidence_row import TENTHS, EvidenceRow
from pipelines.results.evidence_tables.evidence_table import EvidenceTable
from pipelines.results.scores import Scores
from pipelines.statistics.bootstrap import intervals

CHUNKERS = ("tokens:size=100", "units:of=sentence", "units:of=paragraph")
RETRIEVERS = ("tfidf", "bm25", BEST, "oracle:of=evidence")
BUDGETS = (100, 300, 1000)
ANSWERS = "answer_recall"


@dataclass(slots=True)
class _Cell:
    """A plan, and what was measured of each example with it."""

    plan: Plan
    chunker: str
    retriever: str
    select: str
    own_chunker: bool
    key: str
    measured: list[dict[str, Any]] = field(default_factory=list)


@takes_arguments(FillArgument)
def evidence(
    task: TaskSpec | Sequence[TaskSpec],
    *,
    data: DataSpec | Mapping[str, DataSpec] | None = None,
    split: str | None = None,
    limit: int | None = None,
    sample: int | None = None,
    chunker: ChunkerSpec | Sequence[ChunkerSpec] | None = None,
    retriever: RetrieverSpec | Sequence[RetrieverSpec] | None = None,
    select: Select | Sequence[Select] | None = None,
    k: int | Sequence[int] | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    engine: EngineSpec = "local",
    **arguments: Unpack[FillArgument],
) -> EvidenceTable:
    """Measure how much gold evidence is selected, for every chunker, retriever, budget and task; no reader is needed.

    - `task`, `chunker`, `retriever`, `select` (words, or "300 tokens"): one or a list. By default the chunkers are
      100-word chunks, sentences and paragraphs, the retrievers "tfidf", "bm25", "best" and the ceiling of each chunker
      ("oracle:of=evidence"), the budgets 100, 300 and 1,000 words. A retriever that brings its own chunker ("best") is
      measured with that alone where no chunker is given.
    - `k`: instead of `select`, how many passages are selected: one number or a list.
    - `data`: as for `run`; for several tasks a mapping from their names, or a folder with the files of all.
    - `split`, `limit`, `sample`, `fill`, `seed`: as for `run`, for each task.
    - `out`: a folder for `evidence.json`, `.csv`, `.md` and plots. What it holds already is not measured again.
    - `engine`: where documents are split and ranked, as for `run`; it changes no number.

    Scores are `evidence_recall`, `full_evidence`, `evidence_precision` and `evidence_iou`, over the examples with
    evidence, with intervals by document; and, over those without it, `answer_recall` where the task declares it. Raises
    `UserError`.
    """
    start_time = time.monotonic()
    if k is not None and select is not None:
        raise UserError("k and select cannot be given together: choose one")
    driver = engines.get(engine)
    folder = None if out is None else files.opened(output_folder(out))
    chosen_tasks = tasks.task_list(_several_values(task, "task"))
    for one_task in chosen_tasks:
        if not one_task.dataset.has_query:
            raise UserError(
                f"{one_task.name} asks no question, so it has no evidence to find; {tasks.tasks_with_evidence()}"
            )
    values: dict[str, Any] = {"split": split, "limit": limit, "sample": sample, "seed": seed, **arguments}
    axes = (
        None if chunker is None else _several_values(chunker, "chunker"),
        _several_values(RETRIEVERS if retriever is None else retriever, "retriever"),
        [{"k": value} for value in _several_values(k, "k")]
        if k is not None
        else [{"select": value} for value in _several_values(BUDGETS if select is None else select, "select")],
    )
    groups = [_cells(task, *axes, data=data_of(task, chosen_tasks, data, split), **values) for task in chosen_tasks]
    with driver:
        for cells in groups:
            _measure_new(cells, folder, driver)
    rows = [_row(cell) for cells in groups for cell in cells]
    for row, cell in zip(rows, chain.from_iterable(groups), strict=True):
        if not row.scores:
            hint = _unanswerable_text(cell) or tasks.tasks_with_evidence()
            raise UserError(f"no example of {row.task} has gold evidence; {hint}")
    table = EvidenceTable(
        {cells[0].plan.task.name: cells[0].plan.split for cells in groups},
        rows,
        {name: value.signature for cells in groups for name, value in cells[0].plan.metrics.items()},
        tuple(dict.fromkeys(line for cells in groups for line in _warnings(cells))),
        folder,
        time.monotonic() - start_time,
    )
    if folder is not None:
        files.write(table, folder)
    return table


def _several_values(value: Any, name: str) -> list[Any]:
    entries: list[Any] = list(value) if isinstance(value, (list, tuple)) else [value]
    if not entries:
        raise UserError(f"{name}=[] holds no value: give at least one, or leave {name} out")
    return entries


def _cells(
    task: tasks.Task,
    chunkers: Sequence[Any] | None,
    rankers: Sequence[Any],
    budgets: Sequence[Mapping[str, Any]],
    **arguments: Any,
) -> list[_Cell]:
    """The cells of a task, by budget. Raises `UserError`."""
    cells: list[_Cell] = []
    for budget in budgets:
        label = counted(budget["k"], "passage") if "k" in budget else str(budget["select"])
        for ranker in rankers:
            own_value = chunkers is None and (ranker == BEST or bool(retrievers.get(ranker).chunker))
            for chunker in [None] if own_value else chunkers or CHUNKERS:
                fields = {"chunker": chunker, "retriever": ranker, **budget}
                plan = make_plan(task, model=NO_READER, metrics=(*EVIDENCE_NAMES, ANSWERS), **fields, **arguments)
                shown_text = _typed_text(chunker or plan.retriever.chunker)
                cells.append(_Cell(plan, shown_text, _typed_text(ranker), label, own_value, _key(plan)))
    data = cells[0].plan.data
    return [replace(cell, plan=replace(cell.plan, data=data)) for cell in cells]


def _typed_text(spec: Any) -> str:
    return str(typed_form(spec if isinstance(spec, (str, Mapping)) else describe(spec)))


def _key(plan: Plan) -> str:
    """What decides a cell's numbers, in eight hexadecimal digits."""
    signatures = {name: metric.signature for name, metric in plan.metrics.items()}
    return digest({**spec_of(plan), "limit": plan.limit, "signatures": signatures})


def _measure_new(cells: Sequence[_Cell], folder: Path | None, engine: Engine) -> None:
    """Measure the cells that the folder does not hold, document by document, all cells of a document together."""
    for cell in cells:
        cell.measured = files.measured(folder, cell.key)
    new = [cell for cell in cells if not cell.measured]
    if not new:
        return
    plan = engine.placed(new[0].plan)  # an engine for readers only refuses it
    bar = terminal.progress_bar("{task.description}", "documents")
    with bar or nullcontext():
        shown_value = bar.add_task(plan.task.name, total=None) if bar else None
        documents = set()
        for number, job in engine.prepare_many([cell.plan for cell in new], [lambda _: True] * len(new)):
            if isinstance(job, Exception):
                raise job
            if job.failure is None:
                spans = job.prompt(job.selected).spans
                new[number].measured.append(_measured(new[number].plan, job.example, spans))
            if bar and job.example.document.id not in documents:
                documents.add(job.example.document.id)
                bar.advance(shown_value)
    if not any(cell.measured for cell in new):
        raise UserError(f"the data hold no example for {plan.task.name}, split {plan.split}")
    for cell in new:
        files.keep(folder, cell.key, cell.measured)


def _measured(plan: Plan, example: Example, spans: Iterable[Span]) -> dict[str, Any]:
    """What is kept of an example: the rows of the metrics, words shown, evidence and its shown part by tenth."""
    text = example.document.text
    shown_spans = merged(spans)
    outputs = {"spans": json.dumps(shown_spans), "selection": "\n".join(text[start:end] for start, end in shown_spans)}
    rows = {
        name: dict(metric.statistics(outputs[metric.target], example))
        for name, metric in plan.metrics.items()
        if metric.takes(example.references)
    }
    return {
        "document": example.document.id,
        "words": sum(count_words([text[start:end] for start, end in shown_spans])),
        "rows": rows,
        "places": _places(example, shown_spans),
        "is_unanswerable": bool(example.references) and all(map(is_refusal_label, example.references)),
    }


def _places(example: Example, shown_spans: Sequence[Span]) -> list[tuple[int, int]]:
    """For each tenth of the document: characters of evidence in it, and those of them that were shown."""
    text = example.document.text
    gold = joined(text, example.evidence)
    spans = common(gold, joined(text, shown_spans))
    edges = [len(text) * position // TENTHS for position in range(TENTHS + 1)]
    return [(_size(common(gold, [tenth])), _size(common(spans, [tenth]))) for tenth in pairwise(edges)]


def _size(spans: Iterable[Span]) -> int:
    return sum(end - start for start, end in spans)


def _row(cell: _Cell) -> EvidenceRow:
    plan, measured = cell.plan, cell.measured
    having_entries = [fields for fields in measured if _has_evidence(fields)]
    scores: dict[str, float] = {}
    bounds: dict[str, Any] = {}
    for name, metric in plan.metrics.items():
        chosen_entries = measured
        if name.partition(":")[0] == ANSWERS:
            chosen_entries = [fields for fields in measured if not _has_evidence(fields)] if _has_answers(plan) else []
        scored = [(fields["rows"][name], fields["document"]) for fields in chosen_entries if name in fields["rows"]]
        if scored:
            scores |= metric.aggregate([row for row, _ in scored])
            bounds |= intervals(metric, [row for row, _ in scored], [document for _, document in scored])
    return EvidenceRow(
        task=plan.task.name,
        chunker=cell.chunker,
        retriever=cell.retriever,
        select=cell.select,
        words=sum(fields["words"] for fields in measured) / max(len(measured), 1),
        scores=Scores(
            {name: scores[name] for name in dict.fromkeys((*EVIDENCE_NAMES, *scores)) if name in scores},
            {name: value for name, value in bounds.items() if name in scores},
        ),
        places=[_recall_at(measured, position) for position in range(TENTHS)],
        examples=len(measured),
        with_evidence=len(having_entries),
        documents=len({fields["document"] for fields in measured}),
        oracle=plan.retriever.query_source in ("references", "evidence"),
        own_chunker=cell.own_chunker,
    )


def _has_evidence(fields: Mapping[str, Any]) -> bool:
    return any(total for total, _ in fields["places"])


def _has_answers(plan: Plan) -> bool:
    """Whether the task's answers are in its documents' words: it declares `answer_recall`."""
    return any(name.partition(":")[0] == ANSWERS for name in plan.task.metrics)


def _recall_at(measured: Sequence[Mapping[str, Any]], tenth: int) -> float | None:
    """The mean recall of the evidence in a tenth of the document, over the examples that have some there."""
    entries = [fields["places"][tenth] for fields in measured if fields["places"][tenth][0]]
    return 100 * sum(shown_value / total for total, shown_value in entries) / len(entries) if entries else None


def _unanswerable_text(cell: _Cell) -> str:
    """How many questions are unanswerable, and which command reads them; empty without any.

    Cells of earlier versions do not say it.
    """
    count, name = sum(fields.get("is_unanswerable", False) for fields in cell.measured), cell.plan.task.name
    if not count:
        return ""
    return (
        f"{count:,} of {counted(len(cell.measured), 'question')} unanswerable, and nothing is read here: longdoc "
        f"versus {name} --data PATH --model MODEL says how many are answered anyway"
    )


def _warnings(cells: Sequence[_Cell]) -> list[str]:
    """The data's warnings, and what was not measured."""
    plan, measured = cells[0].plan, cells[0].measured
    lines = [f"{plan.task.name}: {line}" for line in plan.data.warnings]
    if not any(map(_has_evidence, measured)):
        lines.append(f"{plan.task.name}: no example has gold evidence")
    if text := _unanswerable_text(cells[0]):
        lines.append(f"{plan.task.name}: {text}")
    lines += [
        f"{cell.plan.task.name}, {cell.retriever}, select={cell.select}: {len(measured) - len(cell.measured):,} "
        "examples could not be ranked"
        for cell in cells
        if len(cell.measured) < len(measured)
    ]
    return lines
