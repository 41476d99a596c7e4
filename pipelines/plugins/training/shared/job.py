"""Trains a reader: makes a job of a task and an untrained model, and writes the folder of the trained reader.

`training.json` in that folder has everything that decides the result (as `run.json` does for a run) and, at the end,
the metrics. The same training started again continues from its last checkpoint; a finished one is not repeated.
"""

import dataclasses
import json
import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import models
from longdoc import __version__
from longdoc.errors import UserError
from longdoc.optional import check
from longdoc.registry import describe, name_of
from longdoc.specs import parse_arguments
from models.requests import Classify, Compare, Generate, TrainingExample
from models.saved import READER, saved_description
from pipelines import strategies, tasks
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.spec import spec_of
from pipelines.engine.recording.request_log import prompts
from pipelines.engine.training_data import training_examples
from pipelines.plugins.training.recipe import Recipe, TrainingJob, for_reader, with_fields
from pipelines.plugins.training.shared import gradient as gradient
from pipelines.plugins.training.shared import published, ranker_job, ranks, search
from pipelines.plugins.training.shared.card import INPUTS
from pipelines.plugins.training.shared.folder import FORMAT, exclusive, finish
from pipelines.plugins.training.shared.held_out import held_out_documents, say, validation_of
from pipelines.plugins.training.trained_reader import TrainedReader


def train(
    task: Any,
    *,
    model: Any,
    out: Path,
    recipe: Any,
    fields: Mapping[str, Any],
    validation: str | None,
    **run_arguments: Any,
) -> TrainedReader:
    """Train in a folder, continuing an interrupted training. `run_arguments` are those of `run`. Raises `UserError`."""
    start_time = time.monotonic()
    chosen_task = tasks.get(task)
    if ranker_job.trains_retriever(model):
        return ranker_job.train(
            chosen_task, model=model, out=out, recipe=recipe, fields=fields, validation=validation, **run_arguments
        )
    if recipe is not None:
        with_fields(recipe, fields)  # what was typed is checked before the data are read
    ranks.join(_device(model))
    split = run_arguments.pop("split", None) or "train"
    if chosen_task.trains_on and run_arguments.get("data") is None and split not in chosen_task.dataset.files:
        raise UserError(f"{chosen_task.name} has no published split {split!r}; {chosen_task.trains_on}")
    arguments = run_arguments | {name: value for name, value in chosen_task.training if run_arguments.get(name) is None}
    strategy = arguments.get("strategy") or chosen_task.strategy
    plan = make_plan(chosen_task, model=untrained(model, strategy, chosen_task.labels), split=split, **arguments)
    command = _command(chosen_task.name, out, plan.reader, run_arguments)
    chosen_recipe = gradient.for_task(for_reader(plan.reader, recipe, fields), chosen_task.name)
    check(chosen_recipe.libraries, "neural", f"the recipe {name_of(chosen_recipe)}")
    setting = _setting(plan, chosen_recipe)
    chosen_recipe = published.with_listed_rate(chosen_recipe, setting)
    if validation is not None and not chosen_recipe.validates:
        raise UserError(f"{name_of(plan.reader)} is not stopped early, so it takes no validation split: leave it out")
    validation_plan, validation_name = validation_of(plan, validation) if chosen_recipe.validates else (None, "nothing")
    spec = _spec(plan, chosen_recipe, validation_plan, validation_name)
    if setting is not None:
        spec["setting"] = dataclasses.asdict(setting)
    with exclusive(out, spec) as finished_record:
        if finished_record is not None:
            return _trained_reader(finished_record, out, plan, command, 0.0, finished_earlier=True)
        train_examples, validation_examples = _training_examples(plan, validation_plan, chosen_recipe.validates)
        if not train_examples:
            raise UserError(
                f"the split {split!r} holds no training example for {chosen_task.name}: no example has a reference"
            )
        if validation_plan is not None and not validation_examples:
            raise UserError(
                f"the split {validation_name!r} holds no example to validate on: none of its examples has a reference"
            )
        job = TrainingJob(
            reader=plan.reader,
            train=train_examples,
            validation=validation_examples,
            labels=chosen_task.labels,
            out=out,
            checkpoints=out / "checkpoints",
            seed=plan.seed,
            report=say,
        )
        cut_count = sum(map(_is_cut, train_examples))
        if cut_count:
            say(f"{cut_count} of {len(train_examples)} training prompts are over the reader's limit, and cut")
        counts = {
            "training_examples": len(train_examples),
            "training_examples_cut": cut_count,
            "validation_examples": len(validation_examples),
        }
        metrics = {**counts, **search.train(chosen_recipe, job)}
        record = {"format": FORMAT, "longdoc": __version__, "spec": spec, "metrics": metrics}
        ranks.once_per_group(finish, out, record)
        return _trained_reader(record, out, plan, command, time.monotonic() - start_time, finished_earlier=False)


def _setting(plan: Plan, recipe: Recipe) -> published.Setting | None:
    """What a listed learning rate depends on, None for recipes without. Prints a line if none is listed for it."""
    recipes = published.recipes().get(recipe.published or "")
    if recipes is None or not recipes.lists_rates(recipe.published or ""):
        return None
    setting = published.Setting.of(plan.task.name, plan.reader, plan.document_limit)
    if recipes.rate(setting) is None and recipe.learning_rate == "listed" and not recipe.learning_rates:
        message = recipes.unlisted_message(setting)
        say(f"{message}: those of the paper's search are tried in turn (learning_rate= sets one)")
    return setting


