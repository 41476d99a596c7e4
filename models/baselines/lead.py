"""The first sentences: the floor of summarization (Nenkova 2005, "Automatic text summarization of newswire")."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from longdoc.errors import UserError
from models.baselines._prose import prose
from models.prompts import Prompt
from models.requests import Generate, Reply, Request
from models.word_reader import check_limit, count_words, first_words, generate


@dataclass(frozen=True, slots=True)
class Lead:
    """Answers with the first sentences of the passages, as many whole ones as fit the length.

    The length is `words` white-space words, or the request's where that is less (None: the request's). A first sentence
    that is longer is cut. Sentences are taken in document order; headings and tables are none (`_prose`), and white
    space is made single. n > 1 gives the same text n times. Raises `UserError` for numbers below 1.
    """

    words: int | None = None
    max_input_tokens: int | None = None

    supports: ClassVar[frozenset[type]] = frozenset({Generate})
    labels: ClassVar[None] = None

    def __post_init__(self) -> None:
        if self.words is not None and self.words < 1:
            raise UserError(f"words must be at least 1, got {self.words}; leave it out for as many as are asked for")
        check_limit(self.max_input_tokens)

    def count(self, texts: Sequence[str]) -> list[int]:
        """White-space words of each text."""
        return count_words(texts)

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply a request; a prompt over the limit is cut first."""
        return generate(requests, self.max_input_tokens, self._answers)

    def _answers(self, prompt: Prompt, request: Generate) -> list[str]:
        room = request.max_new_tokens if self.words is None else min(self.words, request.max_new_tokens)
        taken: list[str] = []
        for sentence in prose(prompt):
            if sentence.length > room:
                return [" ".join(taken) or first_words(sentence.text, self.words or sentence.length)]
            taken.append(sentence.text)
            room -= sentence.length
        return [" ".join(taken)]
