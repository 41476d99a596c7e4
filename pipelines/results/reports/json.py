"""A report as JSON: everything that the other formats show. Predictions stay in the folders of the runs."""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from pipelines.results.reports.content import Content


def text(content: Content) -> str:
    """The whole content, indented; numbers that are none (NaN, infinity) become null."""
    written = json.dumps(_plain(content), indent=2, ensure_ascii=False) + "\n"
    try:
        written.encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair, from data: only escaped can it be written
        return json.dumps(_plain(content), indent=2) + "\n"
    return written


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__ if name != "run"}
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)
