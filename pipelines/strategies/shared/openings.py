"""Adds headings, each once, and marks of omitted text to the passages of a prompt."""

from collections.abc import Sequence
from dataclasses import replace

from chunkers import Chunk
from models.prompts import Part


def with_headings(text: str, items: Sequence[Chunk | str], parts: Sequence[Part], marks_gaps: bool) -> list[Part]:
    """The parts with their headings. `items` are the chunks of `text`, or texts that a model wrote, behind the parts.

    With `marks_gaps` a line `[...]` stands between chunks that do not follow each other in the text.
    """
    parts_with_headings: list[Part] = []
    before: Chunk | None = None
    for item, part in zip(items, parts, strict=True):
        if not isinstance(item, Chunk):
            parts_with_headings.append(part)
            continue
        gap = before is not None and not _follows(text, before, item) if marks_gaps else None
        title = text[slice(*item.heading)] if item.heading else ""
        parts_with_headings.append(replace(part, title=title, heading=item.heading, gap=gap))
        before = item
    return parts_with_headings


def _follows(text: str, before: Chunk, chunk: Chunk) -> bool:
    """Whether only white space and the chunk's own heading are between two chunks."""
    start, end = chunk.heading if chunk.heading and chunk.heading[0] >= before.end else (chunk.start, chunk.start)
    return before.end <= start and not text[before.end : start].strip() and not text[end : chunk.start].strip()
