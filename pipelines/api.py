"""The functions that a user calls. Thin: make a plan, hand it to the engine, give back a record."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.folders import output_folder
from longdoc.plurals import counted
from longdoc.visible import note, visible
from pipelines import builders
from pipelines.ablations.ablate import make_ablation_plan, run_ablation
from pipelines.ablations.merge import is_ablation, merge_ablations
from pipelines.ablations.plan import AblationPlan
from pipelines.ablations.request import GridSpec, ablation_request
from pipelines.answers.ask import ask, index
from pipelines.builders import Built
from pipelines.builders import _folder as sets
from pipelines.engine import engines, interruption_note
from pipelines.engine import execute as execution
from pipelines.engine import rescore as rescoring
from pipelines.engine.downloads import fetch
from pipelines.engine.dry_run import count_dry_run
from pipelines.engine.engines import Engine
from pipelines.engine.execution_options import ExecutionOptions
from pipelines.engine.first_prompt import first_prompt
from pipelines.engine.merging.merge import merge_runs
from pipelines.engine.planning.argument_types import (
    DataSpec,
    EngineSpec,
    MetricsSpec,
    ReaderSpec,
    TaskSpec,
)
from pipelines.engine.planning.config_file import read_config
from pipelines.engine.planning.given_arguments import given_arguments
from pipelines.engine.planning.options import JUDGE, UNPLANNED, command_line_options, default_of, planned_arguments
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.run_arguments import PlanArguments, RecipeArguments, RunChanges
from pipelines.engine.planning.signatures import takes_arguments
from pipelines.engine.recording.run_folder import check_run_path
from pipelines.engine.rerun import Rerun
from pipelines.engine.run_tasks import plan_tasks, run_planned
from pipelines.evaluation.contrapro import contrapro
from pipelines.evaluation.judging.judge import Judge
from pipelines.evaluation.judging.judge_run import judge_for, judge_run, task_of, with_verdicts
from pipelines.results import reports
from pipelines.results.ablations.ablation import Ablation
from pipelines.results.dry_runs.dry_run import DryRun
from pipelines.results.judge_record import lines
from pipelines.results.overviews.gather import overview_of_one
from pipelines.results.overviews.task_results import TaskDryRuns, TaskResults
from pipelines.results.rendered_prompt import RenderedPrompt
from pipelines.results.reports.report import report as write_report
from pipelines.results.result import Result
from pipelines.results.run_folders.run import examples_of, finished_run
from pipelines.results.trained_reader import TrainedReader
from pipelines.sources import Dataset
from pipelines.training import Recipe

__all__ = [
    "ablate", "ask", "build", "contrapro", "dry_run", "dry_run_tasks", "fetch", "index", "merge", "plan_ablation",
    "prompt", "read_config", "rerun", "rescore", "run", "run_tasks", "train",
]  # fmt: skip


@takes_arguments(RunChanges)
def run(task: TaskSpec, **arguments: Unpack[RunChanges]) -> Result:
    """Run a task and score it. Every argument left at None is the task's own recipe (for MuLD: what the paper did).

    - `task`: a name (`pipelines.tasks.names()`), a `Task`, or `module:ATTRIBUTE`.
    - `data`: None (the published files), "sample" (bundled), a local file or folder, a list of rows (dicts), a pandas
      or polars frame, a `datasets.Dataset`, `Example`s.
    - `limit` takes the first N examples, `sample` N drawn over the documents by `seed`.
    - `shard`: "2/3" runs every third document of these from the second, for jobs that make a run together; `merge`
      joins the three runs. It is no part of a run's identity, but has a folder of its own.
    - `chunker`, `retriever`, `strategy`, `model`: a name, `NAME:ARGS`, a mapping with `name`, or an object. A bare
      name that the recipe uses keeps the recipe's arguments; `NAME:` has the component's own. `model` "floor" is the
      task's floor, the least that a model has to beat.
    - `k` chunks are selected, or as many of the best as fit a prompt of `budget` tokens as the reader counts them. With
      neither, the task's `k`, else as many as fill the reader's limit, the last one cut; ten where it has none, and
      at most ten behind an API.
    - `select` bounds the selected text instead, shown headings counted: 300 words, or "300 tokens" of the reader's. It
      is filled with chunks in ranked order, text that chunks share once; `fill` says what happens to the first that
      does not fit: "cut" (the default: its first words fill the rest), "skip" (the next ones that fit) or "stop".
      Chunks that follow each other become one passage, and the prompt marks where text was left out.
    - `order`: selected chunks by "score" or as they stand in the "document" (the default with `select`).
    - `query`: None ranks chunks by the example's question, "centroid" by the document's own centroid instead.
    - `prompt`: a template with `{instruction}`, `{query}`, `{options}`, `{document}`; or "chat", the task's words for
      chat models, which these get by default, and "tags", the same with tags around the answer
      (`strategies._chat_prompt`); of rows that carry their prompt forms of it, and "row" the prompt to the letter
      (`strategies._row_prompt`); or "t5", "flan", "unifiedqa", "document": what these models were trained with
      (`longdoc list components prompts`).
    - `prompts_from`: the file of a benchmark's repository that has its prompts, or its folder: they are used in place
      of ours, as their scores then say. `FILE::GROUP` chooses between several of a Python file.
    - `revision`: the model's, or a mapping with "model" and "data".
    - `out`: the run's folder, `runs/<task>-<digest of everything that decides the numbers>` by default. Starting the
      same run again resumes it; another run in the same folder is refused.
    - `reply_cache`: take replies from earlier runs of the same reader, and keep this run's for later ones, in
      `replies/` under LONGDOC_CACHE. It changes no score.
    - `go_on`: send all requests, though most of the first 20 outputs of a model are empty; without it no more are sent
      then, what came is kept, and the error says what to change. It changes no file.
    - `report`: False writes no page; `pipelines.report(folder)` does later. A page that is older than the scores goes.
    - `prices_from`: a file with the prices of models behind APIs, in place of `prices` of the model's own: a mapping
      from models to `{input: 0.5, output: 1.5, cached: 0.05}` in YAML, JSON or TOML, or a row each in CSV.
    - `judge`: a reader that says of each prediction whether it is right; its share is the score `judged`. It is asked
      when the run is finished, and decides nothing of it.
    - `judge_prompts_from`: the file with the judge's prompt, in place of ours.

    Raises `UserError` for every error that the user can fix, and `RepliesAwaited` where requests wait in batch files.
    """
    start_time = time.monotonic()
    values = _with_defaults(arguments)
    driver = engines.get(values["engine"])  # what was typed is checked before the data are read
    folder = None if values["out"] is None else output_folder(values["out"])
    if folder is not None:
        check_run_path(folder)
    result = _planned_run(task, values, driver, lambda _: folder)
    return replace(result, seconds=time.monotonic() - start_time)


def _with_defaults(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a run, with those that say how it is made at their defaults where they were not given."""
    return {name: default_of(name) for name in UNPLANNED} | dict(arguments)


