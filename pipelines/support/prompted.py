"""A model is asked, by a fixed prompt of our own, whether a quote shows that a claim is so.

Where the model gives probabilities (`Score`), support is p(yes) / (p(yes) + p(no)); else it writes, and support is 1
where its first word is "yes", 0 otherwise. What it writes is never shown.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Any

import models
from longdoc.errors import UserError
from models.prompts import Part, Prompt
from models.requests import Generate, Reply, Request, Score
from pipelines.support import Support, SupportIndex
from pipelines.support._candidates import CandidateIndex

QUESTION = "Does this passage show that the answer to the question is right? Write yes or no."
TOKENS = 16  # of a reply
_YES = re.compile(r"\W*yes\b", re.IGNORECASE)


@dataclass(frozen=True)
class Prompted(Support):
    """Support as a reader says it; `model` is what `models.get` takes.

    `candidates`: how many sentences and pairs of neighbours it is asked about for a claim, those with most words in
    common. A quote that does not fit its prompt supports nothing. Requests are not logged: each start asks again.
    Raises `UserError` for a reader that neither scores nor writes, and where a request fails.
    """

    model: Any
    candidates: int = 3
    _reader: models.Reader = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.candidates < 1:
            raise UserError(f"prompted: candidates must be at least 1, got {self.candidates}")
        reader = models.get(self.model)
        if not reader.supports & {Score, Generate}:
            raise UserError(f"prompted: {self.model!r} writes no text, so it cannot be asked: name a model that does")
        object.__setattr__(self, "_reader", reader)

    def index(self, sentences: Sequence[str]) -> SupportIndex:
        """The sentences, and the reader."""
        return CandidateIndex(sentences, self.candidates, self._supports)

    def _supports(self, claim: str, quotes: Sequence[str]) -> list[float]:
        prompts = [_prompt(claim, quote) for quote in quotes]
        if Score not in self._reader.supports:
            replies = self._replies([Generate(prompt, TOKENS, choices=("yes", "no")) for prompt in prompts])
            return [float(not reply.truncated_tokens and bool(_YES.match(str(reply.value)))) for reply in replies]
        replies = self._replies([Score(prompt, word) for prompt in prompts for word in ("yes", "no")])
        return [_share(yes, no) for yes, no in zip(replies[::2], replies[1::2], strict=True)]

    def _replies(self, requests: Sequence[Request]) -> list[Reply]:
        replies = self._reader.reply(requests)
        if errors := [reply.error for reply in replies if reply.error]:
            raise UserError(f"prompted: {errors[0]}")
        return replies


def _prompt(claim: str, quote: str) -> Prompt:
    """The quote, what is claimed, and the question."""
    document, query = Part("document", quote, 0, len(quote)), Part("query", f"\n\n{claim}\n\n")
    return Prompt((document, query, Part("instruction", QUESTION)))


def _share(yes: Reply, no: Reply) -> float:
    """The probability of yes among both."""
    if yes.truncated_tokens or no.truncated_tokens:
        return 0.0
    difference = float(no.value) - float(yes.value)
    return 1 / (1 + exp(difference)) if difference < 700 else 0.0
