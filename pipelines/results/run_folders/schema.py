"""What `run.json` must look like, so that a damaged one gives an error message and no traceback."""

from collections.abc import Mapping
from typing import Any

from longdoc import record_checks

_mapping = record_checks.mapping(lambda value: True)
_size = record_checks.maybe(record_checks.count)

RECORD = {
    **dict.fromkeys(("spec", "data", "environment"), _mapping),
    "versions": record_checks.mapping(record_checks.text),
    "command": record_checks.text,
}


def component(value: Any) -> bool:
    """Whether a value describes a component."""
    return isinstance(value, Mapping) and isinstance(value.get("name"), str)


SPEC = {
    **dict.fromkeys(("task", "split"), record_checks.text),
    **dict.fromkeys(("chunker", "retriever", "strategy", "model"), component),
    **dict.fromkeys(("data", "prompt", "metrics"), _mapping),
    **dict.fromkeys(("k", "budget"), _size),
}
OPTIONAL_SPEC = {
    **dict.fromkeys(("limit", "sample"), _size),
    "query": record_checks.maybe(record_checks.text),
    "fit": lambda value: value is True,
}


def check(record: Mapping[str, Any], whole: bool) -> None:
    """Raise `Malformed` for fields of the wrong type; for a `whole` record, for missing ones too."""
    record_checks.check(record, {"spec": RECORD["spec"]} if whole else {}, RECORD)
    spec = record.get("spec", {})
    record_checks.check(spec, SPEC if whole else {}, {**SPEC, **OPTIONAL_SPEC})
