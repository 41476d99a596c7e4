"""Readers without a tokenizer: their tokens are words (letters in scripts without spaces)."""

from abc import abstractmethod
from collections.abc import Sequence
from itertools import cycle, islice

from chunkers.shared.words import count_words, word_spans
from longdoc.errors import UserError
from models.prompts import Prompt
from models.reader import Reader
from models.requests import Generate, Reply, Request
from models.truncation import TooLong, truncate

LOOKED_AT = 16  # characters of a text for each of the words that are to be its first


class WordReader(Reader):
    """Counts words (`chunkers.shared.words`) and answers one request after the other."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Words of each text."""
        return count_words(texts)

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply per request, in order."""
        return [self.reply_to(request) for request in requests]

    @abstractmethod
    def reply_to(self, request: Request) -> Reply:
        """The reply to one request."""


class GeneratingWordReader(WordReader):
    """Answers Generate: prompts are truncated to `max_input_tokens`, outputs to the request's length.

    With n > 1 the value is a tuple of exactly n; where there are fewer different outputs, they are repeated in order.
    """

    supports = frozenset({Generate})

    def __post_init__(self) -> None:
        """Refuse a limit below 1."""
        check_limit(self.max_input_tokens)

    @abstractmethod
    def outputs(self, prompt: Prompt, request: Generate) -> Sequence[str]:
        """The outputs for a prompt that fits, best first, at least one."""

    def reply_to(self, request: Request) -> Reply:
        """The reply to one request; the prompt is truncated first."""
        if not isinstance(request, Generate):
            raise self.unsupported(request)
        try:
            prompt = truncate(Prompt.of(request.prompt), self.max_input_tokens, count_words)
        except TooLong as error:
            return Reply.failed(str(error), error.fixed)
        texts = list(islice(cycle(self.outputs(prompt, request)), max(request.n, 1)))
        stopped = [before(text, request.stop) for text in texts]
        answers = [first_words(text, request.max_new_tokens) for text in stopped]
        return Reply(
            value=answers[0] if request.n == 1 else tuple(answers),
            tokens_in=count_words([prompt.text])[0],
            tokens_out=sum(count_words(answers)),
            truncated_tokens=prompt.truncated_tokens,
            finish_reason="stop" if count_words(answers) == count_words(stopped) else "length",
        )


def check_limit(limit: int | None) -> None:
    """Raise `UserError` for a `max_input_tokens` below 1."""
    if limit is not None and limit < 1:
        raise UserError(f"max_input_tokens must be at least 1, got {limit}; leave it out for no limit")


def first_words(text: str, n: int) -> str:
    """The text up to the end of its n-th word, white space inside as it is."""
    size = max(LOOKED_AT * n, LOOKED_AT)
    while len(spans := word_spans(text[:size])) <= n and size < len(text):  # the last one may go on behind
        size *= 4
    ends = spans[: max(n, 0), 1]
    return text[: int(ends[-1])] if len(ends) else ""


def before(text: str, stop: Sequence[str]) -> str:
    """The text before the first of the stop strings."""
    return text[
        : min(
            (position for stop_string in stop if stop_string and (position := text.find(stop_string)) >= 0),
            default=len(text),
        )
    ]
