"""What `pipelines.prompt` returns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.plain_json import plain_fields


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """The exact text that a reader gets for one example: its `tokens`, and the document `spans` that are in it."""

    id: str
    text: str
    tokens: int
    truncated_tokens: int
    spans: Sequence[tuple[int, int]]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def __str__(self) -> str:
        """The text alone."""
        return self.text
