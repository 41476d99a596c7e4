"""The fields of `run.json` and `ablation.json` and tests of their values, so that damage is an error message."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from longdoc import checked_json

Kind = Literal["whole", "retrieval", "oracle", "closed book", "other"]  # "other": described by whoever made it
KINDS: tuple[Kind, ...] = get_args(Kind)

_mapping = checked_json.mapping(lambda value: True)
_text = checked_json.maybe(checked_json.text)
_size = checked_json.maybe(checked_json.count)


def _is_true(value: Any) -> bool:
    return value is True


START = {
    **dict.fromkeys(("time", "longdoc", "command"), checked_json.text),
    **dict.fromkeys(("versions", "signatures"), checked_json.mapping(checked_json.text)),
    "environment": _mapping,
    "of_ablation": _is_true,
}


def is_start(value: Any) -> bool:
    """Whether a value is the record of a start."""
    return isinstance(value, Mapping) and all(fits(value[name]) for name, fits in START.items() if name in value)


def is_data(value: Any) -> bool:
    """Whether a value is the record of where a run's data are."""
    return isinstance(value, Mapping) and all(_text(value.get(name)) for name in ("given", "revision", "layout"))


RECORD = {
    **dict.fromkeys(("spec", "metrics", "arguments"), _mapping),
    "data": is_data,
    "limit": _size,
    "shard": checked_json.text,
    "merged": checked_json.mapping(checked_json.count),
    "starts": checked_json.each_item(is_start),
    "examples_by_version": checked_json.mapping(checked_json.mapping(checked_json.count)),
}


def is_component(value: Any) -> bool:
    """Whether a value is the record of a component."""
    return isinstance(value, Mapping) and isinstance(value.get("name"), str)


SPEC = {
    **dict.fromkeys(("task", "split"), checked_json.text),
    **dict.fromkeys(("chunker", "retriever", "strategy", "model"), is_component),
    **dict.fromkeys(("data", "prompt"), _mapping),
    "k": _size,
    "budget": checked_json.maybe(checked_json.text),
}
OPTIONAL_SPEC = {
    "sample": _size,
    "query": checked_json.maybe(checked_json.text),
    "fit": _is_true,
}


ABLATION = {
    **dict.fromkeys(("task", "split", "baseline"), checked_json.text),
    "axes": checked_json.mapping(checked_json.each_item(lambda value: True)),
    "primary_metric": checked_json.maybe(checked_json.text),
    "cells": checked_json.each_item(_mapping),
}
CELL = {
    **dict.fromkeys(("name", "recipe"), checked_json.text),
    **dict.fromkeys(("folder", "error"), checked_json.maybe(checked_json.text)),
    "settings": _mapping,
}
CONDITION = {  # further fields of a cell that is a condition of `longdoc versus`
    "kind": lambda value: value in KINDS,
    **dict.fromkeys(("line", "amount", "source"), checked_json.text),
    "predictions": checked_json.maybe(checked_json.text),
}


def check_ablation(record: Mapping[str, Any]) -> None:
    """Raise `Malformed` for the record of an ablation that lacks fields, or has some of the wrong type."""
    texts = checked_json.each_item(checked_json.text)
    checked_json.check(record, ABLATION, {"command": checked_json.text, "notes": texts})
    for cell in record["cells"]:
        required = CELL | CONDITION if "kind" in cell else CELL
        checked_json.check(cell, required, {"failures": checked_json.mapping(checked_json.text)})


def check(record: Mapping[str, Any], is_complete: bool) -> None:
    """Raise `Malformed` for fields of the wrong type; if the record `is_complete`, for missing ones, too."""
    required = {name: RECORD[name] for name in ("spec", "metrics")} if is_complete else {}
    checked_json.check(record, required, RECORD)
    spec = record.get("spec", {})
    checked_json.check(spec, SPEC if is_complete else {}, {**SPEC, **OPTIONAL_SPEC})
