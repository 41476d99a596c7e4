"""The text of each chunk that is ranked: its own, with its heading where a retriever is asked to rank with it."""

import re
from collections.abc import Sequence
from functools import lru_cache

from chunkers import Chunk
from chunkers.units import BETWEEN

_NON_WORD = re.compile(r"[\W_]*")  # quotation marks, "# " of Markdown


def ranked_texts(chunks: Sequence[Chunk], heading: bool = False) -> list[str]:
    """The chunks' texts; with `heading`, each after its label ("Method > Data") unless it already begins with it."""
    return [_with_heading(chunk) if heading and chunk.label else chunk.text for chunk in chunks]


def _with_heading(chunk: Chunk) -> str:
    label = chunk.label or ""
    if _begins_with(chunk.text, label):
        return chunk.text
    parents, _, title = label.rpartition(BETWEEN)
    if parents and _begins_with(chunk.text, title):
        label = parents
    return f"{label}\n{chunk.text}"


def _begins_with(text: str, title: str) -> bool:
    """Whether a text begins with a title, in upper or lower case, as a turn begins with its speaker."""
    start = _first_word_start(text)
    length, lower = _lower_title(title)
    end = start + length
    return text[start:end].lower() == lower and not text[end : end + 1].isalnum()


@lru_cache(maxsize=1024)  # neighbouring chunks stand under one title
def _lower_title(title: str) -> tuple[int, str]:
    """(length, lower case) of a title from its first word on; the length is that before lowering."""
    title = title[_first_word_start(title) :]
    return len(title), title.lower()


def _first_word_start(text: str) -> int:
    match = _NON_WORD.match(text)
    assert match is not None
    return match.end()
