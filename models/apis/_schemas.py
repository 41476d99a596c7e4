"""The JSON schema that restricts an output to a prompt's choices, and which servers refuse it."""

import json
import re
import threading
from collections.abc import Sequence
from typing import Any

from longdoc.messages import note

SCHEMA, WORDS = "schema", "words"  # how the choices were requested: by schema, or by the prompt alone
WHITE_SPACE = 16  # tokens of white space that a model may write between the marks of JSON
_CUT = re.compile(r'\{\s*"label"\s*:\s*"(.*)', re.DOTALL)


def label_schema(choices: Sequence[str]) -> dict[str, Any]:
    """The schema of an object with one of these texts as its `label`."""
    return {
        "type": "object",
        "properties": {"label": {"type": "string", "enum": list(choices)}},
        "required": ["label"],
        "additionalProperties": False,
    }


def longest_output(choices: Sequence[str]) -> str:
    """The longest object of the schema, as a model writes it."""
    return json.dumps({"label": max(choices, key=len)}, ensure_ascii=False)


def bare_label(text: str, choices: Sequence[str]) -> str:
    """The label in a JSON object of the schema; any other text unchanged.

    For an object that was cut: the only choice that begins so, else the part of the label that is there.
    """
    stripped = text.strip()
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        if (match := _CUT.fullmatch(stripped)) is None:
            return text
        beginning = match[1].rstrip('"} \n')
        matches = [choice for choice in choices if beginning and choice.startswith(beginning)]
        return matches[0] if len(matches) == 1 else beginning
    is_label = isinstance(value, dict) and list(value) == ["label"] and isinstance(value["label"], str)
    return str(value["label"]) if is_label else text


class SchemaRefusals:
    """Whether a server refused a schema, so that it gets none from then on. Thread-safe.

    `is_kept`: False where each request has to begin with the schema, whatever became of earlier ones.
    """

    def __init__(self) -> None:
        self.is_kept = True
        self._is_refused = False
        self._lock = threading.Lock()

    @property
    def is_refused(self) -> bool:
        """Whether the schema is no longer sent."""
        return self._is_refused and self.is_kept

    def add(self, url: str, problem: str) -> None:
        """Record that a server refused a schema; print it once."""
        with self._lock:
            if not self._is_refused:
                self._is_refused = True
                note(f"{url} does not accept a JSON schema ({problem}); only the prompt asks for labels and letters")
