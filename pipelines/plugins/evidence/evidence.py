"""Measure how much gold evidence chunkers and retrievers select at equal budgets, over several tasks, without a reader.

A cell is what `run(model="none", budget=…)` does, with the same numbers. Here a document is split once for each
chunker and indexed once for each retriever, whatever the number of budgets, and no run folders are written.
"""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import retrievers
from chunkers.shared.words import count_words
from longdoc.arguments import checks_names, several
from longdoc.descriptions import typed_form
from longdoc.errors import UserError
from longdoc.files import output_folder
from longdoc.messages import counted
from longdoc.registry import describe
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
    TaskSpec,
)
from pipelines.engine.planning.budget import Budget
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.reader import NO_READER
from pipelines.engine.planning.selection_plan import BEST
from pipelines.engine.planning.spec import digest, spec_of
from pipelines.engine.planning.task_data import data_of
from pipelines.metrics import EVIDENCE_NAMES
from pipelines.metrics.shared.gold_spans import common, joined, merged
from pipelines.plugins.evidence import _evidence_files as files
from pipelines.plugins.evidence.evidence_row import TENTHS, EvidenceRow
from pipelines.plugins.evidence.evidence_table import EvidenceTable
from pipelines.records import Example, Span
from pipelines.results.scores import Scores
from pipelines.statistics.bootstrap import intervals

CHUNKERS = ("tokens:size=100", "units:of=sentence", "units:of=paragraph")
RETRIEVERS = ("tfidf", "bm25", BEST, "oracle:of=evidence")
BUDGETS = ("100 words", "300 words", "1000 words")
ANSWERS = "answer_recall"


@dataclass(slots=True)
class _Cell:
    """A plan, and the measurements of each example with it."""

    plan: Plan
    chunker: str
    retriever: str
    budget: str
    own_chunker: bool
    key: str
    measurements: list[dict[str, Any]] = field(default_factory=list)


@checks_names
def evidence(
    task: TaskSpec | Sequence[TaskSpec],
    *,
    data: DataSpec | Mapping[str, DataSpec] | None = None,
    split: str | None = None,
    limit: int | None = None,
    sample: int | None = None,
    chunker: ChunkerSpec | Sequence[ChunkerSpec] | None = None,
    retriever: RetrieverSpec | Sequence[RetrieverSpec] | None = None,
    k: int | Sequence[int] | None = None,
    budget: str | Sequence[str] | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    engine: EngineSpec = "local",
) -> EvidenceTable:
    """Measure how much gold evidence is selected, for every chunker, retriever, budget and task; no reader is needed.

    - `task`, `chunker`, `retriever`, `budget` (as in "300 words"): one or a list. By default the chunkers are
      100-word chunks, sentences and paragraphs, the retrievers "tfidf", "bm25", "best" and the ceiling of each chunker
      ("oracle:of=evidence"), the budgets 100, 300 and 1,000 words. A retriever that brings its own chunker ("best") is
      measured with that alone where no chunker is given.
    - `k`: instead of `budget`, how many passages are selected: one number or a list.
    - `data`: as for `run`; for several tasks a mapping from their names, or a folder with the files of all.
    - `split`, `limit`, `sample`, `seed`: as for `run`, for each task.
    - `out`: a folder for `evidence.json`, `.csv`, `.md` and plots. Cells that are in it already are not measured again.
    - `engine`: where documents are split and ranked, as for `run`; it changes no number.

    Scores are `evidence_recall`, `full_evidence`, `evidence_precision` and `evidence_iou`, over the examples with
    evidence, with intervals by document; and, over those without it, `answer_recall` where the task declares it. Raises
    `UserError`.
    """
    start_time = time.monotonic()
    if k is not None and budget is not None:
        raise UserError("k and budget cannot be given together: choose one")
    driver = engines.get(engine)
    folder = None if out is None else files.open_folder(output_folder(out))
    chosen_tasks = tasks.task_list(several(task, "task"))
    for chosen_task in chosen_tasks:
        if not chosen_task.dataset.has_query:
            raise UserError(
                f"{chosen_task.name} asks no question, so it has no evidence to find; {tasks.tasks_with_evidence()}"
            )
    sampling: dict[str, Any] = {"split": split, "limit": limit, "sample": sample, "seed": seed}
    axes = (
        None if chunker is None else several(chunker, "chunker"),
        several(RETRIEVERS if retriever is None else retriever, "retriever"),
        [{"k": value} for value in several(k, "k")]
        if k is not None
        else [{"budget": value} for value in several(BUDGETS if budget is None else budget, "budget")],
    )
    groups = [_cells(task, *axes, data=data_of(task, chosen_tasks, data, split), **sampling) for task in chosen_tasks]
    with driver:
        for cells in groups:
            _measure_new(cells, folder, driver)
    rows = [_row(cell) for cells in groups for cell in cells]
    for row, cell in zip(rows, chain.from_iterable(groups), strict=True):
        if not row.scores:
            hint = _unanswerable_note(cell) or tasks.tasks_with_evidence()
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


