r"""Splits dialogues into turns: transcripts, chats, interviews, and plays whose speakers are followed by a colon.

A line may open a turn that begins with a name and a colon, after a time if there is one (`[12:01] Anna: Hi`). A text is
a dialogue where such lines are half of all its lines, or where half of them open with a name that comes again: colons
of other texts (`Author:`, `for example:`) do neither. Where lines go on over several, a name that comes only once has
no word in small letters.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from chunkers import Chunk
from chunkers.shared.boundaries import lines

_TIME = r"(?:\[[^\[\]\n]{1,30}\]\s*|\d[\d:./, -]{3,20}(?:[AaPp][Mm])?\s*[-–]?\s*)?"
_OPENING = re.compile(rf"{_TIME}([^\W\d_][\w.'’()\- ]{{0,39}}?)[ \t]*(?::\s|：)")


def turns(text: str) -> list[Chunk]:
    """The turns, labelled with their speakers; text before them has no label. Empty if it is not a dialogue."""
    spans = lines(text)
    matches = [(start, _OPENING.match(text[start:end] + " ")) for start, end in spans]
    openings = [(start, match[1]) for start, match in matches if match]
    turn_counts = Counter(speaker for _, speaker in openings)
    is_dense = 2 * len(openings) >= len(spans)
    recurring_count = sum(count for count in turn_counts.values() if count > 1)
    if len(openings) < 2 or not (is_dense or 2 * recurring_count >= len(openings)):
        return []
    pairs = [opening for opening in openings if is_dense or turn_counts[opening[1]] > 1 or _is_name(opening[1])]
    edges = [(0, ""), *pairs, (len(text), "")]
    return [
        chunk for (start, speaker), (stop, _) in pairwise(edges) if (chunk := _turn(text, start, stop, speaker or None))
    ]


def _is_name(speaker: str) -> bool:
    return not any(word[0].islower() for word in speaker.split())


def _turn(text: str, start: int, stop: int, speaker: str | None) -> Chunk | None:
    part = text[start:stop]
    left = len(part) - len(part.lstrip())
    stripped = part.strip()
    return Chunk(stripped, start + left, start + left + len(stripped), speaker) if stripped else None


def has_turns(chunks: Sequence[Chunk]) -> bool:
    """Whether a document's chunks are the turns of a conversation, or parts of turns.

    It is where more than half of the parents (of the chunks, where they have none) open with a speaker and a colon.
    """
    texts: dict[object, str] = {}
    for number, chunk in enumerate(chunks):
        texts.setdefault(chunk.parent or number, chunk.text)
    return 2 * sum(_OPENING.match(text + " ") is not None for text in texts.values()) > len(texts)