def _planned_run(task: Any, values: Mapping[str, Any], engine: Engine, place: Callable[[Plan], Path | None]) -> Result:
    """Plan a run and make it in the place that its plan has (None: by default)."""
    plan = make_plan(task, **{name: value for name, value in values.items() if name in planned_arguments()})
    recorded_values = {name: value for name, value in values.items() if name not in ("out", "go_on")}
    plan = replace(plan, given=given_arguments(task, recorded_values))
    judge = _judge_of(plan, values["judge"], values["judge_prompts_from"])
    options = ExecutionOptions(values["reply_cache"], values["go_on"])
    return _finished_run(plan, place(plan), engine, options, values["report"], judge)


def _judge_of(plan: Plan, judge: ReaderSpec | None, prompts_from: str | Path | None) -> Judge | None:
    """The judge of a run. Raises `UserError` for one of a shard, whose verdicts a merge could not take over."""
    if judge is not None and plan.shard is not None:
        note = "leave judge= out, merge the shards, then: longdoc score RUN --judge MODEL"
        raise UserError(f"a judge is asked of the whole run, not of a shard: {note}")
    return judge_for(plan.task, judge, prompts_from)


def _finished_run(
    plan: Plan, folder: Path | None, engine: Engine, options: ExecutionOptions, report: bool, judge: Judge | None
) -> Result:
    """The run of a plan, judged, with its page; without `report` an outdated page goes."""
    result = execution.execute(plan, folder, engine, options)
    if judge is not None:
        result = with_verdicts(result, judge_run(result.folder, judge))
    if not report:
        reports.remove_stale(result.folder)
        return result
    with interruption_note.noting_errors(lambda: interruption_note.without_page("run", result.folder)):
        page = reports.write_for(result.folder, plan.data)
    return replace(result, report=page)


