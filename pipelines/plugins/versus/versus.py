"""Compare the ways to read documents, whole or by retrieval, with the same reader: one run for each way."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from longdoc.descriptions import typed_form
from longdoc.files import make_folder, output_folder
from pipelines.ablations import ablation_folder as ablation_folder
from pipelines.ablations.ablate import default_out, make_ablation_plan, run_cells
from pipelines.ablations.request import AblationRequest
from pipelines.engine import engines, interruption_note
from pipelines.engine.planning.argument_types import (
    ChunkerSpec,
    EngineSpec,
    ReaderSpec,
    RetrieverSpec,
    StrategySpec,
    TaskSpec,
)
from pipelines.engine.running.execution_options import ExecutionOptions
from pipelines.plugins.versus import table_folder
from pipelines.plugins.versus.condition_cells import OverWindow, RequestedCondition, selected_amounts
from pipelines.plugins.versus.condition_table import ConditionTable
from pipelines.plugins.versus.coverage import ConditionResults
from pipelines.plugins.versus.dry_run import ConditionsDryRun, count_conditions
from pipelines.plugins.versus.finished_conditions import Labelled
from pipelines.plugins.versus.given_predictions import write_given_predictions
from pipelines.plugins.versus.request import VersusRequest, versus_request
from pipelines.results import reports
from pipelines.results.ablations.ablation_file import AblationRecord
from pipelines.results.reports.report import report as write_report
from pipelines.results.run_folders.run import Run
from pipelines.sources import Dataset


def versus(
    task: TaskSpec,
    *,
    model: ReaderSpec | None = None,
    retriever: RetrieverSpec | Sequence[RetrieverSpec] | None = None,
    k: int | Sequence[int] | None = None,
    budget: str | Sequence[str] | None = None,
    chunker: ChunkerSpec | None = None,
    strategies: StrategySpec | Sequence[StrategySpec] | None = None,
    over_window: OverWindow = "cut",
    runs: Labelled | None = None,
    predictions: Labelled | None = None,
    primary_metric: str | None = None,
    out: str | Path | None = None,
    engine: EngineSpec = "local",
    go_on: bool = False,
    report: bool = True,
    **arguments: Any,
) -> ConditionTable:
    """Compare the whole document with retrieval, closed book and the oracle: score, coverage, tokens, cost, p.

    The same reader reads the whole document, what each `retriever` selects at each budget, nothing (closed book), and,
    where the data have gold evidence, what `oracle:of=evidence` selects. Each way is an ordinary run.

    - `retriever`: one or several, "best:encoder=none" by default. `k` (chunks) and `budget` ("300 words" of selected
      text, or a prompt of "2000 tokens") are one value or several, each a point of every retriever's line; 300, 1,000
      and 3,000 words by default. `chunker` is the retrievers': by default the task's, or 100-word chunks where the
      task reads whole documents.
    - `strategies`: one or several, such as "iterative" or "map:count", as further ways: those that search again
      with each retriever at each budget, which is then that of each search, others over all passages.
    - `over_window`: a document that is longer than the reader's window is "cut" as the task's recipe says (its tail, or
      its middle), or "skip" leaves its examples out, as papers do whose models refuse them. What the whole document
      leaves out, and what a model refuses, lowers a way's coverage; the score on what all ways cover stands beside.
    - `runs`: folders of finished runs of the task, as further ways; `predictions`: files of predictions in the
      benchmark's own layout (`FILE::SYSTEM` for one of several systems). Each is a list, or a mapping from labels;
      those labelled "whole" or "full" are the whole document. With these and without a `model` nothing is asked;
      `data`, where it is given, then has the labels and documents of the predictions' examples.
    - `primary_metric`: the score that table and plot show; the task's first by default.
    - `out`: the folder of the table, with its runs in `runs/`. The same again resumes: what was asked is not asked
      again, and equal requests of several ways are asked once.
    - `go_on`: as for `run`.
    - `report`: False writes no pages.
    - `arguments`: further ones of `run`, for all ways; `order` and `query` are for retrieval alone.

    Differences and p are over the examples that all ways answered, by exchange of whole documents, with Holm's
    correction over the ways. Raises `UserError`.
    """
    start_time = time.monotonic()
    driver = engines.get(engine)  # arguments are checked before the data are read
    place = None if out is None else output_folder(out)
    request = versus_request(
        task, model, retriever, selected_amounts(k, budget), chunker, over_window, runs, predictions, primary_metric,
        arguments, strategies,
    )  # fmt: skip
    place, data = _ask(request, place, driver, ExecutionOptions(go_on))
    table = table_folder.read(place)
    with interruption_note.noting_errors(lambda: interruption_note.missing_page_note("table", table.folder or Path())):
        _report(table, data, report)
    return replace(table, seconds=time.monotonic() - start_time)


def plan_versus(task: TaskSpec, *, engine: EngineSpec = "local", **arguments: Any) -> ConditionsDryRun:
    """Count what `versus` with the same arguments would ask, by way: documents, requests, tokens, highest price.

    Every prompt is made and counted; the reader does not run.
    """
    driver = engines.get(engine)
    model, retriever, chunker, runs, predictions, k, budget, strategies, primary_metric = (
        arguments.pop(name, None)
        for name in (
            "model", "retriever", "chunker", "runs", "predictions", "k", "budget", "strategies", "primary_metric",
        )
    )  # fmt: skip
    over_window = arguments.pop("over_window", "cut")
    arguments = {name: value for name, value in arguments.items() if name not in ("out", "go_on", "report")}
    request = versus_request(
        task, model, retriever, selected_amounts(k, budget), chunker, over_window, runs, predictions, primary_metric,
        arguments, strategies,
    )  # fmt: skip
    return count_conditions(request.task.name, request.requested, request.make, request.notes, driver)


def _ask(
    request: VersusRequest, out: Path | None, engine: engines.Engine, options: ExecutionOptions
) -> tuple[Path, dict[Path, Dataset]]:
    """Make the missing runs, as an ablation whose cells are the conditions; return its folder and each run's data."""
    place = out or default_out(request.task.name, "versus", _digest(request))
    ablation_folder.check(place, request.task.name, "versus")
    ablation = AblationRequest(
        (request.task.name,), request.grid, request.make, place, primary_metric=request.primary_metric, what="versus",
        condition_fields={condition.name: _condition_fields(condition) for condition in request.requested},
        given_cells=[_finished_cell(place, number, results) for number, results in enumerate(request.finished, 1)],
        notes=request.notes,
    )  # fmt: skip
    plan = make_ablation_plan(ablation) if request.requested else None  # errors are raised before a file is written
    make_folder(place)
    for number, results in enumerate(request.finished, 1):
        if results.is_from_file and isinstance(results.outcome, Run):
            write_given_predictions(place, _predictions_file(number), results.outcome, results.expected)
    if plan is not None:
        return run_cells(ablation, plan, engine, options)
    record = AblationRecord(
        request.task.name, request.split, {}, "", request.primary_metric, ablation.given_cells,
        interruption_note.typed_command.get(), request.notes,
    )  # fmt: skip
    with ablation_folder.locked(place):
        ablation_folder.write(place, record)
    return place, {}


