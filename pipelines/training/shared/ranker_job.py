"""From a task with gold evidence and an untrained `evidence_ranker` to the folder of the trained one."""

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
from pipelines.results.trained_reader import TrainedReader
from pipelines.training import Recipe, TrainingJob, for_reader
from pipelines.training.shared import ranks
from pipelines.training.shared.folder import FORMAT, exclusive, finish
from pipelines.training.shared.held_out import say
from retrievers import Retriever, registry
from retrievers.evidence_ranker import EvidenceRanker

CHUNKER = "units:of=sentence"
NO_USE = (  # to a retriever that learns
    "strategy", "k", "budget", "select", "fill", "order", "prompt", "max_new_tokens", "max_input_tokens",
)  # fmt: skip


def trains_retriever(model: Any) -> bool:
    """Whether a model that is to be trained is a retriever: by its name, a mapping or an object."""
    if isinstance(model, Retriever):
        return name_of(model) == "evidence_ranker"
    named = model.get("name", "") if isinstance(model, Mapping) else model
    return isinstance(named, str) and named.partition(":")[0] == "evidence_ranker"


def train(
    task: tasks.Task,
    *,
    model: Any,
    out: Path,
    recipe: Any,
    fields: Mapping[str, Any],
    validation: str | None,
    **given_fields: Any,
) -> TrainedReader:
    """Train in a folder. Raises `UserError`."""
    start_time = time.monotonic()
    ranks.join(given_fields.get("device"))
    plan = _plan(task, model, given_fields)
    chosen_recipe = for_reader(plan.retriever, recipe, fields)
    check(chosen_recipe.libraries, "neural", f"the recipe {name_of(chosen_recipe)}")
    if validation is not None:
        raise UserError("evidence_ranker is not stopped early, so it takes no validation split: leave it out")
    spec = _spec(plan, chosen_recipe)
    command = f"longdoc run {task.name} --retriever {shlex.quote(str(out))} --chunker {_typed_text(plan)}"
    with exclusive(out, spec) as known_fields:
        if known_fields is not None:
            return _trained(known_fields, plan, out, command, 0.0, finished=True)
        documents = list(judged_documents(plan))
        if not documents:
            problem = f"no question of the split {plan.split!r} of {plan.task.name} has evidence"
            raise UserError(f"{problem}; {tasks.tasks_with_evidence()}")
        job = TrainingJob(plan.retriever, (), (), (), out, out / "checkpoints", plan.seed, say, documents)
        questions = sum(len(document.questions) for document in documents)
        metrics = {"training_documents": len(documents), "training_questions": questions, **chosen_recipe(job)}
        values = {"format": FORMAT, "longdoc": __version__, "spec": spec, "metrics": metrics}
        ranks.once_per_group(finish, out, values)
        return _trained(values, plan, out, command, time.monotonic() - start_time, finished=False)


def _plan(task: tasks.Task, model: Any, given_fields: dict[str, Any]) -> Plan:
    """The plan whose retriever is to be trained."""
    if not task.dataset.has_query:
        raise UserError(f"{task.name} asks no question, so it has no evidence to find; {tasks.tasks_with_evidence()}")
    if unused := [name for name in NO_USE if given_fields.pop(name, None) is not None]:
        raise UserError(f"a retriever learns from questions and evidence, without {', '.join(unused)}: leave it out")
    split = given_fields.pop("split", None) or "train"
    if task.trains_on and given_fields.get("data") is None and split not in task.dataset.files:
        raise UserError(f"{task.name} has no published split {split!r}; {task.trains_on}")
    if given_fields.pop("retriever", None) is not None:
        raise UserError("evidence_ranker's retrievers are its signals: model='evidence_ranker:signals=[bm25,dense]'")
    if given_fields.pop("device", None) is not None:
        raise UserError("evidence_ranker is fitted on the CPU: leave device= out")
    chunker = given_fields.pop("chunker", None) or _units(task)
    ranker = _untrained(model, chunker)
    return make_plan(task, model="none", split=split, retriever=ranker, chunker=chunker, **given_fields)


def _untrained(model: Any, chunker: Any) -> Retriever:
    """A ranker that has yet to learn, made for a chunker where that is named."""
    if not isinstance(chunker, str):
        return registry.get(model)
    if isinstance(model, EvidenceRanker):
        return dataclasses.replace(model, chunker=chunker)
    return registry.get(model, chunker=chunker)


def _units(task: tasks.Task) -> str:
    """The chunker of the task's preset of evidence."""
    preset = f"evidence:{task.evidence},encoder=none"
    return registry.get(preset).chunker if task.evidence else CHUNKER


def _spec(plan: Plan, recipe: Recipe) -> dict[str, Any]:
    """Everything that decides what is learned."""
    spec = spec_of(plan)
    spec.pop("training")
    spec |= {"trains": "retriever", "limit": plan.limit, "validation": "nothing", "recipe": describe(recipe)}
    saved: dict[str, Any] = json.loads(json.dumps(spec))  # as it is read back
    return saved


def _typed_text(plan: Plan) -> str:
    """The chunker as it is typed."""
    record = dict(plan.chunker_record)
    name = record.pop("name")
    fields = ",".join(f"{key}={value}" for key, value in record.items())
    return shlex.quote(f"{name}:{fields}" if fields else name)


def _trained(
    record: Mapping[str, Any], plan: Plan, out: Path, command: str, seconds: float, finished: bool
) -> TrainedReader:
    names = saved_description(str(out), RETRIEVER)
    if names is None:
        raise UserError(f"{out} is a finished training without its {RETRIEVER}: choose another folder with out=")
    spec = record["spec"]
    base = spec["retriever"].get("model") or names["name"]
    warnings = tuple(dict.fromkeys(plan.data.warnings))
    return TrainedReader(
        plan.task.name, names["name"], base, out, spec["validation"], record["metrics"], command, seconds, finished,
        warnings,
    )  # fmt: skip
