"""Baselines that ignore the question: the first words of the passages, or a random span of them."""

import hashlib
import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from chunkers.shared.words import Offsets, word_spans
from longdoc.errors import UserError
from models.prompts import Prompt
from models.requests import Generate
from models.word_reader import GeneratingWordReader


@dataclass(frozen=True)
class Naive(GeneratingWordReader):
    """Answers with `words` words of the passages (None: as many as the request allows): the first, or a random span.

    The passages are read in document order, white space made single. A random span is sampled by (seed or 0,
    prompt), so a prompt always has the same answer. n > 1 gives different spans: for `prefix` one after
    the other, for `random` spans that start at different words. Raises `UserError` for numbers below 1.
    """

    kind: Literal["prefix", "random"] = "prefix"
    words: int | None = None
    seed: int | None = None
    max_input_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.words is not None and self.words < 1:
            raise UserError(f"words must be at least 1, got {self.words}; leave it out for the task's own length")
        if self.kind == "prefix" and self.seed is not None:
            raise UserError("seed needs kind=random: the first words are not random")
        super().__post_init__()

    @property
    def is_random(self) -> bool:  # type: ignore[override]
        """Whether answers depend on the seed."""
        return self.kind == "random"

    def outputs(self, prompt: Prompt, request: Generate) -> list[str]:
        """The spans."""
        words = Words.of(prompt)
        width = max(request.max_new_tokens if self.words is None else self.words, 1)
        starts: Iterable[int]
        if self.kind == "prefix":
            starts = range(0, max(len(words), 1), width)[: request.n]
        else:
            possible_starts = range(max(len(words) - width, 0) + 1)
            starts = self._draw(prompt).sample(possible_starts, min(request.n, len(possible_starts)))
        return [words.stretch(start, width) for start in starts]

    def _draw(self, prompt: Prompt) -> random.Random:
        key = f"{self.seed or 0}:{prompt.text}".encode("utf-8", "surrogatepass")
        return random.Random(hashlib.sha256(key).digest())


@dataclass(frozen=True, slots=True)
class Words:
    """The words of the passages as they follow in the document, white space made single."""

    text: str
    spans: Offsets

    @classmethod
    def of(cls, prompt: Prompt) -> "Words":
        """The words of a prompt's passages."""
        ordered = sorted(prompt.passages, key=lambda part: part.start or 0)
        text = " ".join(word for part in ordered for word in part.text.split())
        return cls(text, word_spans(text))

    def __len__(self) -> int:
        return len(self.spans)

    def stretch(self, start: int, words: int) -> str:
        """The text of some words, "" where there are none."""
        spans = self.spans[start : start + words]
        return self.text[int(spans[0, 0]) : int(spans[-1, 1])] if len(spans) else ""
