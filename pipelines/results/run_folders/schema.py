"""What `run.json` must look like, so that a damaged one gives an error message and no traceback."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from longdoc import record_checks

Kind = Literal["whole", "retrieval", "oracle", "closed book", "other"]  # "other": who made it says what
KINDS: tuple[Kind, ...] = get_args(Kind)

_mapping = record_checks.mapping(lambda value: True)
_text = record_checks.maybe(record_checks.text)
_size = record_checks.maybe(record_checks.count)


def _is_true(value: Any) -> bool:
    return value is True


START = {
    **dict.fromkeys(("time", "longdoc", "command"), record_checks.text),
    **dict.fromkeys(("versions", "signatures"), record_checks.mapping(record_checks.text)),
    "environment": _mapping,
    "of_ablation": _is_true,
}


def is_start(value: Any) -> bool:
    """Whether a value describes a start."""
    return isinstance(value, Mapping) and all(fits(value[name]) for name, fits in START.items() if name in value)


def is_data(value: Any) -> bool:
    """Whether a value says where a run's data lie."""
    return isinstance(value, Mapping) and all(_text(value.get(name)) for name in ("given", "revision", "layout"))


RECORD = {
    **dict.fromkeys(("spec", "metrics", "arguments"), _mapping),
    "data": is_data,
    "limit": _size,
    "shard": record_checks.text,
    "merged": record_checks.mapping(record_checks.count),
    "starts": record_checks.each_item(is_start),
    "examples_by_version": record_checks.mapping(record_checks.mapping(record_checks.count)),
}


def is_component(value: Any) -> bool:
    """Whether a value describes a component."""
    return isinstance(value, Mapping) and isinstance(value.get("name"), str)


SPEC = {
    **dict.fromkeys(("task", "split"), record_checks.text),
    **dict.fromkeys(("chunker", "retriever", "strategy", "model"), is_component),
    **dict.fromkeys(("data", "prompt"), _mapping),
    **dict.fromkeys(("k", "budget"), _size),
}
OPTIONAL_SPEC = {
    "sample": _size,
    "query": record_checks.maybe(record_checks.text),
    "fit": _is_true,
    "select": record_checks.maybe(_mapping),
}


ABLATION = {
    **dict.fromkeys(("task", "split", "baseline"), record_checks.text),
    "axes": record_checks.mapping(record_checks.each_item(lambda value: True)),
    "primary_metric": record_checks.maybe(record_checks.text),
    "cells": record_checks.each_item(_mapping),
}
CELL = {
    **dict.fromkeys(("name", "recipe"), record_checks.text),
    **dict.fromkeys(("folder", "error"), record_checks.maybe(record_checks.text)),
    "settings": _mapping,
}
CONDITION = {  # what a cell of a table of conditions has besides
    "kind": lambda value: value in KINDS,
    **dict.fromkeys(("line", "amount", "source"), record_checks.text),
    "predictions": record_checks.maybe(record_checks.text),
}


def check_ablation(record: Mapping[str, Any]) -> None:
    """Raise `Malformed` for the record of an ablation that lacks fields, or has some of the wrong type."""
    texts = record_checks.each_item(record_checks.text)
    record_checks.check(record, ABLATION, {"command": record_checks.text, "notes": texts})
    for cell in record["cells"]:
        required = CELL | CONDITION if "kind" in cell else CELL
        record_checks.check(cell, required, {"failures": record_checks.mapping(record_checks.text)})


def check(record: Mapping[str, Any], is_complete: bool) -> None:
    """Raise `Malformed` for fields of the wrong type; for a `is_complete` record, for missing ones too."""
    required = {name: RECORD[name] for name in ("spec", "metrics")} if is_complete else {}
    record_checks.check(record, required, RECORD)
    spec = record.get("spec", {})
    record_checks.check(spec, SPEC if is_complete else {}, {**SPEC, **OPTIONAL_SPEC})
