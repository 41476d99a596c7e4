"""All paragraphs by one author: the floor of style change detection, where nothing ever changes (PAN's baseline)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from models.requests import Compare, Reply, Request
from models.word_reader import count_words


@dataclass(frozen=True, slots=True)
class SingleAuthor:
    """Takes any two texts for as alike as can be: the probability of every pair is 1; nothing is read."""

    supports: ClassVar[frozenset[type]] = frozenset({Compare})
    labels: ClassVar[None] = None
    max_input_tokens: ClassVar[None] = None

    def count(self, texts: Sequence[str]) -> list[int]:
        """White-space words of each text."""
        return count_words(texts)

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply a request."""
        return [_reply(request) for request in requests]


def _reply(request: Request) -> Reply:
    if not isinstance(request, Compare):
        raise TypeError(f"single_author answers Compare, not {type(request).__name__}")
    return Reply((1.0,) * len(request.pairs))
