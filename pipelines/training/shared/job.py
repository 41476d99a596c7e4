"""From a task and an untrained model to a training job, and to the folder of the trained reader.

`training.json` in that folder has everything that decides the result (as `run.json` does for a run) and, at the end,
the metrics. The same training started again continues from its last checkpoint, or is found finished.
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
from models.requests import Classify, Compare, Generate, TrainingExample
from models.saved import READER, saved_description
from pipelines import strategies, tasks
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.spec import spec_of
from pipelines.engine.recording.request_log import prompts
from pipelines.engine.training_data import training_examples
from pipelines.results.trained_reader import TrainedReader
from pipelines.training import Recipe, TrainingJob, for_reader, with_fields
from pipelines.training.shared import gradient as gradient
from pipelines.training.shared import published, ranker_job, ranks, search
from pipelines.training.shared.folder import FORMAT, exclusive, finish
from pipelines.training.shared.held_out import held_out_documents, say, validation_of

LISTED = "scrolls-code"  # the recipe whose code lists learning rates
INPUTS = ("strategy", "chunker", "retriever", "k", "budget", "select", "fill", "order", "prompt", "max_input_tokens")
HELD_OUT_LIMIT = 0.1  # of the training documents, where the data have no validation split


def train(
    task: Any,
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
    chosen_task = tasks.get(task)
    if ranker_job.trains_retriever(model):
        return ranker_job.train(
            chosen_task, model=model, out=out, recipe=recipe, fields=fields, validation=validation, **given_fields
        )
    if recipe is not None:
        with_fields(recipe, fields)  # what was typed is checked before the data are read
    ranks.join(given_fields.get("device"))
    split = given_fields.pop("split", None) or "train"
    if chosen_task.trains_on and given_fields.get("data") is None and split not in chosen_task.dataset.files:
        raise UserError(f"{chosen_task.name} has no published split {split!r}; {chosen_task.trains_on}")
    command = _command(chosen_task.name, out, given_fields)
    given_fields |= {name: value for name, value in chosen_task.training if given_fields.get(name) is None}
    strategy = given_fields.get("strategy") or chosen_task.strategy
    plan = make_plan(
        chosen_task, model=untrained(model, strategy, chosen_task.labels, given_fields), split=split, **given_fields
    )
    chosen_recipe = gradient.for_task(for_reader(plan.reader, recipe, fields), chosen_task.name)
    check(chosen_recipe.libraries, "neural", f"the recipe {name_of(chosen_recipe)}")
    setting = _setting(plan, chosen_recipe)
    chosen_recipe = published.rated(chosen_recipe, setting)
    if validation is not None and not chosen_recipe.validates:
        raise UserError(f"{name_of(plan.reader)} is not stopped early, so it takes no validation split: leave it out")
    validation_plan, note = validation_of(plan, validation) if chosen_recipe.validates else (None, "nothing")
    spec = _spec(plan, chosen_recipe, validation_plan, note) | (
        {} if setting is None else {"setting": dataclasses.asdict(setting)}
    )
    with exclusive(out, spec) as known_fields:
        if known_fields is not None:
            return _trained(known_fields, out, plan, command, 0.0, resumed=True)
        train_examples, validation_examples = _training_examples(plan, validation_plan, chosen_recipe.validates)
        if not train_examples:
            raise UserError(
                f"the split {split!r} holds no training example for {chosen_task.name}: no example has a reference"
            )
        if validation_plan is not None and not validation_examples:
            raise UserError(f"the split {note!r} holds no example to validate on: none of its examples has a reference")
        checkpoints = out / "checkpoints"
        job = TrainingJob(
            plan.reader, train_examples, validation_examples, chosen_task.labels, out, checkpoints, plan.seed, say
        )
        cut = sum(map(_cut, train_examples))
        if cut:
            say(f"{cut} of {len(train_examples)} training prompts are over the reader's limit, and cut")
        counts = {
            "training_examples": len(train_examples),
            "training_examples_cut": cut,
            "validation_examples": len(validation_examples),
        }
        metrics = {**counts, **search.train(chosen_recipe, job)}
        values = {"format": FORMAT, "longdoc": __version__, "spec": spec, "metrics": metrics}
        ranks.once_per_group(finish, out, values)
        return _trained(values, out, plan, command, time.monotonic() - start_time, resumed=False)


def _setting(plan: Plan, recipe: Recipe) -> published.Setting | None:
    """The key of a listed learning rate, None for recipes without. Prints a line if none is listed."""
    if recipe.published != LISTED:
        return None
    setting = published.Setting.of(plan.task.name, plan.reader, plan.document_limit)
    if setting.rate is None and recipe.learning_rate == "listed" and not recipe.learning_rates:
        say(f"{setting.unlisted}: those of the paper's search are tried in turn (learning_rate= sets one)")
    return setting


def _cut(training_example: TrainingExample) -> bool:
    """Whether a training example's prompt was truncated; pairs of texts are truncated by the readers themselves."""
    return not isinstance(training_example.request, Compare) and any(
        prompt.truncated_tokens for prompt in prompts(training_example.request)
    )


