"""The JSON schema by which servers hold an output to one of a prompt's labels."""

from collections.abc import Sequence
from typing import Any


def label_schema(choices: Sequence[str]) -> dict[str, Any]:
    """The schema of an object with one of these texts as its `label`."""
    return {
        "type": "object",
        "properties": {"label": {"type": "string", "enum": list(choices)}},
        "required": ["label"],
        "additionalProperties": False,
    }
