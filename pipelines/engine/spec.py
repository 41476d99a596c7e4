"""What decides a run's numbers and what a run keeps of itself: the spec, its digest, `run.json`."""

import dataclasses
import hashlib
import json
import platform
from collections.abc import Mapping
from contextvars import ContextVar
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import models
from longdoc import __version__
from longdoc.errors import UserError
from longdoc.registry import describe, name_of
from pipelines.engine.plan import Plan
from pipelines.results.run_folders.record import repeatable

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
VOLATILE = (
    "device",
    "batch_tokens",
    "batch_size",
    "cache",
    "versions",
    "path",
    "concurrency",
    "timeout",
    "max_retries",
    "prices",
    "max_cost",
    "key_variable",
)  # where and how a run ran, not what it computed


command: ContextVar[str] = ContextVar("command", default="")  # what was typed to start the run, where something was


def spec_of(plan: Plan) -> dict[str, Any]:
    """Everything that decides the numbers, as nested mappings: two runs with equal specs are the same run."""
    return {
        "task": plan.task.name,
        "split": plan.split,
        "data": dict(plan.data.fingerprint),
        "training": _fitted_on(plan),
        "limit": plan.limit,
        "sample": plan.sample,
        "chunker": dict(plan.chunker_record),
        "retriever": _settled(describe(plan.retriever)),
        "k": plan.k,
        "budget": plan.budget,
        "order": plan.order,
        "strategy": describe(plan.strategy),
        "model": _settled(describe(plan.reader)),
        "resolved": _settled(resolved(plan.reader)),
        "prompt": dataclasses.asdict(plan.template),
        "max_input_tokens": plan.max_input_tokens,
        "max_new_tokens": plan.length,
        "metrics": {name: describe(metric) for name, metric in plan.metrics.items()},
        "seed": plan.seed,
        **({"query": plan.query} if plan.query else {}),
    }


def _fitted_on(plan: Plan) -> dict[str, Any] | None:
    """The fingerprint of the training split, for a reader that is fitted before inference."""
    if not hasattr(plan.reader, "fit") or getattr(plan.reader, "fitted", False):
        return None
    try:
        return dict(plan.opened("train").fingerprint)
    except UserError:
        return None  # said when it comes to fitting


def record_of(plan: Plan, spec: Mapping[str, Any]) -> dict[str, Any]:
    """`run.json`: the spec, and where and with what it ran."""
    facts = resolved(plan.reader)
    ties = "exact" if not facts or facts.get("deterministic") else "ties in floating point may differ between machines"
    return {
        "longdoc": __version__,
        **({"command": typed} if (typed := command.get()) else {}),
        "spec": dict(spec),
        "data": dict(plan.where),
        "repeatable": repeatable(spec) or "no: a component was given as an object",
        "repetition": ties,
        "environment": {"python": platform.python_version(), "platform": platform.platform()} | facts,
        "versions": {name: found for name in LIBRARIES if (found := _version(name))},
    }


def recipe_of(plan: Plan) -> str:
    """The recipe in a line: chunker → retriever and what it selects → strategy → reader."""
    selected = f" budget={plan.budget}" if plan.budget else f" k={plan.k}" if plan.k else ""
    model = getattr(plan.reader, "model", None)
    reader = model if isinstance(model, str) else name_of(plan.reader)
    size = plan.chunker_record.get("size") or plan.chunker.max_input_tokens
    chunker = name_of(plan.chunker) + (f":{size}" if size else "")
    asked = f" by {plan.query}" if plan.query else ""
    return f"{chunker} → {name_of(plan.retriever)}{asked}{selected} → {name_of(plan.strategy)} → {reader}"


def resolved(reader: models.Reader) -> dict[str, Any]:
    """What the reader tells of itself: resolved revision, dtype, device, batch policy."""
    resolve = getattr(reader, "resolve", None)
    return dict(resolve()) if resolve is not None else {}


def digest(spec: Mapping[str, Any]) -> str:
    """Eight hexadecimal digits that name a spec: the default folder of a run."""
    return hashlib.sha256(json.dumps(spec, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _settled(description: Any) -> Any:
    if isinstance(description, Mapping):
        return {key: _settled(value) for key, value in description.items() if key not in VOLATILE}
    return [_settled(value) for value in description] if isinstance(description, list) else description


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None
