"""What the tools of a reading agent show of a document: passages by number, spans, places of literal words.

No tool reaches outside the document, and what each shows is bounded.
"""

import re
from collections.abc import Sequence
from itertools import islice

from chunkers import Chunk
from pipelines.records import Span

MAX_SPAN = 6000  # characters that one READ of a span shows
MAX_NUMBERS = 5  # passages that one READ shows
MAX_HITS = 8  # places that one GREP shows
MAX_COUNTED = 1000  # places that one GREP counts
MAX_PATTERN = 200  # characters of the words that GREP takes
AROUND = 200  # characters shown on both sides of a place

_SPAN = re.compile(r"(\d{1,12})\s*(?:-|–|—|\.\.|to)\s*(\d{1,12})")
_NUMBER = re.compile(r"\d{1,12}")


def read_argument(argument: str) -> Span | list[int] | None:
    """What READ names: a span of characters, numbers of passages, or None. "3-5" are passages: no span is so short."""
    if match := _SPAN.search(argument):
        first, last = int(match[1]), int(match[2])
        return list(range(first, last + 1)) if first <= last < first + MAX_NUMBERS else (first, last)
    return [int(match[0]) for match in islice(_NUMBER.finditer(argument), MAX_NUMBERS)] or None


def span_chunk(text: str, span: Span) -> Chunk | None:
    """The span of a document, as far as it is inside and at most `MAX_SPAN` characters; None where it is outside."""
    start, end = span[0], min(span[1], len(text), span[0] + MAX_SPAN)
    return Chunk(text[start:end], start, end) if start < end and text[start:end].strip() else None


def grep(text: str, words: str) -> tuple[list[Chunk], int]:
    """Where a document has these words, in any case and with any white space between, and how many places there are.

    The first `MAX_HITS` places are shown with what is around them, each text once; `MAX_COUNTED` are counted.
    """
    pattern = re.compile(r"\s{1,20}".join(map(re.escape, words.split())), re.IGNORECASE)
    spans = [match.span() for match in islice(pattern.finditer(text), MAX_COUNTED)]
    return [Chunk(text[start:end], start, end) for start, end in _windows(text, spans[:MAX_HITS])], len(spans)


def _windows(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans with the text around them, as whole words, joined where they meet."""
    windows: list[Span] = []
    for start, end in spans:
        window = _start_of_word(text, start), _end_of_word(text, end)
        if windows and window[0] <= windows[-1][1]:
            window = windows.pop()[0], window[1]
        windows.append(window)
    return windows


def _start_of_word(text: str, position: int) -> int:
    start = max(position - AROUND, 0)
    blank = re.search(r"\s", text[start:position]) if start else None
    return start + blank.end() if blank else start


def _end_of_word(text: str, position: int) -> int:
    end = min(position + AROUND, len(text))
    blanks = [match.start() for match in re.finditer(r"\s", text[position:end])] if end < len(text) else []
    return position + blanks[-1] if blanks else end
