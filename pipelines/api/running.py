"""Run a task, and run it again. Thin: make a plan, hand it to the engine, give back a record."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from longdoc.errors import UserError
from longdoc.folders import output_folder
from pipelines.engine import engines, interruption_note
from pipelines.engine.engines import Engine
from pipelines.engine.planning.argument_types import (
    ReaderSpec,
    TaskSpec,
)
from pipelines.engine.planning.given_arguments import given_arguments
from pipelines.engine.planning.options import UNPLANNED, default_of, planned_arguments
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.run_arguments import RunChanges
from pipelines.engine.planning.sampling import shown_data
from pipelines.engine.planning.served_reader import with_served_reader
from pipelines.engine.planning.signatures import takes_arguments
from pipelines.engine.recording.run_folder import check_run_path
from pipelines.engine.replay.rerun import Rerun
from pipelines.engine.running import execute as execution
from pipelines.engine.running.active_run import on_its_date
from pipelines.engine.running.execution_options import ExecutionOptions
from pipelines.evaluation.judging.judge import Judge
from pipelines.evaluation.judging.judge_run import judge_for, judge_run, with_verdicts
from pipelines.results import reports
from pipelines.results.result import Result


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
      task's floor, the least that a model has to beat; "PATH.gguf" is a file that llama-server, on the PATH, reads.
    - `server`: the address of a model server (llama.cpp, vLLM, Ollama) in place of `model`, which names one of its
      models where it serves several. The run records the reader that this makes.
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
      (`strategies.shared.chat_prompt`); of rows that carry their prompt forms of it, and "row" the prompt to the letter
      (`strategies.shared.row_prompt`); or "t5", "flan", "unifiedqa", "document": what these models were trained with
      (`longdoc list components prompts`).
    - `prompts_from`: the file of a benchmark's repository that has its prompts, or its folder: they are used in place
      of ours, as their scores then say. `FILE::GROUP` chooses between several of a Python file.
    - `revision`: the model's, or a mapping with "model" and "data".
    - `out`: the run's folder, `runs/<task>-<digest of everything that decides the numbers>` by default. Starting the
      same run again resumes it; another run in the same folder is refused.
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


def rerun(folder: str | Path, **changes: Unpack[RunChanges]) -> Result:
    """Make a run again, by the arguments that its `run.json` keeps, with `changes`, which are arguments of `run`.

    - Without changes, or with changes that leave it the same run (`limit`, `metrics`, `device` …), it goes on in its
      folder; of a finished run nothing is asked again. `out` makes it anew in another folder.
    - Another run has the folder that `run` would give it; what differs is printed on stderr.
    - `data`: where the data are now, if not where the run had them.
    - A change replaces what cannot be given together with it: `select` replaces `k` and `budget`.

    What was given as a Python object has to be given again. A run of an ablation can be made again like any other.
    Components of your own and API models have to be given again, too: `run.json` is data, which names no code.

    Raises `UserError` for a folder whose `run.json` keeps no arguments, and where without any change it would be
    another run, as the data or a model are not what they were.
    """
    start_time = time.monotonic()
    rerun = Rerun.of(folder, changes)
    with rerun.names():
        values = _with_defaults(rerun.planned)
        task, driver = values.pop("task"), engines.get(values["engine"])
        before = None if "model" in changes else rerun.folder
        result = _planned_run(task, values, driver, lambda plan: rerun.folder_of(plan, values["out"]), before)
    return replace(result, seconds=time.monotonic() - start_time)


def _with_defaults(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a run, with those that say how it is made at their defaults where they were not given."""
    return {name: default_of(name) for name in UNPLANNED} | dict(arguments)


def _planned_run(
    task: Any,
    values: Mapping[str, Any],
    engine: Engine,
    place: Callable[[Plan], Path | None],
    before: Path | None = None,
) -> Result:
    """Plan a run and make it in the place that its plan has (None: by default), on the date of the run `before`."""
    values = with_served_reader(values)
    plan = make_plan(task, **{name: value for name, value in values.items() if name in planned_arguments()})
    recorded_values = {name: value for name, value in values.items() if name not in ("out", "go_on")}
    plan = replace(plan, given=given_arguments(task, recorded_values))
    plan = plan if before is None else on_its_date(plan, before)
    judge = judge_of(plan, values["judge"], values["judge_prompts_from"])
    options = ExecutionOptions(values["go_on"])
    return _finished_run(plan, place(plan), engine, options, values["report"], judge)


def judge_of(plan: Plan, judge: ReaderSpec | None, prompts_from: str | Path | None) -> Judge | None:
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
        page = reports.write_for(result.folder, shown_data(plan))
    return replace(result, report=page)
