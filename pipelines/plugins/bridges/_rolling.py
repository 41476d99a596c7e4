"""Splits a text into windows, so that a reader with a limit scores each of its tokens once.

As in lm-evaluation-harness, windows are disjoint. Each but the first is read after the token before it, the last one
after as many tokens as fit.
"""

from collections.abc import Iterator

from models.reader import Reader
from models.requests import Score

CONTEXT = 1  # tokens before a window


def windows(text: str, reader: Reader) -> Iterator[Score]:
    """The requests whose scores add up to that of the text."""
    ends = [0, *reader.token_ends(text)]
    token_count, limit = len(ends) - 1, reader.prompt_limit(0)
    size = token_count if limit is None else limit - CONTEXT
    for start in range(0, token_count, size):
        stop = min(start + size, token_count)
        if start == 0:
            context_start = 0
        elif stop == token_count:
            context_start = max(0, stop - size - CONTEXT)
        else:
            context_start = start - CONTEXT
        yield Score(text[ends[context_start] : ends[start]], text[ends[start] : ends[stop]])
