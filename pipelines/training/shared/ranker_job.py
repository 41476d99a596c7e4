"""From a task with gold evidence and an untrained retriever to the folder of the trained one.

`evidence_ranker`, `bi_encoder` and `cross_encoder` learn from questions and their evidence. The last two are also
readers that compare paragraphs: that is what they are trained to be where the task's strategy compares.
"""

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
from models.requests import Compare
from models.saved import RETRIEVER, saved_description
from pipelines import strategies, tasks
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.spec import spec_of
from pipelines.engine.training_data import judged_documents
from pipelines.results.trained_reader import TrainedReader
from pipelines.training import Recipe, TrainingJob, for_reader, record
from pipelines.training.shared import gradient as gradient
from pipelines.training.shared import ranks, search, trackers
from pipelines.training.shared.folder import FORMAT, exclusive, finish
from pipelines.training.shared.held_out import held_out_documents, say, validation_of
from retrievers import JudgedDocument, Retriever, registry
from retrievers.evidence_ranker import EvidenceRanker

ENCODERS = {"bi_encoder": "dense", "cross_encoder": "rerank"}  # what they are as retrievers
CHUNKER = "units:of=sentence"
FIRST = "bm25:heading=true,stop_words=english,stem=english"  # ranks the negatives, and what a cross-encoder reranks
NO_USE = (  # to a retriever that learns
    "strategy", "k", "budget", "select", "fill", "order", "prompt", "max_new_tokens", "max_input_tokens",
)  # fmt: skip


def trains_retriever(model: Any, strategy: Any) -> bool:
    """Whether a model that is to be trained is a retriever: pairs are compared by a reader of the same name."""
    head = _head(model)
    return head == "evidence_ranker" or (head in ENCODERS and Compare not in strategies.get(strategy).needs)


def _head(model: Any) -> str:
    """The name of what is to be trained: of a string, a mapping or a retriever; "" for other objects."""
    if isinstance(model, Retriever):
        return name_of(model)
    named = model.get("name", "") if isinstance(model, Mapping) else model
    return named.partition(":")[0] if isinstance(named, str) else ""


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
    """Train in a folder, continuing an interrupted training. Raises `UserError`."""
    start_time = time.monotonic()
    ranks.join(given_fields.get("device"))
    plan, ranker = _plan(task, model, given_fields)
    chosen_recipe = gradient.for_task(for_reader(plan.retriever, recipe, fields), task.name)
    check(chosen_recipe.libraries, "neural", f"the recipe {name_of(chosen_recipe)}")
    trackers.check(chosen_recipe.report_to)
    if validation is not None and not chosen_recipe.validates:
        raise UserError(
            f"{name_of(plan.retriever)} is not stopped early, so it takes no validation split: leave it out"
        )
    apart_plan, note = validation_of(plan, validation) if chosen_recipe.validates else (None, "nothing")
    spec = _spec(plan, chosen_recipe, ranker, apart_plan, note)
    command = f"longdoc run {task.name} --retriever {shlex.quote(str(out))} --chunker {_typed_text(plan)}"
    with exclusive(out, spec) as known_fields:
        if known_fields is not None:
            return _trained(known_fields, plan, out, command, 0.0, finished=True)
        documents, judged_documents = _documents(plan, apart_plan, chosen_recipe.validates)
        job = TrainingJob(
            plan.retriever, (), (), (), out, out / "checkpoints", plan.seed, say, documents, judged_documents, ranker
        )  # fmt: skip
        counts = {
            "training_documents": len(documents),
            "training_questions": sum(len(document.questions) for document in documents),
            "validation_documents": len(judged_documents),
        }
        metrics = {**counts, **search.train(chosen_recipe, job)}
        values = {"format": FORMAT, "longdoc": __version__, "spec": spec, "metrics": metrics}
        ranks.once_per_group(finish, out, values)
        return _trained(values, plan, out, command, time.monotonic() - start_time, finished=False)


def _plan(task: tasks.Task, model: Any, given_fields: dict[str, Any]) -> tuple[Plan, Retriever | None]:
    """The plan whose retriever is to be trained, and the retriever that ranks the negatives."""
    if not task.dataset.has_query:
        raise UserError(f"{task.name} asks no question, so it has no evidence to find; {tasks.tasks_with_evidence()}")
    if unused := [name for name in NO_USE if given_fields.pop(name, None) is not None]:
        raise UserError(f"a retriever learns from questions and evidence, without {', '.join(unused)}: leave it out")
    split = given_fields.pop("split", None) or "train"
    if task.trains_on and given_fields.get("data") is None and split not in task.dataset.files:
        raise UserError(f"{task.name} has no published split {split!r}; {task.trains_on}")
    head = _head(model)
    first, device = given_fields.pop("retriever", None), given_fields.pop("device", None)
    chunker = given_fields.pop("chunker", None) or _units(task)
    if head == "evidence_ranker":
        if first is not None:
            raise UserError(
                "evidence_ranker's retrievers are its signals: model='evidence_ranker:signals=[bm25,dense]'"
            )
        if device is not None:
            raise UserError("evidence_ranker is fitted on the CPU: leave device= out")
        untrained, ranker = _untrained(model, chunker), None
    else:
        ranker = registry.get(first or FIRST)
        spec = {"device": device, "heading": True} | ({"retriever": ranker} if head == "cross_encoder" else {})
        untrained = registry.get({"name": ENCODERS[head], "model": _base(model), **spec})
    return make_plan(task, model="none", split=split, retriever=untrained, chunker=chunker, **given_fields), ranker


def _untrained(model: Any, chunker: Any) -> Retriever:
    """A ranker that has yet to learn, made for a chunker where that is named."""
    if not isinstance(chunker, str):
        return registry.get(model)
    if isinstance(model, EvidenceRanker):
        return dataclasses.replace(model, chunker=chunker)
    return registry.get(model, chunker=chunker)


def _base(model: Any) -> Any:
    """The encoder that training begins with."""
    arguments = model.get("model", "") if isinstance(model, Mapping) else model.partition(":")[2]
    return (arguments.removeprefix("model=") if isinstance(arguments, str) else arguments) or "minilm"


def _units(task: tasks.Task) -> str:
    """The chunker of the task's preset of evidence."""
    preset = f"evidence:{task.evidence},encoder=none"
    return registry.get(preset).chunker if task.evidence else CHUNKER


def _documents(plan: Plan, validation: Plan | None, hold: bool) -> tuple[list[JudgedDocument], list[JudgedDocument]]:
    """The training and the validation documents. Raises `UserError` where none has evidence."""
    known_documents = list(judged_documents(plan))
    if not known_documents:
        problem = f"no question of the split {plan.split!r} of {plan.task.name} has evidence"
        raise UserError(f"{problem}; {tasks.tasks_with_evidence()}")
    if validation is not None:
        return known_documents, list(judged_documents(validation))
    held_names = held_out_documents([document.id for document in known_documents], plan.seed) if hold else set()
    return [document for document in known_documents if document.id not in held_names], [
        document for document in known_documents if document.id in held_names
    ]


def _spec(plan: Plan, recipe: Recipe, ranker: Retriever | None, apart_plan: Plan | None, note: str) -> dict[str, Any]:
    """Everything that decides what is learned."""
    spec = spec_of(plan)
    spec.pop("training")
    spec |= {"trains": "retriever", "limit": plan.limit, "validation": note, "recipe": record(recipe)}
    if ranker is not None:
        spec["ranker"] = describe(ranker)
    if apart_plan is not None:
        spec["validation_data"] = dict(apart_plan.data.fingerprint)
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
