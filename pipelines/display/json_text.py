"""Records as the text of a JSON file."""

import json
from math import isfinite
from typing import Any

from longdoc.plain_json import Record


def text(record: Record) -> str:
    """The whole record, indented; NaN and infinity become null."""
    values = _finite(record.to_dict())
    json_text = json.dumps(values, indent=2, ensure_ascii=False) + "\n"
    try:
        json_text.encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair, from data: it can only be written escaped
        return json.dumps(values, indent=2) + "\n"
    return json_text


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)
