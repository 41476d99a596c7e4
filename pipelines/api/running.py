"""Run a task, and run it again. Thin: make a plan, hand it to the engine, give back a record."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from longdoc.files import output_folder
from pipelines.api.after_run import last_steps, with_last_steps
from pipelines.engine import engines, interruption_note
from pipelines.engine.engines import Engine
from pipelines.engine.planning.argument_types import (
    TaskSpec,
)
from pipelines.engine.planning.given_arguments import given_arguments
from pipelines.engine.planning.options import UNPLANNED, default_of, planned_arguments, refuse_unknown
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.run_options import RunOptions
from pipelines.engine.planning.sampling import shown_data
from pipelines.engine.planning.served_reader import with_served_reader
from pipelines.engine.recording.run_folder import check_run_path
from pipelines.engine.replay.rerun import Rerun
from pipelines.engine.running import execute as execution
from pipelines.engine.running.active_run import with_recorded_date
from pipelines.engine.running.execution_options import ExecutionOptions
from pipelines.results import reports
from pipelines.results.result import Result


def run(task: TaskSpec, **options: Unpack[RunOptions]) -> Result:
    """Run a task and score it. An argument left at None is as in the task's own recipe (for MuLD: the paper's).

    - `task`: a name (`pipelines.tasks.explained_errors()`), a `Task`, or `module:ATTRIBUTE`.
    - `data`: None (the published files), "sample" (bundled), a local file or folder, a list of rows (dicts), a pandas
      or polars frame, a `datasets.Dataset`, `Example`s.
    - `limit` takes the first N examples, `sample` N drawn over the documents by `seed`.
    - `shard`: "2/3" runs every third document of these from the second, for jobs that make a run together; `merge`
      joins the three runs. Each shard has its own folder.
    - `chunker`, `retriever`, `strategy`, `model`: a name, `NAME:ARGS`, a mapping with `name`, or an object. A bare
      name that the recipe uses keeps the recipe's arguments; `NAME:` has the component's own. `model` "floor" is the
      task's baseline, which any model has to beat; "PATH.gguf" is a file that llama-server, on the PATH, reads.
      Settings of the model stand there too: "ID,device=cuda,dtype=bf16", or {"name": ID, "max_input_tokens": 2000};
      without a name, as in "device=cuda", they are for the task's own model. `prices` may be a file with the prices of
      many models: `{input: 0.5, output: 1.5, cached: 0.05}` for each in YAML, JSON or TOML, or a row for each in CSV.
    - `server`: the address of a model server (llama.cpp, vLLM, Ollama) in place of `model`, which names one of its
      models where it serves several. The run records the reader that this makes.
    - `k` chunks are selected, or as many as the `budget` allows. With neither, the task's `k`, else as many as fill the
      reader's limit, the last one cut; ten where it has no limit, and at most ten behind an API.
    - `budget`: "300 words" of selected text, with the headings that are shown, or a prompt of "2000 tokens" as the
      reader counts them. A budget of words is filled with chunks in ranked order, text that chunks share only once; the
      last chunk is cut. Chunks that follow each other become one passage, and the prompt marks where text was left
      out. A budget of tokens has whole chunks.
    - `order`: the selected chunks by "score" or as in the "document" (the default with a budget of words).
    - `query`: None ranks chunks by the example's question, "centroid" by the document's own centroid instead.
    - `prompt`: a template with `{instruction}`, `{query}`, `{options}`, `{document}`; or "chat", the task's words for
      chat models, which these get by default, and "tags", the same with tags around the answer
      (`prompts.chat_prompt`). For rows that carry their own prompt, "chat" and "tags" are forms of it, and "row" is the
      prompt to the letter (`prompts.row_prompt`). Or "t5", "flan", "unifiedqa", "document": the prompts that these
      models were trained with (`longdoc list components prompts`).
    - `prompts_from`: the file of a benchmark's repository that has its prompts, or its folder. They take the place of
      ours, which the scores record. `FILE::GROUP` chooses between the groups of a Python file.
    - `data_revision`: the commit of the published files, by default the newest.
    - `out`: the run's folder, `runs/<task>-<digest of everything that decides the numbers>` by default. Starting the
      same run again resumes it; another run in the same folder is refused.
    - `go_on`: send all requests, even if most of the first 20 outputs of a model are empty. Without it the run stops
      then: replies are kept, and the error says what to change. It changes no file.
    - `report`: False writes no page, and removes one that is older than the scores; `pipelines.report(folder)` writes
      it later.
    - `judge`: a reader that says for each prediction whether it is right; the share that is right is the score
      `judged`. It is asked when the run is finished, and changes no other score.
    - `judge_prompts_from`: the file with the judge's prompt, in place of ours.

    Raises `UserError` for every error that the user can fix, and `RepliesAwaited` where requests wait in batch files.
    """
    start_time = time.monotonic()
    refuse_unknown(options)
    values = _with_defaults(options)
    driver = engines.get(values["engine"])  # first, so that a wrong name is an error before the data are read
    folder = None if values["out"] is None else output_folder(values["out"])
    if folder is not None:
        check_run_path(folder)
    result = _planned_run(task, values, driver, lambda _: folder)
    return replace(result, seconds=time.monotonic() - start_time)


def rerun(folder: str | Path, **changes: Unpack[RunOptions]) -> Result:
    """Make a run again by the arguments in its `run.json`, with `changes`, which are arguments of `run`.

    - Without changes, or with changes that leave it the same run (`limit`, `metrics`, `model="device=cpu"` …), it goes
      on in its folder; a finished run asks nothing again. `out` makes it anew in another folder.
    - A different run has the folder that `run` would give it; the differences are printed on stderr.
    - `data`: where the data are now, if not where the run had them.
    - A change replaces the argument that excludes it: `budget` replaces `k`.

    Arguments that were Python objects have to be given again. A run of an ablation can be made again like any other.
    Components of your own and API models have to be given again, too: `run.json` is data, which names no code.

    Raises `UserError` for a folder whose `run.json` keeps no arguments, and where it would be a different run without
    any change, since the data or a model are not what they were.
    """
    start_time = time.monotonic()
    earlier = Rerun.of(folder, changes)
    with earlier.explained_errors():
        values = _with_defaults(earlier.planned)
        task, driver = values.pop("task"), engines.get(values["engine"])
        before = None if "model" in changes else earlier.folder
        result = _planned_run(task, values, driver, lambda plan: earlier.folder_of(plan, values["out"]), before)
    return replace(result, seconds=time.monotonic() - start_time)


def _with_defaults(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a run, with the defaults of those that make no plan (`UNPLANNED`) where they were not given."""
    return {name: default_of(name) for name in UNPLANNED} | dict(arguments)


def _planned_run(
    task: Any,
    values: Mapping[str, Any],
    engine: Engine,
    folder_of: Callable[[Plan], Path | None],
    before: Path | None = None,
) -> Result:
    """Plan a run and make it in the folder of its plan (None: the default), with the date of the run `before`."""
    values = with_served_reader(values)
    plan = make_plan(task, **{name: value for name, value in values.items() if name in planned_arguments()})
    recorded_arguments = {name: value for name, value in values.items() if name not in ("out", "go_on")}
    plan = replace(plan, given=given_arguments(task, recorded_arguments))
    plan = plan if before is None else with_recorded_date(plan, before)
    steps = last_steps(plan.task, values, plan.shard is not None)
    result = execution.execute(plan, folder_of(plan), engine, ExecutionOptions(values["go_on"]))
    return _with_page(plan, with_last_steps(result, steps), values["report"])


def _with_page(plan: Plan, result: Result, report: bool) -> Result:
    """The result of a finished run with its page, which is written here; without `report` an old page is removed."""
    if not report:
        reports.remove_stale(result.folder)
        return result
    with interruption_note.noting_errors(lambda: interruption_note.missing_page_note("run", result.folder)):
        page = reports.write_for(result.folder, shown_data(plan))
    return replace(result, report=page)