def _cells(
    task: tasks.Task,
    chunkers: Sequence[Any] | None,
    rankers: Sequence[Any],
    budgets: Sequence[Mapping[str, Any]],
    **arguments: Any,
) -> list[_Cell]:
    """The cells of a task, one for each budget, retriever and chunker. Raises `UserError`."""
    cells: list[_Cell] = []
    for budget in budgets:
        label = counted(budget["k"], "passage") if "k" in budget else str(Budget.of(budget["budget"]))
        for ranker in rankers:
            has_own_chunker = chunkers is None and (ranker == BEST or bool(retrievers.get(ranker).chunker))
            for chunker in [None] if has_own_chunker else chunkers or CHUNKERS:
                fields = {"chunker": chunker, "retriever": ranker, **budget}
                plan = make_plan(task, model=NO_READER, metrics=(*EVIDENCE_NAMES, ANSWERS), **fields, **arguments)
                chunker_name = _typed_name(chunker or plan.retriever.chunker)
                cells.append(_Cell(plan, chunker_name, _typed_name(ranker), label, has_own_chunker, _key(plan)))
    data = cells[0].plan.data
    return [replace(cell, plan=replace(cell.plan, data=data)) for cell in cells]


def _typed_name(spec: Any) -> str:
    """A component as it is typed."""
    return str(typed_form(spec if isinstance(spec, (str, Mapping)) else describe(spec)))


def _key(plan: Plan) -> str:
    """A digest of the settings that decide a cell's numbers, eight hexadecimal digits."""
    signatures = {name: metric.signature for name, metric in plan.metrics.items()}
    return digest({**spec_of(plan), "limit": plan.limit, "signatures": signatures})


def _measure_new(cells: Sequence[_Cell], folder: Path | None, engine: Engine) -> None:
    """Measure the cells that are not in the folder, document by document, all cells of a document together."""
    for cell in cells:
        cell.measurements = files.read_measurements(folder, cell.key)
    new = [cell for cell in cells if not cell.measurements]
    if not new:
        return
    plan = engine.placed(new[0].plan)  # an engine for readers only refuses it
    bar = terminal.progress_bar("{task.description}", "documents")
    with bar or nullcontext():
        progress = bar.add_task(plan.task.name, total=None) if bar else None
        documents = set()
        for number, job in engine.prepare_many([cell.plan for cell in new], [lambda _: True] * len(new)):
            if isinstance(job, Exception):
                raise job
            if job.failure is None:
                spans = job.prompt(job.selected).spans
                new[number].measurements.append(_measurement(new[number].plan, job.example, spans))
            if bar and job.example.document.id not in documents:
                documents.add(job.example.document.id)
                bar.advance(progress)
    if not any(cell.measurements for cell in new):
        raise UserError(f"the data hold no example for {plan.task.name}, split {plan.split}")
    for cell in new:
        files.write_measurements(folder, cell.key, cell.measurements)


