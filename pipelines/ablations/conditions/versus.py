"""Whole document or retrieval? One reader by every way to read the documents, as runs that are made together."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from longdoc.folders import make_folder, output_folder
from longdoc.typed_form import typed_form
from pipelines.ablations import ablation_folder as ablation_folder
from pipelines.ablations.ablate import default_out, make_ablation_plan, run_cells
from pipelines.ablations.conditions.condition_cells import AMOUNTS, OverWindow, RequestedCondition
from pipelines.ablations.conditions.dry_run import ConditionsDryRun, count_conditions
from pipelines.ablations.conditions.finished_conditions import Labelled
from pipelines.ablations.conditions.request import VersusRequest, versus_request
from pipelines.ablations.request import AblationRequest
from pipelines.engine import engines, interruption_note
from pipelines.engine.planning.argument_types import (
    ChunkerSpec,
    EngineSpec,
    ReaderSpec,
    RetrieverSpec,
    Select,
    StrategySpec,
    TaskSpec,
)
from pipelines.engine.running.execution_options import ExecutionOptions
from pipelines.results import reports
from pipelines.results.ablations.ablation_file import AblationRecord
from pipelines.results.conditions import table_folder
from pipelines.results.conditions.condition_table import ConditionTable
from pipelines.results.conditions.coverage import ConditionResults
from pipelines.results.conditions.given_predictions import write_given_predictions
from pipelines.results.reports.report import report as write_report
from pipelines.results.run_folders.run import Run
from pipelines.sources import Dataset


def versus(
    task: TaskSpec,
    *,
    model: ReaderSpec | None = None,
    retriever: RetrieverSpec | Sequence[RetrieverSpec] | None = None,
    k: int | Sequence[int] | None = None,
    select: Select | Sequence[Select] | None = None,
    budget: int | Sequence[int] | None = None,
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

    - `retriever`: one or several, "bm25" by default. `k` (chunks), `select` (words, or "300 tokens") and `budget`
      (prompt tokens) are one value or several, each a point of every retriever's line; 300, 1,000 and 3,000 words by
      default. `chunker` is the retrievers': by default the task's, or 100-word chunks where the task reads whole
      documents.
    - `strategies`: one or several, such as "agent:steps=6" or "map:count", as further ways: those that search again
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
    - `arguments`: further ones of `run`, for all ways; `order`, `query` and `fill` are for retrieval alone.

    Differences and p are over the examples that all ways answered, by exchange of whole documents, with Holm's
    correction over the ways. Raises `UserError`.
    """
    start_time = time.monotonic()
    driver = engines.get(engine)  # what was typed is checked before the data are read
    place = None if out is None else output_folder(out)
    amounts = {"k": k, "select": select, "budget": budget}
    request = versus_request(
        task, model, retriever, amounts, chunker, over_window, runs, predictions, primary_metric, arguments,
        strategies,
    )  # fmt: skip
    place, data = _ask(request, place, driver, ExecutionOptions(go_on))
    table = table_folder.read(place)
    with interruption_note.noting_errors(lambda: interruption_note.without_page("table", table.folder or Path())):
        _report(table, data, report)
    return replace(table, seconds=time.monotonic() - start_time)


def plan_versus(task: TaskSpec, *, engine: EngineSpec = "local", **arguments: Any) -> ConditionsDryRun:
    """What `versus` with the same arguments would ask, by way: documents, requests, tokens, price at most.

    Every prompt is made and counted; the reader does not run.
    """
    driver = engines.get(engine)
    given_fields = {
        name: arguments.pop(name, None) for name in ("model", "retriever", "chunker", "runs", "predictions")
    }
    amounts = {name: arguments.pop(name, None) for name in AMOUNTS}
    over_window, primary = arguments.pop("over_window", "cut"), arguments.pop("primary_metric", None)
    further_strategies = arguments.pop("strategies", None)
    arguments = {name: value for name, value in arguments.items() if name not in ("out", "go_on", "report")}
    request = versus_request(
        task, given_fields["model"], given_fields["retriever"], amounts, given_fields["chunker"], over_window,
        given_fields["runs"], given_fields["predictions"], primary, arguments,
        further_strategies,
    )  # fmt: skip
    return count_conditions(request.task.name, request.asked, request.make, request.notes, driver)


def _ask(
    request: VersusRequest, out: Path | None, engine: engines.Engine, options: ExecutionOptions
) -> tuple[Path, dict[Path, Dataset]]:
    """Ask what is still to ask: an ablation whose cells are the conditions. Its folder, and each run's data."""
    place = out or default_out(request.task.name, "versus", _digest(request))
    ablation_folder.check(place, request.task.name, "versus")
    ablation = AblationRequest(
        (request.task.name,), request.grid, request.make, place, primary_metric=request.primary_metric, what="versus",
        condition_fields={condition.name: _asked_fields(condition) for condition in request.asked},
        given_cells=[_given_cell(place, number, results) for number, results in enumerate(request.given, 1)],
        notes=request.notes,
    )  # fmt: skip
    plan = make_ablation_plan(ablation) if request.asked else None  # what cannot run is said before a file is written
    make_folder(place)
    for number, results in enumerate(request.given, 1):
        if results.is_from_file and isinstance(results.outcome, Run):
            write_given_predictions(place, _given_name(number), results.outcome, results.expected)
    if plan is not None:
        return run_cells(ablation, plan, engine, options)
    record = AblationRecord(
        request.task.name, request.split, {}, "", request.primary_metric, ablation.given_cells,
        interruption_note.typed_command.get(), request.notes,
    )  # fmt: skip
    with ablation_folder.locked(place):
        ablation_folder.write(place, record)
    return place, {}


def _asked_fields(condition: RequestedCondition) -> dict[str, Any]:
    """What `ablation.json` has of a condition that is asked, beside what it has of any cell."""
    fields = {"kind": condition.kind, "line": condition.line, "amount": condition.amount}
    return {**fields, "source": "", "predictions": None}


def _given_cell(place: Path, number: int, results: ConditionResults) -> dict[str, Any]:
    """A run or predictions that were given, as `ablation.json` has them."""
    folder = None if results.folder is None or results.is_from_file else os.path.relpath(results.folder, place)
    return {
        "name": results.name, "settings": {}, "recipe": "", "folder": folder, "error": None, "kind": results.kind,
        "line": results.line, "amount": results.amount, "source": results.source,
        "predictions": _given_name(number) if results.is_from_file else None,
    }  # fmt: skip


def _given_name(number: int) -> str:
    return f"given-{number}.json"


def _report(table: ConditionTable, data: Mapping[Path, Dataset], report: bool) -> None:
    """Write the page of the table after those of its runs, to which it links; or remove outdated ones."""
    folders = [
        Path(os.path.normpath(condition.folder))
        for condition in table.ways
        if condition.folder is not None and condition.error is None
    ]
    for folder in dict.fromkeys(folders):
        if not (folder / "scores.json").is_file():
            continue  # no example of it could be answered
        if not report:
            reports.remove_stale(folder)
        elif folder in data and reports.is_stale(folder):
            reports.write_for(folder, data[folder])
    if report and table.folder is not None:
        write_report(table.folder)


def _digest(request: VersusRequest) -> str:
    """Of the ways that are asked and given, eight hexadecimal digits."""
    asked_entries = [
        [condition.name, {name: typed_form(value) for name, value in condition.arguments.items()}]
        for condition in request.asked
    ]
    finished_runs = [[results.name, results.source or str(results.folder)] for results in request.given]
    return sha256(json.dumps([asked_entries, finished_runs], sort_keys=True, default=str).encode()).hexdigest()[:8]
