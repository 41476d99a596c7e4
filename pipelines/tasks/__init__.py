"""A task is a short declaration: what is asked of which documents, by which recipe, scored how.

`tasks.get("narrativeqa")`, `tasks.get("scrolls/qasper")`; behind the slash is enough where it names one task. A task of
your own is a `Task` handed to `pipelines.run`, or named as `module:ATTRIBUTE`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from longdoc.allowed_code import import_attribute
from longdoc.errors import UserError, unknown
from models.prompts import CutAt
from pipelines.sources import DatasetInfo
from pipelines.strategies.shared.chat_words import ChatWords as ChatWords
from pipelines.tasks.prompts.prompt_files import PromptFile


@dataclass(frozen=True, slots=True)
class Judging:
    """What a judge is asked of a task's predictions (`judge=`).

    - `absent`: whether a right answer says that the document does not answer the question, as all references do.
    - `prompt`: which prompt of the benchmark's own file of judge prompts is this task's: a word of the condition under
      which its code uses it; "" for the one that it uses else.
    """

    absent: bool = False
    prompt: str = ""


OWN_FILES = DatasetInfo(repository="", files={}, layout="rows", counts={})  # of a task without published files


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
    of `prompt`. `predictions` is the layout of its published files of predictions (`pipelines.evaluation.predictions`).
    `judging` is what a judge is asked of its predictions. `chat` is the wording for chat models, which get it in place
    of `prompt`; None where the rows carry prompts.
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
    model: str = "google-t5/t5-base"
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


TaskSpec = str | Task
GROUPS = (  # modules whose tasks are a benchmark
    "muld", "scrolls", "zero_scrolls", "longbench", "infinitebench", "lara", "loogle", "ruler", "oolong", "leval",
)  # fmt: skip
SINGLES = (
    "longbench_v2", "literaryqa", "nocha", "financebench", "aa_lcr", "chunking_evaluation",
    "babilong", "graphwalks", "mrcr", "longbench_pro",
    "own_data",
)  # fmt: skip
MODULES = (*GROUPS, *SINGLES)
ROWS = (".csv", ".tsv", ".json", ".jsonl", ".parquet")  # endings of files that people give in place of a task


def all_tasks() -> dict[str, Task]:
    """Every task of longdoc by name."""
    return {task.name: task for module in MODULES for task in _tasks(module)}


def declared(name: str) -> Task | None:
    """The task of longdoc with exactly this name, None where there is none.

    Only the files that may declare it are imported: the benchmark's for a name with its slash, few for most others.
    """
    benchmark, slash, _ = name.partition("/")
    singles = (module for module in reversed(MODULES) if module not in GROUPS)  # own data first, asked for most often
    modules = (benchmark,) if slash and benchmark in GROUPS else (*singles, *GROUPS)
    return next((task for module in modules for task in _tasks(module) if task.name == name), None)


def _tasks(module: str) -> tuple[Task, ...]:
    tasks: tuple[Task, ...] = import_module(f"{__name__}.{module}").TASKS
    return tasks


def names() -> list[str]:
    """The names of all tasks."""
    return sorted(all_tasks())


def group(name: str) -> tuple[Task, ...]:
    """The tasks of a benchmark, in its own order; none for another name."""
    return _tasks(name) if name in GROUPS else ()


def is_several(task: Any) -> bool:
    """Whether this stands for several tasks: a benchmark's name, names with commas between, or a list."""
    return isinstance(task, (list, tuple)) or (isinstance(task, str) and (task in GROUPS or "," in task))


def task_list(specs: Any) -> list[Task]:
    """The tasks that a name, names with commas between, or a list of them stand for; a benchmark's name for all of it.

    Raises `UserError` for an unknown task, and for one that is given twice.
    """
    tasks: list[Task] = []
    for spec in specs if isinstance(specs, (list, tuple)) else [specs]:
        for name in [piece.strip() for piece in spec.split(",")] if isinstance(spec, str) else [spec]:
            tasks += group(name) if isinstance(name, str) and name in GROUPS else [get(name)]
    if len({task.name for task in tasks}) < len(tasks):
        raise UserError("a task is given twice: leave one out")
    return tasks


def tasks_with_evidence() -> str:
    """The tasks whose data have gold evidence, for messages."""
    names = sorted(name for name, task in all_tasks().items() if "evidence_recall" in task.metrics)
    return f"tasks with gold evidence are {', '.join(names)}, and your own rows with a field `evidence` (task qa)"


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
    """The task for a name (see `full_name`), `module:ATTRIBUTE` or a `Task`. Raises `UserError`: the nearest names."""
    if isinstance(task, Task):
        return task
    if not isinstance(task, str):
        raise UserError(
            f"{task!r} is no task: give a name ('narrativeqa'; `longdoc list tasks` has them) or a pipelines.tasks.Task"
        )
    if declared_task := declared(full_name(task)):
        return declared_task
    if re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", task):
        return _imported(task)
    if is_several(task):
        raise UserError(f"{task} stands for several tasks: longdoc run {task}, or pipelines.run_tasks({task!r})")
    if task.lower().endswith(ROWS):
        raise UserError(f"{task} is a file of rows, not a task: longdoc run qa --data {task}")
    raise unknown("task", task, {*all_tasks(), *GROUPS})


def _imported(name: str) -> Task:
    value = import_attribute(name, "task")
    if not isinstance(value, Task):
        raise UserError(f"{name} is {value!r}, not a {__name__}.Task: name one")
    return value
