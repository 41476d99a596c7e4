"""What `run.json` must look like, so that a damaged one gives an error message and no traceback."""

from collections.abc import Mapping
from typing import Any

from longdoc import record_checks

_mapping = record_checks.mapping(lambda value: True)
_size = record_checks.maybe(record_checks.count)


def _true(value: Any) -> bool:
    return value is True


START = {
    **dict.fromkeys(("time", "longdoc", "command"), record_checks.text),
    **dict.fromkeys(("versions", "signatures"), record_checks.mapping(record_checks.text)),
    "environment": _mapping,
    "of_ablation": _true,
}


def start(value: Any) -> bool:
    """Whether a value describes a start."""
    return isinstance(value, Mapping) and all(fits(value[name]) for name, fits in START.items() if name in value)


RECORD = {
    **dict.fromkeys(("spec", "data", "metrics", "arguments"), _mapping),
    "limit": _size,
    "shard": record_checks.text,
    "merged": record_checks.mapping(record_checks.count),
    "starts": record_checks.each(start),
    "examples_by_version": record_checks.mapping(record_checks.mapping(record_checks.count)),
}


def component(value: Any) -> bool:
    """Whether a value describes a component."""
    return isinstance(value, Mapping) and isinstance(value.get("name"), str)


SPEC = {
    **dict.fromkeys(("task", "split"), record_checks.text),
    **dict.fromkeys(("chunker", "retriever", "strategy", "model"), component),
    **dict.fromkeys(("data", "prompt"), _mapping),
    **dict.fromkeys(("k", "budget"), _size),
}
OPTIONAL_SPEC = {
    "sample": _size,
    "query": record_checks.maybe(record_checks.text),
    "fit": _true,
    "select": record_checks.maybe(_mapping),
}


def check(record: Mapping[str, Any], whole: bool) -> None:
    """Raise `Malformed` for fields of the wrong type; for a `whole` record, for missing ones too."""
    required = {name: RECORD[name] for name in ("spec", "metrics")} if whole else {}
    record_checks.check(record, required, RECORD)
    spec = record.get("spec", {})
    record_checks.check(spec, SPEC if whole else {}, {**SPEC, **OPTIONAL_SPEC})