def rerun(folder: str | Path, **changes: Unpack[RunChanges]) -> Result:
    """Make a run again, by the arguments that its `run.json` keeps, with `changes`, which are arguments of `run`.

    - Without changes, or with changes that leave it the same run (`limit`, `metrics`, `device` …), it goes on in its
      folder; of a finished run nothing is asked again. `out` makes it anew in another folder.
    - Another run has the folder that `run` would give it; what differs is printed on stderr.
    - `data`: where the data are now, if not where the run had them.
    - A change replaces what cannot be given together with it: `select` replaces `k` and `budget`.

    What was given as a Python object has to be given again. A run of an ablation can be made again like any other.
    Code and API models that `run.json` names count only where they are given again, or allowed (`allow_code`).

    Raises `UserError` for a folder whose `run.json` keeps no arguments, and where without any change it would be
    another run, as the data or a model are not what they were.
    """
    start_time = time.monotonic()
    rerun = Rerun.of(folder, changes)
    with rerun.names():
        values = _with_defaults(rerun.planned)
        task, driver = values.pop("task"), engines.get(values["engine"])
        result = _planned_run(task, values, driver, lambda plan: rerun.folder_of(plan, values["out"]))
    return replace(result, seconds=time.monotonic() - start_time)


@checks_names
def merge(*shards: str | Path, out: str | Path | None = None, report: bool = True) -> Result | Ablation:
    """Join the shards of a run, made with `shard="1/3"`, `"2/3"`, `"3/3"`, into the run that they make up together.

    Or those of an ablation, cell by cell.

    Predictions, scores with their intervals, and report are those of the run without shards, computed over all
    predictions; nothing is asked. The folder is a run's like any other: it is scored, compared and resumed without
    `shard`.

    - `shards`: the folders of all shards of one run, or of one ablation, in any order.
    - `out`: the folder for the run, by default the one that it would have without `shard`; an ablation needs it. An
      earlier merge of the same run there is replaced, at once and only when the new one is whole.
    - `report`: False writes no page.

    Raises one `UserError` that names all shards that are missing, given twice, not finished, being written by another
    process, or of another run.
    """
    start_time = time.monotonic()
    folders, place = [Path(shard) for shard in shards], None if out is None else Path(out)
    if any(map(is_ablation, folders)):
        ablation = merge_ablations(folders, place)
        data = {cell.folder: _readable_data(cell.folder) for cell in ablation.finished if cell.folder is not None}
        with interruption_note.noting_errors(lambda: interruption_note.without_page("ablation", ablation.folder)):
            _report_ablation(ablation, data, report)
        return replace(ablation, seconds=time.monotonic() - start_time)
    result = merge_runs(folders, place)
    if report:
        with interruption_note.noting_errors(lambda: interruption_note.without_page("run", result.folder)):
            result = replace(result, report=reports.write_for(result.folder, _readable_data(result.folder)))
    return replace(result, seconds=time.monotonic() - start_time)


def _readable_data(folder: Path, data: DataSpec | None = None) -> Dataset | None:
    """The data of a finished run, None where they are not at `data`, or where the run had them."""
    with suppress(UserError):
        return examples_of(finished_run(folder), data)
    return None


