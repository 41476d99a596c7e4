"""One answer to everything: "unanswerable" for MuSiQue, 50% for SpaceDigest (Shaham et al. 2023, section 4.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from longdoc.errors import UserError
from models.requests import Generate, Reply, Request
from models.word_reader import count_words, generate


@dataclass(frozen=True, slots=True)
class Constant:
    """Answers with `text`, as far as the request's length goes in white-space words. Raises `UserError` for none."""

    text: str | int | float  # constant:1 is a number

    supports: ClassVar[frozenset[type]] = frozenset({Generate})
    labels: ClassVar[None] = None
    max_input_tokens: ClassVar[None] = None

    def __post_init__(self) -> None:
        if not str(self.text).strip():
            raise UserError("constant: text is what to answer, as in constant:50%")

    def count(self, texts: Sequence[str]) -> list[int]:
        """White-space words of each text."""
        return count_words(texts)

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply a request; nothing of it is read. n > 1 gives the same text n times."""
        return generate(requests, None, lambda prompt, request: [str(self.text)])