def _condition_fields(condition: RequestedCondition) -> dict[str, Any]:
    """The fields of a requested condition in `ablation.json`, beside those of any cell."""
    fields = {"kind": condition.kind, "line": condition.line, "amount": condition.amount}
    return {**fields, "source": "", "predictions": None}


def _finished_cell(place: Path, number: int, results: ConditionResults) -> dict[str, Any]:
    """The cell in `ablation.json` of a finished run, or of a file of predictions."""
    folder = None if results.folder is None or results.is_from_file else os.path.relpath(results.folder, place)
    return {
        "name": results.name, "settings": {}, "recipe": "", "folder": folder, "error": None, "kind": results.kind,
        "line": results.line, "amount": results.amount, "source": results.source,
        "predictions": _predictions_file(number) if results.is_from_file else None,
    }  # fmt: skip


def _predictions_file(number: int) -> str:
    """The name of the file that keeps scored predictions."""
    return f"given-{number}.json"


def _report(table: ConditionTable, data: Mapping[Path, Dataset], report: bool) -> None:
    """Write the table's page after those of its runs, to which it links; without `report` remove outdated pages."""
    folders = [
        Path(os.path.normpath(condition.folder))
        for condition in table.ways
        if condition.folder is not None and condition.error is None
    ]
    for folder in dict.fromkeys(folders):
        if not (folder / "scores.json").is_file():
            continue  # no example was answered
        if not report:
            reports.remove_stale(folder)
        elif folder in data and reports.is_stale(folder):
            reports.write_for(folder, data[folder])
    if report and table.folder is not None:
        write_report(table.folder)


def _digest(request: VersusRequest) -> str:
    """Eight hexadecimal digits that stand for the ways of a request."""
    requested = [
        [condition.name, {name: typed_form(value) for name, value in condition.arguments.items()}]
        for condition in request.requested
    ]
    finished = [[results.name, results.source or str(results.folder)] for results in request.finished]
    return sha256(json.dumps([requested, finished], sort_keys=True, default=str).encode()).hexdigest()[:8]
