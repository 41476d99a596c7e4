"""What is shown before the passages of a prompt: their headings, each once, and where text was left out."""

from collections.abc import Sequence
from dataclasses import replace

from chunkers import Chunk
from models.prompts import Part


def opened(text: str, items: Sequence[Chunk | str], parts: Sequence[Part], marks_gaps: bool) -> list[Part]:
    """The parts with their headings. `items` are the chunks of `text`, or texts that a model wrote, behind the parts.

    With `marks_gaps` a line `[...]` stands between chunks that do not follow each other in the text.
    """
    found_parts: list[Part] = []
    before: Chunk | None = None
    for item, part in zip(items, parts, strict=True):
        if not isinstance(item, Chunk):
            found_parts.append(part)
            continue
        gap = before is not None and not _follows(text, before, item) if marks_gaps else None
        title = text[slice(*item.heading)] if item.heading else ""
        found_parts.append(replace(part, title=title, heading=item.heading, gap=gap))
        before = item
    return found_parts


def _follows(text: str, before: Chunk, chunk: Chunk) -> bool:
    """Whether nothing but white space and the chunk's own heading is between two chunks."""
    start, end = chunk.heading if chunk.heading and chunk.heading[0] >= before.end else (chunk.start, chunk.start)
    return before.end <= start and not text[before.end : start].strip() and not text[end : chunk.start].strip()
