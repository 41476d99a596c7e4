"""A task is a short declaration: what is asked of which documents, by which recipe, scored how.

`tasks.get("narrativeqa")`, `tasks.get("scrolls/qasper")`; behind the slash is enough where it names one task. A task of
your own is a `Task` handed to `pipelines.run`, or named as `module:ATTRIBUTE`.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal, Protocol, runtime_checkable

from longdoc import extensions
from longdoc.allowed_code import import_attribute
from longdoc.errors import UserError, unknown
from longdoc.extensions import benchmarks
from longdoc.plugin import loaded
from models.prompts import CutAt
from pipelines.prompts.chat_words import ChatWords as ChatWords
from pipelines.prompts.row_prompt import RowWording
from pipelines.sources import DatasetInfo
from pipelines.tasks.prompt_files import PromptFile


@dataclass(frozen=True, slots=True)
class Judging:
    """What a judge is asked of a task's predictions (`judge=`).

    - `absent`: whether a right answer says that the document does not answer the question, as all references do.
    - `prompt`: which prompt of the benchmark's own file of judge prompts is this task's: a word of the condition under
      which its code uses it; "" for the one that it uses otherwise.
    """

    absent: bool = False
    prompt: str = ""


OWN_FILES = DatasetInfo(repository="", files={}, layout="rows", counts={})  # of a task without published files


USUAL_MODEL = "google-t5/t5-base"  # that of the recipes of MuLD


@dataclass(frozen=True, slots=True)
class Task:
    """What to run and how it is scored; every recipe field can be overridden by an argument of `run`.

    `split` is the scored split; `k` is how many chunks are selected, as the benchmark's paper says; None: as many as
    fit the reader's prompt, the last one cut, and ten where no limit bounds it. `max_new_tokens` is the output length,
    its source in `notes`; `prompt` a template of named parts, of which `instruction` is one, or "row" where each row
    carries its own; `cut_at` where that prompt's document ends if it does not fit, "token" where the benchmark's code
    cuts token ids, and `equal_halves` whether, cutting the middle, it keeps two halves of one length, one token less
    than an odd limit; `labels` the classes of a classification task; `floor` the reader that model="floor" stands for,
    the least that a model has to beat, and `floor_chunker` and `floor_strategy` what it runs with; `dataset` what is
    known of its published files. `training` are arguments that `train` takes in place of the recipe's, where that asks
    about parts and the references are of the whole; `trains_on` says what to train on where no training split is
    published. `evidence` is the preset of the retriever `evidence` that retriever="best" stands for, "general" where it
    is empty. `prompts` are templates that take the place of `prompt` in a form of the run: "passages" where a retriever
    selects, "closed book" where nothing is shown, "reasoning" and "conclusion" in the two requests of strategy
    chain_of_thought. `prompt_file` says where the benchmark keeps its own prompt, which `prompts_from` reads in place
    of `prompt`. `predictions` is the layout of its published files of predictions (the benchmark's `predictions.py`).
    `judging` is what a judge is asked of its predictions. `chat` is the wording for chat models, which get it in place
    of `prompt`; None where the rows carry prompts. `row_wording` is for these: our words for examples of original
    releases, which carry none. `score` is the score that counts in the benchmark's own, the mean over its tasks; "" for
    benchmarks without one.
    """

    name: str
    summary: str
    metrics: tuple[str, ...]
    max_new_tokens: int
    dataset: DatasetInfo = OWN_FILES
    split: str = "test"
    chunker: str = "tokens:size=200"
    retriever: str = "tfidf"
    k: int | None = None
    order: Literal["score", "document"] = "score"
    strategy: str = "stuff"
    model: str = USUAL_MODEL
    prompt: str = "{query} {document}"
    cut_at: CutAt = "word"
    equal_halves: bool = False
    instruction: str = ""
    labels: tuple[str, ...] = ()
    notes: str = ""
    floor: str = ""
    training: tuple[tuple[str, Any], ...] = ()
    trains_on: str = ""
    floor_chunker: str = "whole"
    floor_strategy: str = "stuff"
    evidence: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict)
    prompt_file: PromptFile | None = None
    predictions: str = ""
    judging: Judging = Judging()
    chat: ChatWords | None = None
    row_wording: RowWording | None = None
    score: str = ""


@runtime_checkable
class TaskModule(Protocol):
    """A benchmark's module `tasks`."""

    TASKS: tuple[Task, ...]


TaskSpec = str | Task
ROWS = (".csv", ".tsv", ".json", ".jsonl", ".parquet")  # endings of files that people give in place of a task


def all_tasks() -> dict[str, Task]:
    """Every task of longdoc by name: those of one's own data, then the benchmarks'."""
    return {task.name: task for tasks in (own_data_tasks(), *map(tasks_of, benchmarks())) for task in tasks}


def declared(name: str) -> Task | None:
    """The task of longdoc with exactly this name, None where there is none.

    Only the files that may declare it are imported: the benchmark's for a name with its slash.
    """
    benchmark, slash, _ = name.partition("/")
    if slash:
        tasks = tasks_of(benchmark) if benchmark in benchmarks() else ()
        return next((task for task in tasks if task.name == name), None)
    likely_first = sorted(benchmarks(), key=lambda benchmark: benchmark != name)
    candidates = chain(own_data_tasks(), chain.from_iterable(map(tasks_of, likely_first)))
    return next((task for task in candidates if task.name == name), None)


def own_data_tasks() -> tuple[Task, ...]:
    """The tasks of one's own documents."""
    tasks: tuple[Task, ...] = loaded(f"{__name__}.own_data:TASKS")
    return tasks


def tasks_of(benchmark: str) -> tuple[Task, ...]:
    """The tasks of a benchmark, in its own order."""
    module = extensions.part(benchmark, "tasks")
    return module.TASKS if isinstance(module, TaskModule) else ()


def names() -> list[str]:
    """The names of all tasks."""
    return sorted(all_tasks())


def groups() -> list[str]:
    """The names of the benchmarks that have several tasks: a run of such a name is one of all of them."""
    return [benchmark for benchmark in benchmarks() if group(benchmark)]


def group(name: str) -> tuple[Task, ...]:
    """The tasks of a benchmark, in its own order; empty for other names, and for a benchmark that is one task."""
    tasks = tasks_of(name) if name in benchmarks() else ()
    return () if any(task.name == name for task in tasks) else tasks


def is_several(task: Any) -> bool:
    """Whether this stands for several tasks: a benchmark's name, names with commas between, or a list."""
    return isinstance(task, (list, tuple)) or (isinstance(task, str) and (bool(group(task)) or "," in task))


def task_list(specs: Any) -> list[Task]:
    """The tasks that a name, names with commas between, or a list of them stand for; a benchmark's name for all of it.

    Raises `UserError` for an unknown task, and for one that is given twice.
    """
    tasks: list[Task] = []
    for spec in specs if isinstance(specs, (list, tuple)) else [specs]:
        for name in [piece.strip() for piece in spec.split(",")] if isinstance(spec, str) else [spec]:
            tasks += (isinstance(name, str) and group(name)) or [get(name)]
    if repeated := [name for name, count in Counter(task.name for task in tasks).items() if count > 1]:
        raise UserError(f"the task {repeated[0]} is given twice: name it once")
    return tasks


def tasks_with_evidence() -> str:
    """The tasks whose data have gold evidence, for messages."""
    task_names = sorted(name for name, task in all_tasks().items() if "evidence_recall" in task.metrics)
    return f"tasks with gold evidence are {', '.join(task_names)}, and your own rows with a field `evidence` (task qa)"


def full_name(name: str) -> str:
    """The whole name for a bare one (`contract_nli` for `scrolls/contract_nli`); any other name as it is.

    Raises `UserError` that lists the tasks where a bare name is several tasks'.
    """
    if declared(name):
        return name
    candidates = [task for task in all_tasks() if task.endswith(f"/{name}")]
    if len(candidates) > 1:
        raise UserError(f"several tasks are called {name!r}: type {', '.join(candidates[:-1])} or {candidates[-1]}")
    return candidates[0] if candidates else name


def get(task: Any) -> Task:
    """The task for a name (see `full_name`), `module:ATTRIBUTE` or a `Task`. Raises `UserError` with near names."""
    if isinstance(task, Task):
        return task
    if not isinstance(task, str):
        raise UserError(
            f"{task!r} is not a task: give a name ('narrativeqa'; `longdoc list tasks` has them) or a "
            "pipelines.tasks.Task"
        )
    if declared_task := declared(full_name(task)):
        return declared_task
    if re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", task):
        return _imported(task)
    if is_several(task):
        raise UserError(f"{task} stands for several tasks: longdoc run {task}, or pipelines.run_tasks({task!r})")
    if task.lower().endswith(ROWS):
        raise UserError(f"{task} is a file of rows, not a task: longdoc run qa --data {task}")
    raise unknown("task", task, {*all_tasks(), *groups()})


def _imported(name: str) -> Task:
    """The task that `module:ATTRIBUTE` names. Raises `UserError` for anything but a task."""
    task = import_attribute(name, "task")
    if not isinstance(task, Task):
        raise UserError(f"{name} must be a {__name__}.Task, got {task!r}")
    return task
