"""The model card beside trained weights: what it is, what it was trained on and how."""

import json
from collections.abc import Mapping
from typing import Any

from pipelines.training.shared import published

INPUTS = ("chunker", "retriever", "k", "budget", "select", "order", "strategy", "prompt")


def text(record: Mapping[str, Any]) -> str:
    """The card in Markdown."""
    spec, metrics = record["spec"], record["metrics"]
    model, flag = (spec["retriever"], "retriever") if spec.get("trains") == "retriever" else (spec["model"], "model")
    base = model.get("model") or "no pretrained weights"
    shown_fields = {name: value for name, value in metrics.items() if name != "history"}
    parts = [
        f"# {model['name']} for {spec['task']}",
        f"Trained by longdoc {record['longdoc']} from {base} on the split `{spec['split']}`; validated on "
        f"{spec['validation']}.",
        f"Use it with `longdoc.{flag}s.get(FOLDER)`, or as `longdoc run "
        f"{spec['task']} --{flag} FOLDER --data DATA`. `training.json` has the whole record.",
        "## Recipe",
        _table(spec["recipe"]),
        *_departures(spec),
        "## Inputs",
        _table(
            {
                name: spec[name]
                for name in ("chunker", "retriever", "k", "budget", "select", "order", "strategy", "prompt")
                if name in spec
            }
        ),
        "## Metrics",
        _table(shown_fields),
    ]
    return "\n\n".join(parts) + "\n"


def _departures(spec: Mapping[str, Any]) -> list[str]:
    recipe = spec["recipe"]
    if not (differences := published.deviations(recipe, spec["task"], spec.get("setting"))):
        return []
    lines = "\n".join(f"- {difference}" for difference in differences)
    return [f"It follows the published recipe `{recipe['published']}`, except that", lines]


def _table(rows: Mapping[str, Any]) -> str:
    lines = [f"| {name} | {_cell(value)} |" for name, value in rows.items() if value is not None]
    return "\n".join(["| | |", "| --- | --- |", *lines])


def _cell(value: Any) -> str:
    written_text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return written_text.replace("|", "\\|").replace("\n", "↵")
