"""The likelihood of a whole text by a reader with a limit: windows of which each token is scored once.

As in lm-evaluation-harness: windows are disjoint, each but the first is read after the token before it, and the last
one after as many as fit.
"""

from collections.abc import Iterator

from models.reader import Reader
from models.requests import Score

CONTEXT = 1  # tokens before a window


def windows(text: str, reader: Reader) -> Iterator[Score]:
    """The requests whose scores add up to the text's."""
    ends = [0, *reader.token_ends(text)]
    tokens, limit = len(ends) - 1, reader.prompt_limit(0)
    size = tokens if limit is None else limit - CONTEXT
    for start in range(0, tokens, size):
        stop = min(start + size, tokens)
        if start == 0:
            before = 0
        elif stop == tokens:
            before = max(0, stop - size - CONTEXT)
        else:
            before = start - CONTEXT
        yield Score(text[ends[before] : ends[start]], text[ends[start] : ends[stop]])
