"""The model card beside trained weights: what it is, what it was trained on and how."""

import json
from collections.abc import Mapping
from typing import Any

from pipelines.plugins.training.shared import published

INPUTS = ("chunker", "retriever", "k", "budget", "order", "strategy", "prompt")


def text(record: Mapping[str, Any]) -> str:
    """The card in Markdown."""
    spec, metrics = record["spec"], record["metrics"]
    model, flag = (spec["retriever"], "retriever") if spec.get("trains") == "retriever" else (spec["model"], "model")
    base = model.get("model") or "no pretrained weights"
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
        _table({name: spec[name] for name in INPUTS if name in spec}),
        "## Metrics",
        _table({name: value for name, value in metrics.items() if name != "history"}),
    ]
    return "\n\n".join(parts) + "\n"


def _departures(spec: Mapping[str, Any]) -> list[str]:
    """The paragraph and the list of differences from the published recipe; empty where there are none."""
    recipe = spec["recipe"]
    if not (differences := published.deviations(recipe, spec["task"], spec.get("setting"))):
        return []
    lines = "\n".join(f"- {difference}" for difference in differences)
    return [f"It follows the published recipe `{recipe['published']}`, except that", lines]


def _table(rows: Mapping[str, Any]) -> str:
    lines = [f"| {name} | {_cell(value)} |" for name, value in rows.items() if value is not None]
    return "\n".join(["| | |", "| --- | --- |", *lines])


def _cell(value: Any) -> str:
    cell = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return cell.replace("|", "\\|").replace("\n", "↵")