def _is_cut(example: TrainingExample) -> bool:
    """Whether an example's prompt was truncated; pairs of texts are truncated by the readers themselves."""
    return not isinstance(example.request, Compare) and any(
        prompt.truncated_tokens for prompt in prompts(example.request)
    )


def _command(task: str, out: Path, reader: models.Reader, arguments: Mapping[str, Any]) -> str:
    """The command that runs the reader, with the arguments that decide its inputs, else by the task's own recipe."""
    inputs = {name: arguments[name] for name in INPUTS if isinstance(arguments.get(name), (str, int))}
    options = [f"--{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in inputs.items()]
    limit = describe(reader).get("max_input_tokens")
    model = f"{out},max_input_tokens={limit}" if limit else str(out)
    return " ".join([f"longdoc run {task} --model {shlex.quote(model)}", *options])


def _device(model: Any) -> str | None:
    """The device that a model's spec names; None where it names none."""
    fields = _fields(model) if isinstance(model, (str, Mapping)) else describe(model)
    return fields.get("device")


def untrained(model: Any, strategy: Any, labels: tuple[str, ...]) -> Any:
    """The spec of the reader that is to be trained: a base model becomes the kind that the strategy needs."""
    if not isinstance(model, (str, Mapping)):
        return model
    spec = _with_reader_kind(_fields(model), strategies.get(strategy).needs)
    if spec["name"] == "sequence_classifier" and labels:
        spec.setdefault("labels", tuple(labels))
    if spec["name"] in ("sequence_classifier", "cross_encoder", "span_extractor", "seq2seq"):
        spec.setdefault("dtype", "fp32")  # of the weights; the recipe has that of the computation
    return spec


def _fields(model: str | Mapping[str, Any]) -> dict[str, Any]:
    """A model's spec as a mapping, whose `name` may be a folder or a hub id. Raises `UserError` if it has no name."""
    if isinstance(model, Mapping) and "name" in model:
        return dict(model)
    if isinstance(model, Mapping) or models.fields_alone(model) is not None:
        raise UserError(f"model={model!r} names no model; name the one to train, as in model='led-base,device=cuda'")
    if model.partition(":")[0] in models.names():
        name, fields = models.registry.parse(model)
        component = models.registry.component(name)
        first = dataclasses.fields(cast(Any, component))[0].name
        return {"name": name, **{first if key is None else key: value for key, value in fields.items()}}
    base, comma, arguments = model.partition(",")
    return {**_fields(base), **parse_arguments(arguments)} if comma and not Path(model).exists() else {"name": model}


def _with_reader_kind(spec: dict[str, Any], needs: frozenset[type]) -> dict[str, Any]:
    """The spec with the kind of reader in place of a folder or hub id, which becomes its `model`."""
    model = str(spec["name"])
    if model.partition(":")[0] in models.names():
        return spec
    if (description := saved_description(model)) is not None:
        return {**description, **spec, "name": description["name"]}
    from models import hub

    check(("torch", "transformers"), "neural", f"training {model}")  # before it is downloaded
    settings = hub.config(hub.folder(model, spec.get("revision"), weights=False).path)
    if settings.get("is_encoder_decoder"):
        return {**spec, "name": "seq2seq", "model": model}
    for need, kind in ((Compare, "cross_encoder"), (Classify, "sequence_classifier")):
        if need in needs:
            return {**spec, "name": kind, "model": model}
    spans = f"; it can learn to answer with spans of the passages, model=span_extractor:{model}"
    raise UserError(
        f"{model} only reads ({settings.get('model_type')}), and this strategy needs a reader that writes"
        f"{spans if Generate in needs else ''}"
    )


def _training_examples(
    plan: Plan, validation: Plan | None, validates: bool
) -> tuple[list[TrainingExample], list[TrainingExample]]:
    """The examples to train on, and those to validate on: of the validation split, or of documents held out."""
    pairs = list(training_examples(plan))
    if validation is not None:
        return [example for _, example in pairs], [example for _, example in training_examples(validation)]
    held_out = held_out_documents([document for document, _ in pairs], plan.seed) if validates else set()
    return (
        [example for document, example in pairs if document not in held_out],
        [example for document, example in pairs if document in held_out],
    )


def _spec(plan: Plan, recipe: Any, validation: Plan | None, validation_name: str) -> dict[str, Any]:
    """Everything that decides what is learned."""
    spec = spec_of(plan)
    spec.pop("training")
    spec |= {"limit": plan.limit, "validation": validation_name, "recipe": describe(recipe)}
    if validation is not None:
        spec["validation_data"] = dict(validation.data.fingerprint)
    saved: dict[str, Any] = json.loads(json.dumps(spec))  # as it is read back
    return saved


def _trained_reader(
    record: Mapping[str, Any], out: Path, plan: Plan, command: str, seconds: float, finished_earlier: bool
) -> TrainedReader:
    """The result of a finished training, by its record."""
    reader = saved_description(str(out))
    if reader is None:
        raise UserError(f"{out} is a finished training without its {READER}: choose another folder with out=")
    return TrainedReader(
        task=plan.task.name,
        reader=reader["name"],
        base=name_of(plan.reader),
        folder=out,
        validation=record["spec"]["validation"],
        metrics=record["metrics"],
        command=command,
        seconds=seconds,
        finished_earlier=finished_earlier,
        warnings=tuple(dict.fromkeys(plan.data.warnings)),
    )
