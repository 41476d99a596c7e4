"""The spec of a run (everything that decides its predictions), its digest, and its record `run.json`."""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

import models
from longdoc import __version__
from longdoc.descriptions import without_volatile
from longdoc.errors import UserError
from longdoc.optional import installed_version
from longdoc.plain_json import plain_fields
from longdoc.registry import describe
from pipelines.engine.planning.plan import Plan
from pipelines.results.run_folders.record import recipe_of_spec, repeatable

LIBRARIES = (
    "torch",
    "transformers",
    "tokenizers",
    "sentence-transformers",
    "scikit-learn",
    "numpy",
    "faiss-cpu",
    "nltk",
)

DATE = "template_date"  # the field of a reader with the date that its chat template writes

command: ContextVar[str] = ContextVar("command", default="")  # the command line that started the run
started_by_ablation: ContextVar[bool] = ContextVar("of_ablation", default=False)  # whether an ablation starts it


def spec_of(plan: Plan) -> dict[str, Any]:
    """Everything that decides the predictions, as nested mappings: two runs with equal specs are the same run.

    Metrics, limit and shard are left out: they decide which predictions are made and scored, not what they are.
    """
    components = _components(plan)
    return {
        "task": plan.task.name,
        "split": plan.split,
        "data": dict(plan.data.fingerprint),
        "training": _training_fingerprint(plan),
        "sample": plan.sample,
        "chunker": components["chunker"],
        "retriever": components["retriever"],
        **({"encoders": encoders} if (encoders := without_volatile(encoders_of(plan))) else {}),
        **plan.selection.record(),
        "strategy": components["strategy"],
        "model": components["model"],
        "resolved": without_volatile(details_of(plan)),
        "prompt": plain_fields(plan.template),
        "max_input_tokens": plan.max_input_tokens,
        "max_new_tokens": plan.max_new_tokens,
        "seed": plan.seed,
        **({"labels": list(plan.labels)} if plan.labels and not (plan.task.labels or plan.strategy.labels) else {}),
    }


def _components(plan: Plan) -> dict[str, Any]:
    """The descriptions of chunker, retriever, strategy and reader; nothing is loaded or resolved."""
    return {
        "chunker": dict(plan.chunker_record),
        "retriever": without_volatile(describe(plan.retriever)),
        "strategy": describe(plan.strategy),
        "model": without_volatile(describe(plan.reader)),
    }


def _training_fingerprint(plan: Plan) -> dict[str, Any] | None:
    """The fingerprint of the training split for a reader that the run fits; None for any other reader."""
    if plan.reader.fitted:
        return None
    try:
        return dict(plan.open_split("train").fingerprint)
    except UserError:
        return None  # reported when the reader is fitted


def record_of(plan: Plan, spec: Mapping[str, Any], details: Mapping[str, Any]) -> dict[str, Any]:
    """`run.json` without its starts: the spec, this start's metrics, limit and arguments, and where the data are.

    `details` are those of the reader (`details_of`).
    """
    exact = not details or details.get("deterministic")
    metrics = {name: describe(metric) for name, metric in plan.metrics.items()}
    return {
        "spec": dict(spec),
        "metrics": metrics,
        "limit": plan.limit,
        **({"shard": str(plan.shard)} if plan.shard else {}),
        "arguments": dict(plan.given),
        "data": dict(plan.data_location),
        "repeatable": repeatable({**spec, "metrics": metrics}) or "no: a component was given as an object",
        "repetition": "exact" if exact else "ties in floating point may differ between machines",
    }


def start_record(
    details: Mapping[str, Any], encoders: Sequence[Mapping[str, Any]], signatures: Mapping[str, str]
) -> dict[str, Any]:
    """The entry of a start in `run.json`: its time, versions and environment.

    `details` are those of the reader (`details_of`), `encoders` those of the retriever (`encoders_of`), `signatures`
    those of the metrics by name.
    """
    environment = {"python": platform.python_version(), "platform": platform.platform()} | dict(details)
    return {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "longdoc": __version__,
        **({"command": line} if (line := command.get()) else {}),
        **({"of_ablation": True} if started_by_ablation.get() else {}),
        "versions": {name: installed for name in LIBRARIES if (installed := installed_version(name))},
        "environment": environment | ({"encoders": list(encoders)} if encoders else {}),
        "signatures": dict(signatures),
    }


def recipe_of(plan: Plan) -> str:
    """The recipe in one line (`recipe_of_spec`): chunker, retriever, selection, strategy and reader."""
    return recipe_of_spec({**_components(plan), **plan.selection.record()})


def details_of(plan: Plan) -> dict[str, Any]:
    """The revision, dtype, device and batch policy of the plan's reader, on the engine that runs it."""
    return resolved(plan.reader) if plan.resolved is None else dict(plan.resolved)


def resolved(reader: models.Reader) -> dict[str, Any]:
    """The reader's revision, dtype, device and batch policy on this machine."""
    return dict(reader.resolve())


def encoders_of(plan: Plan) -> list[dict[str, Any]]:
    """The identity (model, revision, dtype …), devices and batches of each encoder of the retriever."""
    return list(map(dict, plan.retriever.encoder_records()))


def digest(spec: Mapping[str, Any]) -> str:
    """Eight hexadecimal digits of a hash of the spec, for the name of a run's default folder.

    The date of a chat template is left out, so that a run can go on in its folder on another day.
    """
    if "model" in spec:
        spec = {**spec, "model": {name: value for name, value in spec["model"].items() if name != DATE}}
    return hashlib.sha256(json.dumps(spec, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[:8]