def _command(task: str, out: Path, given_fields: Mapping[str, Any]) -> str:
    """The command that runs the reader, with the given inputs, else by the task's own recipe."""
    kept_values = {name: given_fields[name] for name in INPUTS if isinstance(given_fields.get(name), (str, int))}
    options = [f"--{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in kept_values.items()]
    return " ".join([f"longdoc run {task} --model {shlex.quote(str(out))}", *options])


def untrained(model: Any, strategy: Any, labels: tuple[str, ...], given_fields: Mapping[str, Any]) -> Any:
    """The spec of the reader that is to be trained: a base model becomes the kind that the strategy needs."""
    if not isinstance(model, str):
        return model
    spec = _spec_of_reader(model, strategies.get(strategy).needs)
    if spec["name"] == "sequence_classifier" and labels:
        spec.setdefault("labels", tuple(labels))
    if (
        spec["name"] in ("sequence_classifier", "cross_encoder", "span_extractor", "seq2seq")
        and given_fields.get("dtype") is None
    ):
        spec.setdefault("dtype", "fp32")  # of the weights; the recipe says in what is computed
    return spec


def _spec_of_reader(model: str, needs: frozenset[type]) -> dict[str, Any]:
    head = model.partition(":")[0]
    if head in models.names():
        name, fields = models.registry.parse(model)
        component = models.registry.component(name)
        first = dataclasses.fields(cast(Any, component))[0].name
        return {"name": name, **{first if key is None else key: value for key, value in fields.items()}}
    if (names := saved_description(model)) is not None:
        return names
    from models import hub

    check(("torch", "transformers"), "neural", f"training {model}")  # before it is downloaded
    settings = hub.config(hub.folder(model, weights=False).path)
    if settings.get("is_encoder_decoder"):
        return {"name": "seq2seq", "model": model}
    kinds_values = {Compare: "cross_encoder", Classify: "sequence_classifier"}
    for need, kind in kinds_values.items():
        if need in needs:
            return {"name": kind, "model": model}
    spans = f"; it can learn to answer with spans of the passages, model=span_extractor:{model}"
    raise UserError(
        f"{model} only reads ({settings.get('model_type')}), and this strategy needs a reader that writes"
        f"{spans if Generate in needs else ''}"
    )


def _training_examples(
    plan: Plan, validation: Plan | None, hold: bool
) -> tuple[list[TrainingExample], list[TrainingExample]]:
    known_pairs = list(training_examples(plan))
    if validation is not None:
        return [training_example for _, training_example in known_pairs], [
            training_example for _, training_example in training_examples(validation)
        ]
    held_names = held_out_documents([document for document, _ in known_pairs], plan.seed) if hold else set()
    return [training_example for name, training_example in known_pairs if name not in held_names], [
        training_example for name, training_example in known_pairs if name in held_names
    ]


def _spec(plan: Plan, recipe: Any, validation: Plan | None, note: str) -> dict[str, Any]:
    spec = spec_of(plan)
    spec.pop("training")
    spec |= {"limit": plan.limit, "validation": note, "recipe": describe(recipe)}
    if validation is not None:
        spec["validation_data"] = dict(validation.data.fingerprint)
    saved: dict[str, Any] = json.loads(json.dumps(spec))  # as it is read back
    return saved


def _trained(
    record: Mapping[str, Any], out: Path, plan: Plan, command: str, seconds: float, resumed: bool
) -> TrainedReader:
    reader = saved_description(str(out))
    if reader is None:
        raise UserError(f"{out} is a finished training without its {READER}: choose another folder with out=")
    kind = reader["name"]
    warnings = tuple(dict.fromkeys(plan.data.warnings))
    spec = record["spec"]
    return TrainedReader(
        plan.task.name,
        kind,
        name_of(plan.reader),
        out,
        spec["validation"],
        record["metrics"],
        command,
        seconds,
        resumed,
        warnings,
    )