def run_tasks(
    tasks: str | Sequence[TaskSpec],
    *,
    data: DataSpec | Mapping[str, DataSpec] | None = None,
    out: str | Path | None = None,
    engine: EngineSpec = "local",
    reply_cache: bool = False,
    go_on: bool = False,
    report: bool = True,
    judge: ReaderSpec | None = None,
    judge_prompts_from: str | Path | None = None,
    **arguments: Unpack[RecipeArguments],
) -> TaskResults:
    """Run several tasks with the same arguments, one after the other, each as `run` does it alone.

    - `tasks`: a benchmark ("muld", "scrolls", "zero_scrolls", "longbench", "infinitebench"), names with commas between,
      or a list.
    - `data`: a folder with the files of all, as they are published or in a folder for each task; a mapping from tasks'
      names; or "sample". None for the published files.
    - `out`: a folder for the runs, `OUT/<task>`; by default they lie where `run` would put them.
    - `judge`: as for `run`; it is asked of each task when that is finished.

    What cannot run (its data are missing, an argument does not fit it) is said on stderr before the first task starts
    and is in `not_run`; a task that fails later is in `failed`. The others go on. The same call again resumes: what is
    finished is not asked again. Raises `UserError` where no task can run.
    """
    start_time = time.monotonic()
    driver = engines.get(engine)
    folder = None if out is None else output_folder(out)
    planned = plan_tasks(tasks, folder, {"data": data, **arguments})
    plans = {name: plan for name, (_, plan) in planned.plans.items()}
    judges = {name: _judge_of(plan, judge, judge_prompts_from) for name, plan in plans.items()}
    print(visible(f"longdoc: {planned.summary}"), file=sys.stderr)
    results: dict[str, Result] = {}
    failed: dict[str, str] = {}
    for name, plan, result in run_planned(planned, driver, ExecutionOptions(reply_cache, go_on)):
        if isinstance(result, str):
            failed[name] = result
            note(f"{name} failed: {result}")
            continue
        asked_judge = judges[name]
        verdicts = asked_judge and judge_run(result.folder, asked_judge)
        results[name] = with_verdicts(result, verdicts) if verdicts else result
        for line in lines(results[name].judging):
            note(f"{name}: {line}")
        note(f"{name}: {counted(result.examples, 'example')} done, in {result.folder}")
        if report:
            stale = reports.is_stale(result.folder)
            page = reports.write_for(result.folder, plan.data) if stale else result.folder / reports.PAGE
            results[name] = replace(results[name], report=page)
        else:
            reports.remove_stale(result.folder)
    overview = overview_of_one([finished_run(result.folder) for result in results.values()], planned.name)
    return TaskResults(planned.name, results, overview, planned.not_run, failed, time.monotonic() - start_time)


def dry_run_tasks(
    tasks: str | Sequence[TaskSpec],
    *,
    data: DataSpec | Mapping[str, DataSpec] | None = None,
    engine: EngineSpec = "local",
    pilot: int | None = None,
    out: str | Path | None = None,
    **arguments: Unpack[RecipeArguments],
) -> TaskDryRuns:
    """What `run_tasks` with the same arguments would ask, by task; `pilot` and `out` as for `dry_run`.

    Raises `UserError` where no task can run.
    """
    driver = engines.get(engine)
    folder = None if out is None else output_folder(out)
    planned = plan_tasks(tasks, folder, {"data": data, **arguments})
    counts = {name: count_dry_run(plan, driver, pilot, path) for name, (path, plan) in planned.plans.items()}
    return TaskDryRuns(planned.name, counts, planned.not_run)


def dry_run(
    task: TaskSpec,
    *,
    engine: EngineSpec = "local",
    pilot: int | None = None,
    out: str | Path | None = None,
    **arguments: Unpack[PlanArguments],
) -> DryRun:
    """What `run` with the same arguments would ask: documents, examples, requests, tokens, pairs, and their price.

    No weights are loaded, save where over 10,000 pairs are compared: some are timed, by a local reader.

    - `pilot`: a local reader answers so many examples, spread over the lengths of prompts, which gives its time for all
      (`DryRun.pilot`). Nothing is ever asked of a reader behind an API.
    - `out`: the run's folder, where a pilot's replies are kept, so that the run goes on from them.

    Raises `UserError`.
    """
    driver = engines.get(engine)
    folder = None if out is None else output_folder(out)
    if folder is not None and pilot is not None:
        check_run_path(folder)
    return count_dry_run(make_plan(task, **arguments), driver, pilot, folder)


def prompt(task: TaskSpec, id: str, **arguments: Unpack[PlanArguments]) -> RenderedPrompt:
    """The exact text that the reader gets first for the example `id`, cut as it would be. Raises `UserError`.

    Where pairs of paragraphs are compared, the first pair.
    """
    return first_prompt(make_plan(task, **arguments), id)


