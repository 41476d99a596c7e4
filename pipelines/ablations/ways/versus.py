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
from longdoc.plain_values import plain
from pipelines.ablations.ablate import default_out, run_cells
from pipelines.ablations.request import AblationRequest
from pipelines.ablations.ways.asked import AMOUNTS, OverWindow
from pipelines.ablations.ways.dry_run import WaysDryRun, count_ways
from pipelines.ablations.ways.given import Labelled
from pipelines.ablations.ways.request import VersusRequest, versus_request
from pipelines.engine import engines, kept
from pipelines.engine.planning.argument_types import (
    ChunkerSpec,
    EngineSpec,
    ReaderSpec,
    RetrieverSpec,
    Select,
    TaskSpec,
)
from pipelines.results import reports
from pipelines.results.reports.report import report as write_report
from pipelines.results.run_folders.finished import FinishedRun
from pipelines.results.ways import folder as ways_folder
from pipelines.results.ways.folder import KeptWay, KeptWays
from pipelines.results.ways.records import WaysTable
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
    over_window: OverWindow = "cut",
    runs: Labelled | None = None,
    predictions: Labelled | None = None,
    primary_metric: str | None = None,
    out: str | Path | None = None,
    engine: EngineSpec = "local",
    reply_cache: bool = False,
    report: bool = True,
    **arguments: Any,
) -> WaysTable:
    """Compare the whole document with retrieval, closed book and the oracle: score, coverage, tokens, cost, p.

    The same reader reads the whole document, what each `retriever` selects at each budget, nothing (closed book), and,
    where the data have gold evidence, what `oracle:of=evidence` selects. Each way is an ordinary run.

    - `retriever`: one or several, "bm25" by default. `k` (chunks), `select` (words, or "300 tokens") and `budget`
      (prompt tokens) are one value or several, each a point of every retriever's line; 300, 1,000 and 3,000 words by
      default. `chunker` is the retrievers': by default the task's, or 100-word chunks where the task reads whole
      documents.
    - `over_window`: a document that is longer than the reader's window is "cut" as the task's recipe says (its tail, or
      its middle), or "skip" leaves its examples out, as papers do whose models refuse them. What the whole document
      leaves out, and what a model refuses, lowers a way's coverage; the score on what all ways cover stands beside.
    - `runs`: folders of finished runs of the task, as further ways; `predictions`: files of predictions in the
      benchmark's own layout (`FILE::SYSTEM` for one of several systems). Each is a list, or a mapping from labels;
      those labelled "whole" or "full" are the whole document. With these and without a `model` nothing is asked.
    - `primary_metric`: the score that table and plot show; the task's first by default.
    - `out`: the folder of the table, with its runs in `runs/`. The same again resumes: what was asked is not asked
      again, and equal requests of several ways are asked once.
    - `report`: False writes no pages.
    - `arguments`: further ones of `run`, for all ways; `order`, `query` and `fill` are for retrieval alone.

    Differences and p are over the examples that all ways answered, by exchange of whole documents, with Holm's
    correction over the ways. Raises `UserError`.
    """
    begun = time.monotonic()
    driver = engines.get(engine)  # what was typed is checked before the data are read
    place = None if out is None else output_folder(out)
    amounts = {"k": k, "select": select, "budget": budget}
    request = versus_request(
        task, model, retriever, amounts, chunker, over_window, runs, predictions, primary_metric, arguments
    )
    data: dict[Path, Dataset] = {}
    if request.asked:
        ablation = AblationRequest(
            (request.task.name,), request.grid, request.make, place, None, primary_metric, what="versus"
        )
        place, data = run_cells(ablation, driver, reply_cache)
    else:
        place = place or default_out(request.task.name, "versus", _digest(request))
        make_folder(place)
    _write(request, place)
    found = ways_folder.read(place)
    with kept.noted(lambda: kept.without_page("table", found.folder or Path())):
        _report(found, data, report)
    return replace(found, seconds=time.monotonic() - begun)


def plan_versus(task: TaskSpec, *, engine: EngineSpec = "local", **arguments: Any) -> WaysDryRun:
    """What `versus` with the same arguments would ask, by way: documents, requests, tokens, price at most.

    Every prompt is made and counted; the reader does not run.
    """
    driver = engines.get(engine)
    given = {name: arguments.pop(name, None) for name in ("model", "retriever", "chunker", "runs", "predictions")}
    amounts = {name: arguments.pop(name, None) for name in AMOUNTS}
    over_window, primary = arguments.pop("over_window", "cut"), arguments.pop("primary_metric", None)
    arguments = {name: value for name, value in arguments.items() if name not in ("out", "reply_cache", "report")}
    request = versus_request(
        task, given["model"], given["retriever"], amounts, given["chunker"], over_window, given["runs"],
        given["predictions"], primary, arguments,
    )  # fmt: skip
    return count_ways(request.task.name, request.asked, request.make, request.notes, driver)


def _write(request: VersusRequest, out: Path) -> None:
    """Write `versus.json`, and the given predictions beside it."""
    cells = _cells_by_name(out) if request.asked else {}
    ways = [
        KeptWay(
            one.name, one.kind, one.line, one.amount, folder=cells[one.name]["folder"], error=cells[one.name]["error"]
        )
        for one in request.asked
    ]
    for number, one in enumerate(request.given, 1):
        folder = name = None
        if one.given:
            name = f"given-{number}.json"
            ways_folder.write_given(out, name, one.found, one.expected)  # type: ignore[arg-type]
        elif one.folder is not None:
            folder = os.path.relpath(one.folder, out)
        ways.append(KeptWay(one.name, one.kind, one.line, one.amount, one.source, folder, name))
    split = _split(request, ways, out)
    kept_ways = KeptWays(request.task.name, split, ways, request.primary_metric, request.notes, kept.typed.get())
    ways_folder.write(out, kept_ways)


def _cells_by_name(out: Path) -> dict[str, Mapping[str, Any]]:
    record = json.loads((out / "ablation.json").read_text(encoding="utf-8"))
    return {one["name"]: one for one in record["cells"]}


def _split(request: VersusRequest, ways: Sequence[KeptWay], out: Path) -> str:
    given = [one.found.split for one in request.given if isinstance(one.found, FinishedRun)]
    if request.asked:
        return str(json.loads((out / "ablation.json").read_text(encoding="utf-8"))["split"])
    return given[0]


def _report(found: WaysTable, data: Mapping[Path, Dataset], report: bool) -> None:
    """Write the page of the table after those of its runs, to which it links; or remove outdated ones."""
    folders = [Path(os.path.normpath(one.folder)) for one in found.ways if one.folder is not None and one.error is None]
    for folder in dict.fromkeys(folders):
        if not report:
            reports.remove_stale(folder)
        elif folder in data and reports.is_stale(folder):
            reports.write_for(folder, data[folder])
    if report and found.folder is not None:
        write_report(found.folder)


def _digest(request: VersusRequest) -> str:
    named = [[one.name, one.source or str(one.folder)] for one in request.given]
    return sha256(json.dumps(plain(named)).encode()).hexdigest()[:8]
