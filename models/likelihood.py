"""Classify and Compare by a reader that only scores: the likelihood of each label's word after the prompt.

A label's probability is the softmax, over the labels, of the summed log-probability of its word (Brown et al. 2020,
section 2.4, without normalization by length; Schick and Schütze 2021 for words that stand for labels).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from longdoc.errors import UserError
from models.prompts import Part, Prompt
from models.reader import Reader
from models.requests import Classify, Compare, Reply, Request, Score
from models.truncation import Edges, truncate

SAME_AUTHOR = "Did the same author write both texts? Answer yes or no."


@dataclass(frozen=True)
class Likelihood(Reader):
    """A reader that answers Classify and Compare too, by the scores of another.

    - Classify: `words` (the labels themselves by default) are scored after the text and the `cue`.
    - Compare: for each pair the two texts and `question`, then `yes_and_no`; the probability of
      the first one. A pair over the limit is cut at the texts' tails, to equal lengths where both are too long.

    All other requests go through. `tokens_in` and `tokens_out` sum what was scored.
    """

    reader: Reader
    labels: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    cue: str = ""
    question: str = SAME_AUTHOR
    yes_and_no: tuple[str, str] = ("yes", "no")

    def __post_init__(self) -> None:
        """Refuse a reader that cannot score, and labels that are not distinct."""
        if Score not in self.reader.supports:
            raise UserError(f"the reader {type(self.reader).__name__} cannot answer Score requests, which labels need")
        words = self.words or self.labels
        if len(words) != len(self.labels):
            raise UserError(f"got {len(self.words)} words for {len(self.labels)} labels: give one word for each label")
        for names in (self.labels, words, self.yes_and_no):
            if len(set(names)) != len(names) or "" in names:
                raise UserError(
                    f"labels and their words must differ and not be empty, got {', '.join(map(repr, names))}"
                )

    @property
    def supports(self) -> frozenset[type]:  # type: ignore[override]
        """The reader's own request types, Compare, and Classify if there are labels."""
        return self.reader.supports | {Compare} | ({Classify} if self.labels else set())

    @property
    def max_prompt_tokens(self) -> int | None:
        """The reader's limit."""
        return self.reader.max_prompt_tokens

    @property
    def is_chat(self) -> bool:  # type: ignore[override]
        """The wrapped reader's own value."""
        return self.reader.is_chat

    def prompt_limit(self, max_new_tokens: int) -> int | None:
        """The reader's limit, less the longest word that is scored behind a prompt where both share a window.

        All words are then scored behind the same prompt.
        """
        return self.reader.prompt_limit(max(max_new_tokens, self._longest))

    @cached_property
    def _longest(self) -> int:
        """Tokens of the longest word."""
        return max(self.reader.count([*(self.words or self.labels), *self.yes_and_no]))

    @property
    def tokens_per_call(self) -> int | None:
        """The wrapped reader's own value."""
        return self.reader.tokens_per_call

    @property
    def batch_requests(self) -> int:  # type: ignore[override]
        """The wrapped reader's own value."""
        return self.reader.batch_requests

    def resolve(self) -> Mapping[str, Any]:
        """What is recorded about the reader."""
        return self.reader.resolve()

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens as the reader counts them."""
        return self.reader.count(texts)

    def token_ends(self, text: str) -> list[int]:
        """Where the reader's tokens end."""
        return self.reader.token_ends(text)

    @property
    def edges(self) -> Edges | None:
        """The reader's own edges."""
        return self.reader.edges

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply per request, in order; the reader gets all scores in one call."""
        scores_of_requests = [self._scores(request) for request in requests]
        replies_to_scores = iter(self.reader.reply([score for part in scores_of_requests for score in part]))
        replies = []
        for request, part in zip(requests, scores_of_requests, strict=True):
            replies.append(self._reply(request, [next(replies_to_scores) for _ in part]))
        return replies

    def _scores(self, request: Request) -> list[Request]:
        if isinstance(request, Classify):
            if not self.labels:
                raise UserError("Classify needs labels to choose from: adapt(reader, labels)")
            prompt = Prompt.of(request.text)
            if self.cue:
                prompt = replace(prompt, parts=(*prompt.parts, Part("cue", self.cue)))
            return [Score(prompt, word) for word in self.words or self.labels]
        if isinstance(request, Compare):
            prompts = [self.pair(request.texts[i], request.texts[j]) for i, j in request.pairs]
            return [Score(prompt, word) for prompt in prompts for word in self.yes_and_no]
        return [request]

    def _reply(self, request: Request, replies: list[Reply]) -> Reply:
        if not isinstance(request, Classify | Compare):
            return replies[0]
        failed = next((reply for reply in replies if reply.error is not None), None)
        tokens_in, tokens_out = sum(r.tokens_in for r in replies), sum(r.tokens_out for r in replies)
        if failed is not None:
            return Reply(None, tokens_in, tokens_out, finish_reason="error", error=failed.error)
        scores = [float(reply.value) for reply in replies]
        if isinstance(request, Classify):
            value: Any = dict(zip(self.labels, _softmax(scores), strict=True))
            return Reply(value, tokens_in, tokens_out, replies[0].truncated_tokens)
        value = tuple(_softmax(scores[position : position + 2])[0] for position in range(0, len(scores), 2))
        return Reply(value, tokens_in, tokens_out, sum(reply.truncated_tokens for reply in replies[::2]))

    def training_prompts(self, request: Classify, label: str) -> list[tuple[Prompt, str]]:
        """(prompt, word) of a request's right label, for training; [] for an unknown label."""
        labelled_scores = zip(self.labels, self._scores(request), strict=True)
        return [
            (Prompt.of(score.prompt), score.continuation)
            for name, score in labelled_scores
            if name == label and isinstance(score, Score)
        ]

    def pair(self, first: str, second: str) -> Prompt:
        """The prompt for two texts, each truncated to half of the limit, or to what the other leaves."""

        def joined(left: Prompt, right: Prompt) -> Prompt:
            texts = [Part("document", side.text, 0, len(side.text)) for side in (left, right)]
            parts = (Part("text", "First text:\n"), texts[0], Part("text", "\n\nSecond text:\n"), texts[1])
            return Prompt(
                (*parts, Part("cue", f"\n\n{self.question}")),
                truncated_tokens=left.truncated_tokens + right.truncated_tokens,
            )

        full_prompt = joined(Prompt.of(first), Prompt.of(second))
        limit = self.prompt_limit(0)
        if limit is None or self.count([full_prompt.text])[0] <= limit:
            return full_prompt
        fixed, first_tokens, second_tokens = self.count([joined(Prompt.of(""), Prompt.of("")).text, first, second])
        budget = max(limit - fixed, 0)
        half = budget // 2
        first_budget = budget - second_tokens if second_tokens < half else half
        second_budget = budget - first_tokens if first_tokens < half else budget - half
        return joined(_trimmed(first, first_budget, self.count), _trimmed(second, second_budget, self.count))


def adapt(
    reader: Reader,
    labels: Sequence[str] = (),
    words: Sequence[str] = (),
    cue: str = "",
    question: str = SAME_AUTHOR,
    yes_and_no: tuple[str, str] = ("yes", "no"),
) -> Reader:
    """The reader itself where it answers Classify and Compare (of these labels), else a `Likelihood` around it."""
    if {Classify, Compare} <= reader.supports and (not labels or reader.output_labels == tuple(labels)):
        return reader
    return Likelihood(reader, tuple(labels), tuple(words), cue, question, yes_and_no)


def _trimmed(text: str, limit: int, count: Any) -> Prompt:
    return truncate(Prompt.of(text), limit, count)


def _softmax(scores: Sequence[float]) -> list[float]:
    best = max(scores)
    weights = [math.exp(score - best) for score in scores]
    return [weight / sum(weights) for weight in weights]