def ablate(
    task: TaskSpec | Sequence[TaskSpec] | None = None,
    *,
    grid: GridSpec | None = None,
    baseline: str | Mapping[str, Any] | None = None,
    primary_metric: str | None = None,
    out: str | Path | None = None,
    engine: EngineSpec = "local",
    reply_cache: bool = False,
    go_on: bool = False,
    report: bool = True,
    yes: bool = False,
    **arguments: Any,
) -> Ablation:
    """Run a task many ways and compare them: `arguments` are `run`'s, and a list given to one of them is an axis.

    - `task`: one, several, or a benchmark. Of several, `data` is a mapping from their names, or a folder with the files
      of all; a cell is compared with the cell of its task that is otherwise as the baseline, and the means over tasks
      of the scores that all have come last. The page has the scores of all, and links to those of the runs.
    - `grid`: named variants beside the axes: a `Grid`, its list of mappings, or a YAML file.
    - `baseline`: the cell that the others are compared with, by its name or its settings; the first by default.
    - `primary_metric`: the score that tables and plots lead with; the task's first by default.
    - `out`: the ablation's folder, with its runs in `runs/`; by default the runs lie where `run` would put them, and
      the ablation beside them. What was run before is not run again, so that a longer list computes the new cells only.
    - `report`: False writes no pages, neither the ablation's nor those of its runs.
    - `yes`: start a grid of many cells.

    Documents are read once for all cells, split once for each chunker, indexed once for each retriever; equal requests
    are asked once. The models of all cells are in memory together; where they do not fit, run each alone with the same
    `out`, then all, which finds them finished and loads none.

    The plan is shown on stderr first. A cell that fails keeps its error, and the others go on. Raises `UserError` for
    an empty grid, a large one without `yes`, and where no cell can run.
    """
    start_time = time.monotonic()
    driver = engines.get(engine)  # what was typed is checked before the data are read
    if arguments.keys() & {*JUDGE}:
        raise UserError("an ablation asks no judge: longdoc score RUN --judge MODEL judges each of its runs")
    request = ablation_request(
        task=task, grid=grid, baseline=baseline, primary_metric=primary_metric, out=out, yes=yes, **arguments
    )
    ablation, data = run_ablation(request, driver, ExecutionOptions(reply_cache, go_on))
    with interruption_note.noting_errors(lambda: interruption_note.without_page("ablation", ablation.folder)):
        _report_ablation(ablation, data, report)
    return replace(ablation, seconds=time.monotonic() - start_time)


def _report_ablation(ablation: Ablation, data: Mapping[Path, Dataset | None], report: bool) -> None:
    """Write the pages of an ablation and of those of its runs that have no current one; or remove outdated ones."""
    has_several_tasks = len(ablation.axes.get("task", ())) > 1
    if report and not has_several_tasks:
        reports.write_for(ablation.folder, next(iter(data.values())), ablation)
    elif not report:
        reports.remove_stale(ablation.folder, ablation)
    for folder in dict.fromkeys(cell.folder for cell in ablation.finished if cell.folder is not None):
        if not report:
            reports.remove_stale(folder)
        elif reports.is_stale(folder):
            reports.write_for(folder, data[folder])
    if report and has_several_tasks:  # after the runs' pages, to which it links
        write_report(ablation.folder)


def plan_ablation(
    task: TaskSpec | Sequence[TaskSpec] | None = None, *, engine: EngineSpec = "local", **arguments: Any
) -> AblationPlan:
    """What `ablate` with the same arguments would do: cells, requests, about how long and for how much.

    A small pilot is split, indexed and asked to tell the time, so weights are loaded; nothing is written.
    """
    engines.get(engine)
    return make_ablation_plan(ablation_request(task=task, **arguments))


