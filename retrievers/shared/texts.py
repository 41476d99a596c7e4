"""The text of each chunk that is ranked: its own, with its heading where a retriever is asked to rank with it."""

import re
from collections.abc import Sequence
from functools import lru_cache

from chunkers import Chunk
from chunkers.units import BETWEEN

_NO_WORD = re.compile(r"[\W_]*")  # quotation marks, "# " of Markdown


def ranked_texts(chunks: Sequence[Chunk], heading: bool = False) -> list[str]:
    """The chunks' texts; with `heading` after their labels ("Method > Data"), save what a text begins with itself."""
    return [_with_heading(chunk) if heading and chunk.label else chunk.text for chunk in chunks]


def _with_heading(chunk: Chunk) -> str:
    label = chunk.label or ""
    if _begins(chunk.text, label):
        return chunk.text
    above, _, last = label.rpartition(BETWEEN)
    if above and _begins(chunk.text, last):
        label = above
    return f"{label}\n{chunk.text}"


def _begins(text: str, title: str) -> bool:
    """Whether a text begins with a title, as a speaker's turn does with the speaker, whatever its capitals."""
    start = _end_of_no_word(text)
    size, lower = _beginning(title)
    end = start + size
    return text[start:end].lower() == lower and not text[end : end + 1].isalnum()


@lru_cache(maxsize=1024)  # neighbouring chunks stand under one title
def _beginning(title: str) -> tuple[int, str]:
    """The length of a title from its first word on, and that part in lower case."""
    title = title[_end_of_no_word(title) :]
    return len(title), title.lower()


def _end_of_no_word(text: str) -> int:
    match = _NO_WORD.match(text)
    assert match is not None
    return match.end()
