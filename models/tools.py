"""Tools that a model may call, as a request offers them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name, what it does, and the name of its one argument, a text."""

    name: str
    description: str
    argument: str

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return {
            "type": "object",
            "properties": {self.argument: {"type": "string"}},
            "required": [self.argument],
            "additionalProperties": False,
        }

    @property
    def function(self) -> dict[str, Any]:
        """Name, description and schema, under the names that most APIs have for them."""
        return {"name": self.name, "description": self.description, "parameters": self.schema}


def tools_text(tools: Sequence[Tool]) -> str:
    """About what a model reads of the tools that it is offered, for counting; empty where there are none."""
    return json.dumps([tool.function for tool in tools], ensure_ascii=False) if tools else ""
