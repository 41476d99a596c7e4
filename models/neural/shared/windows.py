"""Several encodings as one: Fusion-in-Decoder (Izacard and Grave 2021, section 3) and SLED (Ivgi et al. 2023).

Fusion-in-Decoder: every prompt is encoded alone; the decoder attends to the states of all, one after the other.

SLED: the document of one prompt is encoded in windows, each between the prompt's own words. Of a window the states of
`overlap` tokens at either edge are dropped, save at the document's ends, so that each token of the document has one
state, with at least so many tokens of context on both sides. The states of the words before the document are those of
the first window, of what follows it those of the last: one window is the plain model.
"""

from collections.abc import Iterator
from dataclasses import replace

from longdoc.errors import UserError
from models.neural.shared.inputs import Source, Window


def sliding(source: Source, document: tuple[int, int], limit: int, overlap: int) -> Iterator[Window]:
    """A prompt in windows of at most `limit` tokens over the tokens `document` of it. Raises `UserError`: no room."""
    first, last = document
    n, budget = last - first, limit - first - (len(source.ids) - last)
    if n > budget and budget <= 2 * overlap:
        problem = f"a window of {limit} tokens has room for {budget} of the document beside the question"
        raise UserError(f"{problem}, which overlap={overlap} on both sides fills: lower overlap")
    for start, end, since, until in _stretches(n, budget, overlap):
        positions = (*range(first), *range(first + start, first + end), *range(last, len(source.ids)))
        marks = source.attends_to_all
        ids, marked = [source.ids[i] for i in positions], None if marks is None else [marks[i] for i in positions]
        own_span = first + since - start, first + until - start
        kept_span = 0 if since == 0 else own_span[0], len(positions) if until == n else own_span[1]
        yield Window(replace(source, ids=ids, attends_to_all=marked), kept_span)


def _stretches(n: int, budget: int, overlap: int) -> Iterator[tuple[int, int, int, int]]:
    """(start, end) of each window over n tokens, and (since, until) of what is kept of it; the last one is full too."""
    start = since = 0
    while True:
        end = min(start + budget, n)
        until = n if end == n else end - overlap
        yield start, end, since, until
        if end == n:
            return
        since, start = until, min(until - overlap, n - budget)