@checks_names
def rescore(
    folder: str | Path,
    *,
    metrics: MetricsSpec = (),
    data: DataSpec | None = None,
    report: bool = True,
    judge: ReaderSpec | None = None,
    judge_prompts_from: str | Path | None = None,
) -> dict[str, Any]:
    """Score a finished run's folder again and rewrite its `scores.json`, which is returned.

    Nothing is asked of the reader.

    - `metrics`: further metrics for the run, which keeps its own.
    - `data`: where the data are now, by default where the run had them. Metrics of the selection and of the evidence
      read the documents again.
    - `judge`: a reader that is asked of each prediction whether it is right, as for `run`; `judge_prompts_from`: the
      file with its prompt.
    - `report`: False writes no page, and removes an outdated one; else it is written anew, without passages where the
      data cannot be read.

    Raises `UserError` for a folder without a finished run, and for a further metric that needs data that cannot be
    read.
    """
    asked_judge = None if judge is judge_prompts_from is None else judge_for(task_of(folder), judge, judge_prompts_from)
    fields = rescoring.rescore(Path(folder), metrics, data)
    if asked_judge is not None:
        fields = {"not_recomputed": fields["not_recomputed"]} | judge_run(Path(folder), asked_judge)
    if not report:
        reports.remove_stale(Path(folder))
        return fields
    opened = _readable_data(Path(folder), data)
    if opened is not None or reports.is_stale(Path(folder)):
        reports.write_for(Path(folder), opened)
    return fields


def build(
    builder: str | Mapping[str, Any] | builders.Builder | None = None,
    source: str | Path | None = None,
    *,
    out: str | Path,
    seed: int | None = None,
    manifest: str | Path | None = None,
    **fields: Any,
) -> Built:
    """Make long-document data out of short: rows of MuLD's layout, one JSON Lines file per split, and `manifest.json`.

    - `builder`: a name (`pipelines.builders.names()`), `NAME:ARGS`, a mapping or an object; `fields` its parameters.
    - `source`: a file or folder; the builder's page says what has to be in it.
    - `out`: a new or empty folder, or one that holds the very same set.
    - `seed`: of every random choice, 0 where there is none.
    - `manifest`: instead of builder and seed, to make a set again byte for byte. `source` and `fields` then only say
      where its data are now.

    Raises `UserError` for a source that the builder cannot read, and for a folder with other content.
    """
    place = None if source is None else Path(source)
    if manifest is not None:
        if builder is not None or seed is not None:
            raise UserError("the manifest says builder and seed: leave them out, or leave the manifest out")
        return sets.remake(Path(manifest), output_folder(out), place, fields)
    if builder is None or place is None:
        raise UserError("name a builder and its source, as in: longdoc data build style_mix STORIES --out FOLDER")
    return sets.make(builders.get(builder, **fields), place, output_folder(out), seed or 0)


TRAINING = planned_arguments() & {"split", *command_line_options("train")} - {"model"}  # arguments of `run` in `train`


@takes_arguments(PlanArguments, TRAINING, accepts_unknown=True)
def train(
    task: TaskSpec,
    *,
    model: ReaderSpec,
    out: str | Path,
    validation: str | None = None,
    recipe: str | Mapping[str, Any] | Recipe | None = None,
    **arguments: Any,
) -> TrainedReader:
    """Train a reader on a task, from inputs that are made as `run` makes them. `models.get(out)` loads the result.

    Or a retriever, on the questions' gold evidence; `retrievers.get(out)` loads it.

    - `model`: what to start from: a hub id or folder of any encoder or sequence-to-sequence model, `minilm`, or a
      reader (`linear`, `stylometry`, `bi_encoder`, `span_extractor:minilm` …). An encoder becomes a classifier, or a
      classifier of pairs, as the task's strategy needs. "evidence_ranker", "bi_encoder:BASE" and "cross_encoder:BASE"
      become retrievers, the last two where the strategy compares no paragraphs. `retriever` is then the one whose best
      chunks without evidence are the negatives.
    - `out`: a folder for the reader. The same training started again goes on from its last checkpoint.
    - `split`: of the data, "train" by default; `validation`: what decides when to stop, by default the split of that
      name, and where there is none a tenth of the training documents.
    - `recipe`: how it learns (`pipelines.training.names()`), by default the one for this kind of reader; further
      `arguments` are the recipe's (`epochs`, `learning_rate`, `batch_size` …).

    Weights are kept as safetensors, scikit-learn's models by skops; nothing is pickled. Raises `UserError`.
    """
    from pipelines.training import _job

    run_values = {name: arguments.pop(name, default_of(name)) for name in TRAINING}
    return _job.train(
        task, model=model, out=output_folder(out), recipe=recipe, fields=arguments, validation=validation, **run_values
    )
