"""Makes a task of inspect_ai from a task of this project: its data, its prompts, its scores.

    inspect eval longdoc/scrolls/qasper -T data=qasper.json -T budget=300words --model longdoc/extractive

The scores are those of `longdoc run` with the same arguments and the same reader.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Unpack

import anyio.to_thread
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import Generate as Ask
from inspect_ai.solver import Solver, TaskState, generate, solver

import models
from longdoc.errors import UserError
from longdoc.messages import note
from models.prompts import Prompt
from models.requests import Generate
from pipelines import strategies, tasks
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.run_options import PlanOptions
from pipelines.engine.planning.sampling import run_examples
from pipelines.engine.planning.spec import recipe_of
from pipelines.engine.preparation.prepare import prepare
from pipelines.metrics import NotComputable
from pipelines.plugins.bridges.for_inspect.names import qualified, registered
from pipelines.plugins.bridges.for_inspect.scorers import ANSWER, CLUSTER, NO_ANSWER_MARK, scorers_of
from pipelines.plugins.bridges.for_inspect.selection import WORDS, counting_reader, prompt_of_job, show
from pipelines.prompts.template import Template
from pipelines.records import Document, Example, is_unanswerable, references_text
from pipelines.strategies import Job

MAX_DOCUMENTS = 8  # documents whose jobs stay in memory


def longdoc_task(task: str, **arguments: Unpack[PlanOptions]) -> Task:
    """A task of this project (`longdoc list tasks`) for inspect_ai. Raises `UserError`.

    `arguments` are those of `pipelines.run`; the data are a path or "sample", None for the published files. Samples
    have the question as input, the references as target, and the document's id and title in their metadata; the
    documents themselves stay out of the log. The prompt is that of a run. The scores are the task's metrics of the
    answer; `longdoc run` has those of the selection and its evidence.
    """
    name = tasks.full_name(task)
    prompts = _prompts(name, _key(arguments))
    length = prompts.plan(WORDS).max_new_tokens
    steps = [longdoc_prompt(name, **arguments), generate(max_tokens=length)]
    return Task(
        dataset=MemoryDataset([_sample(example) for example in prompts.examples.values()], name=name),
        solver=[*steps, *([longdoc_answer(name, **arguments)] if prompts.has_answers else [])],
        scorer=scorers_of(prompts.metrics),
        name=qualified(name),
        metadata={
            "recipe": recipe_of(prompts.plan(WORDS)).rpartition(" → ")[0],
            **({"not_computed": prompts.not_computed} if prompts.not_computed else {}),
        },
    )


@solver(name=registered("longdoc_prompt"))
def longdoc_prompt(task: str, **arguments: Unpack[PlanOptions]) -> Solver:
    """The solver that puts the prompt of a run in place of the sample's, which it finds by its id."""
    prompts = _prompts(task, _key(arguments))

    async def solve(state: TaskState, generate: Ask) -> TaskState:
        plan, job, prompt = await anyio.to_thread.run_sync(prompts.prompt_for, str(state.sample_id), counting_reader())
        show(state, plan, job, prompt)
        return state

    return solve


@solver(name=registered("longdoc_answer"))
def longdoc_answer(task: str, **arguments: Unpack[PlanOptions]) -> Solver:
    """The solver that takes the answer out of the output, such as the text between tags or the option named."""
    prompts = _prompts(task, _key(arguments))

    async def solve(state: TaskState, generate: Ask) -> TaskState:
        example = prompts.examples[str(state.sample_id)]
        template = prompts.plan(counting_reader()).template
        state.store.set(ANSWER, template.answer(example, state.output.completion))
        return state

    return solve


def _key(arguments: Mapping[str, Any]) -> str:
    """The arguments as JSON, by which the data are read once for dataset and solvers. Raises `UserError`."""
    if refused := arguments.keys() & {"model", "strategy"}:
        model_hint = "the model is its own: --model longdoc/NAME -M max_input_tokens=N"
        reason = "each sample is one prompt: leave it out" if "strategy" in refused else model_hint
        raise UserError(f"a task in inspect_ai does not take {min(refused)}: {reason}")
    plain_arguments = {
        name: str(value) if isinstance(value, Path) else value for name, value in arguments.items() if value is not None
    }
    try:
        return json.dumps(plain_arguments, sort_keys=True)
    except TypeError:
        raise UserError("a task in inspect_ai takes names and paths, which its log can hold, not objects") from None