def _measurement(plan: Plan, example: Example, spans: Iterable[Span]) -> dict[str, Any]:
    """The measurement of an example: rows of the metrics, words shown, evidence and its selected part by tenth."""
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
    """For each tenth of the document, how many characters of evidence it has, and how many of them were shown."""
    text = example.document.text
    gold = joined(text, example.evidence)
    spans = common(gold, joined(text, shown_spans))
    edges = [len(text) * position // TENTHS for position in range(TENTHS + 1)]
    return [(_size(common(gold, [tenth])), _size(common(spans, [tenth]))) for tenth in pairwise(edges)]


def _size(spans: Iterable[Span]) -> int:
    """The number of characters in spans."""
    return sum(end - start for start, end in spans)


def _row(cell: _Cell) -> EvidenceRow:
    plan, measurements = cell.plan, cell.measurements
    with_evidence = [measurement for measurement in measurements if _has_evidence(measurement)]
    scores: dict[str, float] = {}
    bounds: dict[str, Any] = {}
    for name, metric in plan.metrics.items():
        subset = measurements
        if name.partition(":")[0] == ANSWERS:
            is_scored = _has_answers(plan)
            subset = [measurement for measurement in measurements if is_scored and not _has_evidence(measurement)]
        scored = [
            (measurement["rows"][name], measurement["document"])
            for measurement in subset
            if name in measurement["rows"]
        ]
        if scored:
            scores |= metric.aggregate([row for row, _ in scored])
            bounds |= intervals(metric, [row for row, _ in scored], [document for _, document in scored])
    return EvidenceRow(
        task=plan.task.name,
        chunker=cell.chunker,
        retriever=cell.retriever,
        budget=cell.budget,
        words=sum(measurement["words"] for measurement in measurements) / max(len(measurements), 1),
        scores=Scores(
            {name: scores[name] for name in dict.fromkeys((*EVIDENCE_NAMES, *scores)) if name in scores},
            {name: value for name, value in bounds.items() if name in scores},
        ),
        places=[_recall_at(measurements, position) for position in range(TENTHS)],
        examples=len(measurements),
        with_evidence=len(with_evidence),
        documents=len({measurement["document"] for measurement in measurements}),
        oracle=plan.retriever.query_source in ("references", "evidence"),
        own_chunker=cell.own_chunker,
    )


def _has_evidence(measurement: Mapping[str, Any]) -> bool:
    """Whether the example of a measurement has gold evidence."""
    return any(total for total, _ in measurement["places"])


def _has_answers(plan: Plan) -> bool:
    """Whether the task's answers are in the words of its documents, so that it declares `answer_recall`."""
    return any(name.partition(":")[0] == ANSWERS for name in plan.task.metrics)


def _recall_at(measurements: Sequence[Mapping[str, Any]], tenth: int) -> float | None:
    """The mean recall of the evidence in a tenth of the document, over the examples that have some there."""
    counts = [measurement["places"][tenth] for measurement in measurements if measurement["places"][tenth][0]]
    return 100 * sum(shown / total for total, shown in counts) / len(counts) if counts else None


def _unanswerable_note(cell: _Cell) -> str:
    """A note with the number of unanswerable questions, and the command that reads them; empty without any.

    Measurements of earlier versions do not have that number.
    """
    count = sum(measurement.get("is_unanswerable", False) for measurement in cell.measurements)
    if not count:
        return ""
    return (
        f"{count:,} of {counted(len(cell.measurements), 'question')} have no answer; "
        f"longdoc versus {cell.plan.task.name} --data PATH --model MODEL says how many a model answers anyway"
    )


def _warnings(cells: Sequence[_Cell]) -> list[str]:
    """The warnings of the data, and of examples that were not measured."""
    plan, measurements = cells[0].plan, cells[0].measurements
    lines = [f"{plan.task.name}: {line}" for line in plan.data.warnings]
    if not any(map(_has_evidence, measurements)):
        lines.append(f"{plan.task.name}: no example has gold evidence")
    if text := _unanswerable_note(cells[0]):
        lines.append(f"{plan.task.name}: {text}")
    lines += [
        f"{cell.plan.task.name}, {cell.retriever}, budget={cell.budget}: "
        f"{len(measurements) - len(cell.measurements):,} examples could not be ranked"
        for cell in cells
        if len(cell.measurements) < len(measurements)
    ]
    return lines
