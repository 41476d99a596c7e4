"""What readers without weights share: white-space words as tokens, prompts cut to the limit, answers cut to length."""

import re
from collections.abc import Callable, Sequence
from itertools import cycle, islice

from longdoc.errors import UserError
from models.prompts import Prompt
from models.requests import Generate, Reply, Request
from models.truncation import TooLong, truncate

Answers = Callable[[Prompt, Generate], Sequence[str]]

_WORD = re.compile(r"\S+")


def count_words(texts: Sequence[str]) -> list[int]:
    """White-space words of each text."""
    return [len(text.split()) for text in texts]


def generate(requests: Sequence[Request], limit: int | None, answers: Answers) -> list[Reply]:
    """A reply for each request. `answers` gives the answers to a prompt that fits, best first, at least one.

    With n > 1 the value is a tuple of exactly n; where there are fewer different answers, they come again in order.
    """
    return [_generate(request, limit, answers) for request in requests]


def check_limit(limit: int | None) -> None:
    """Raise `UserError` for a `max_input_tokens` below 1."""
    if limit is not None and limit < 1:
        raise UserError(f"max_input_tokens must be at least 1, got {limit}; leave it out for no limit")


def first_words(text: str, n: int) -> str:
    """The text up to the end of its n-th word, white space inside as it is."""
    ends = [match.end() for match in islice(_WORD.finditer(text), max(n, 0))]
    return text[: ends[-1]] if ends else ""


def before(text: str, stop: Sequence[str]) -> str:
    """The text before the first of the stop strings."""
    return text[: min((at for one in stop if one and (at := text.find(one)) >= 0), default=len(text))]


def _generate(request: Request, limit: int | None, answers: Answers) -> Reply:
    if not isinstance(request, Generate):
        raise TypeError(f"this reader answers Generate, not {type(request).__name__}")
    try:
        prompt = truncate(Prompt.of(request.prompt), limit, count_words)
    except TooLong as error:
        return Reply(None, tokens_in=error.fixed, finish_reason="error", error=str(error))
    texts = list(islice(cycle(answers(prompt, request)), max(request.n, 1)))
    ended = [before(text, request.stop) for text in texts]
    values = [first_words(text, request.max_new_tokens) for text in ended]
    return Reply(
        value=values[0] if request.n == 1 else tuple(values),
        tokens_in=count_words([prompt.text])[0],
        tokens_out=sum(count_words(values)),
        truncated_tokens=prompt.truncated_tokens,
        finish_reason="stop" if count_words(values) == count_words(ended) else "length",
    )