@cache
def _prompts(task: str, arguments: str) -> "TaskPrompts":
    return TaskPrompts(tasks.get(task), json.loads(arguments))


class TaskPrompts:
    """The examples of a task, all in memory, and their prompts, made one document at a time."""

    def __init__(self, task: tasks.Task, arguments: Mapping[str, Any]) -> None:
        self.task, self._arguments = task, arguments
        # by the reader's identity; keeping the reader makes that unique
        self._plans: dict[int, tuple[models.Reader, Plan]] = {}
        self._jobs: OrderedDict[tuple[str, int], dict[str, Job]] = OrderedDict()
        self._busy = threading.Lock()
        _check_one_prompt(task)
        plan = self.plan(WORDS)
        self.examples: dict[str, Example] = {example.id: example for example in run_examples(plan)}
        self._documents: dict[str, list[Example]] = {}
        for example in self.examples.values():
            self._documents.setdefault(example.document.id, []).append(example)
        self.not_computed: dict[str, str] = {}
        self.metrics = [name for name, metric in plan.metrics.items() if metric.target == "prediction"]
        for name in self.metrics if "metrics" not in arguments else ():  # the task's own, as in a run
            try:
                plan.metrics[name].prepare()
            except NotComputable as error:
                self.not_computed[name] = str(error)
                note(f"{name} is not computed: {error}")
        self.metrics = [name for name in self.metrics if name not in self.not_computed]
        if not self.metrics:
            raise UserError(f"{task.name} has no metric of the answer here ({', '.join(plan.metrics)}): metrics='f1'")
        self.has_answers = not isinstance(plan.template, Template)

    def plan(self, reader: models.Reader) -> Plan:
        """The plan of a run with this reader."""
        if id(reader) not in self._plans:
            self._plans[id(reader)] = reader, make_plan(self.task, model=reader, **self._arguments)
        return self._plans[id(reader)][1]

    def prompt_for(self, example_id: str, reader: models.Reader) -> tuple[Plan, Job, Prompt]:
        """The prompt for the example with this id, with its plan and its job. Raises `UserError`."""
        example = self.examples[example_id]
        with self._busy:
            plan, key = self.plan(reader), (example.document.id, id(reader))
            jobs = self._jobs.pop(key, None) or self._prepared_jobs(plan, example.document)
            self._jobs[key] = jobs
            if len(self._jobs) > MAX_DOCUMENTS:
                self._jobs.popitem(last=False)
            return plan, jobs[example_id], prompt_of_job(plan, jobs[example_id])

    def _prepared_jobs(self, plan: Plan, document: Document) -> dict[str, Job]:
        """The jobs of a document, all at once, as in a run."""
        return {job.example.id: job for job in prepare(plan, document, self._documents[document.id])}


def _sample(example: Example) -> Sample:
    """An example as a sample, without its document."""
    meta = {name: value for name, value in example.meta.items() if isinstance(value, (str, int, float, bool))}
    metadata: dict[str, Any] = {CLUSTER: example.document.id, "title": example.document.title, "meta": meta}
    metadata |= {NO_ANSWER_MARK: is_unanswerable(example.references)}
    metadata |= {"evidence": [list(span) for span in example.evidence]} if example.evidence else {}
    return Sample(
        input=example.query,
        target=list(references_text(example.references)),
        choices=list(example.options) or None,
        id=example.id,
        metadata={name: value for name, value in metadata.items() if value},
    )


def _check_one_prompt(task: tasks.Task) -> None:
    """Raise `UserError` for a task whose strategy makes other requests than one prompt for each example."""
    strategy = strategies.get(task.strategy)
    if not strategy.one_prompt or strategy.needs != {Generate}:
        reason = f"its strategy, {task.strategy}, is made of other requests"
        raise UserError(f"{task.name} does not ask one prompt an example ({reason}): longdoc run {task.name}")
