"""Trains an `evidence_ranker` on a task with gold evidence, and writes its folder."""

import dataclasses
import json
import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc import __version__
from longdoc.errors import UserError
from longdoc.optional import check
from longdoc.registry import describe, name_of
from models.saved import RETRIEVER, saved_description
from pipelines import tasks
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.spec import spec_of
from pipelines.engine.training_data import judged_documents
from pipelines.plugins.training.recipe import Recipe, TrainingJob, for_reader
from pipelines.plugins.training.shared import ranks
from pipelines.plugins.training.shared.folder import FORMAT, exclusive, finish
from pipelines.plugins.training.shared.held_out import say
from pipelines.plugins.training.trained_reader import TrainedReader
from retrievers import Retriever, registry
from retrievers.evidence_ranker import EvidenceRanker

CHUNKER = "units:of=sentence"
UNUSED_ARGUMENTS = (  # by the training of a retriever
    "strategy", "k", "budget", "order", "prompt", "max_new_tokens",
)  # fmt: skip


def trains_retriever(model: Any) -> bool:
    """Whether a model that is to be trained is a retriever: by its name, a mapping or an object."""
    if isinstance(model, Retriever):
        return name_of(model) == "evidence_ranker"
    name = model.get("name", "") if isinstance(model, Mapping) else model
    return isinstance(name, str) and name.partition(":")[0] == "evidence_ranker"


def train(
    task: tasks.Task,
    *,
    model: Any,
    out: Path,
    recipe: Any,
    fields: Mapping[str, Any],
    validation: str | None,
    **run_arguments: Any,
) -> TrainedReader:
    """Train in a folder. `run_arguments` are those of `run`. Raises `UserError`."""
    start_time = time.monotonic()
    ranks.join("cpu")  # the ranker is fitted there
    plan = _plan(task, model, run_arguments)
    chosen_recipe = for_reader(plan.retriever, recipe, fields)
    check(chosen_recipe.libraries, "neural", f"the recipe {name_of(chosen_recipe)}")
    if validation is not None:
        raise UserError("evidence_ranker is not stopped early, so it takes no validation split: leave it out")
    spec = _spec(plan, chosen_recipe)
    command = f"longdoc run {task.name} --retriever {shlex.quote(str(out))} --chunker {_chunker_option(plan)}"
    with exclusive(out, spec) as finished_record:
        if finished_record is not None:
            return _trained_retriever(finished_record, plan, out, command, 0.0, finished_earlier=True)
        documents = list(judged_documents(plan))
        if not documents:
            problem = f"no question of the split {plan.split!r} of {plan.task.name} has evidence"
            raise UserError(f"{problem}; {tasks.tasks_with_evidence()}")
        job = TrainingJob(
            reader=plan.retriever,
            train=(),
            validation=(),
            labels=(),
            out=out,
            checkpoints=out / "checkpoints",
            seed=plan.seed,
            report=say,
            documents=documents,
        )
        questions = sum(len(document.questions) for document in documents)
        metrics = {"training_documents": len(documents), "training_questions": questions, **chosen_recipe(job)}
        record = {"format": FORMAT, "longdoc": __version__, "spec": spec, "metrics": metrics}
        ranks.once_per_group(finish, out, record)
        return _trained_retriever(record, plan, out, command, time.monotonic() - start_time, finished_earlier=False)


def _plan(task: tasks.Task, model: Any, run_arguments: dict[str, Any]) -> Plan:
    """The plan with the untrained retriever. Raises `UserError` for a task without questions, and wrong arguments."""
    if not task.dataset.has_query:
        raise UserError(f"{task.name} asks no question, so it has no evidence to find; {tasks.tasks_with_evidence()}")
    if unused := [name for name in UNUSED_ARGUMENTS if run_arguments.pop(name, None) is not None]:
        raise UserError(f"a retriever learns from questions and evidence, without {', '.join(unused)}: leave it out")
    split = run_arguments.pop("split", None) or "train"
    if task.trains_on and run_arguments.get("data") is None and split not in task.dataset.files:
        raise UserError(f"{task.name} has no published split {split!r}; {task.trains_on}")
    if run_arguments.pop("retriever", None) is not None:
        raise UserError("evidence_ranker's retrievers are its signals: model='evidence_ranker:signals=[bm25,dense]'")
    chunker = run_arguments.pop("chunker", None) or _default_chunker(task)
    ranker = _untrained(model, chunker)
    return make_plan(task, model="none", split=split, retriever=ranker, chunker=chunker, **run_arguments)


def _untrained(model: Any, chunker: Any) -> Retriever:
    """The untrained ranker, for a chunker where that is a name."""
    if not isinstance(chunker, str):
        return registry.get(model)
    if isinstance(model, EvidenceRanker):
        return dataclasses.replace(model, chunker=chunker)
    return registry.get(model, chunker=chunker)


def _default_chunker(task: tasks.Task) -> str:
    """The chunker of the task's evidence preset; sentences for a task without one."""
    preset = f"evidence:{task.evidence},encoder=none"
    return registry.get(preset).chunker if task.evidence else CHUNKER


def _spec(plan: Plan, recipe: Recipe) -> dict[str, Any]:
    """Everything that decides what is learned."""
    spec = spec_of(plan)
    spec.pop("training")
    spec |= {"trains": "retriever", "limit": plan.limit, "validation": "nothing", "recipe": describe(recipe)}
    saved: dict[str, Any] = json.loads(json.dumps(spec))  # as it is read back
    return saved


def _chunker_option(plan: Plan) -> str:
    """The chunker as a value of --chunker."""
    record = dict(plan.chunker_record)
    name = record.pop("name")
    fields = ",".join(f"{key}={value}" for key, value in record.items())
    return shlex.quote(f"{name}:{fields}" if fields else name)


def _trained_retriever(
    record: Mapping[str, Any], plan: Plan, out: Path, command: str, seconds: float, finished_earlier: bool
) -> TrainedReader:
    """The result of a finished training, by its record."""
    description = saved_description(str(out), RETRIEVER)
    if description is None:
        raise UserError(f"{out} is a finished training without its {RETRIEVER}: choose another folder with out=")
    spec = record["spec"]
    return TrainedReader(
        task=plan.task.name,
        reader=description["name"],
        base=spec["retriever"].get("model") or description["name"],
        folder=out,
        validation=spec["validation"],
        metrics=record["metrics"],
        command=command,
        seconds=seconds,
        finished_earlier=finished_earlier,
        warnings=tuple(dict.fromkeys(plan.data.warnings)),
    )
