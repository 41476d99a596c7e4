"""Subtitles in SubRip files (`.srt`): cues with times, and the cues of two languages aligned by time.

Two cues are linked if one overlaps the other for longer than any other cue does, and for at least half of the shorter
one's time (after Tiedemann 2007, "Improved Sentence Alignment for Movie Subtitles"); cues that are linked,
directly or through others, make up one line.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longdoc.errors import UserError

_TIMES = re.compile(r"\s*(\d+):(\d\d):(\d\d)[,.](\d{1,3})\s*-->\s*(\d+):(\d\d):(\d\d)[,.](\d{1,3})(?:\s.*)?")
_TAG = re.compile(r"</?(?:[biu]|s|font|c)\b[^<>]*>|\{\\[^{}]*\}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cue:
    """A subtitle: its times in milliseconds, and its text as one line."""

    start: int
    end: int
    text: str

    @property
    def time(self) -> str:
        """The start time as subtitle files write it."""
        seconds, rest = divmod(self.start, 1000)
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02},{rest:03}"


def cues(text: str, name: str) -> list[Cue]:
    """The cues of a file by time, empty ones left out. Raises `UserError` with the line that cannot be read.

    Numbers and blank lines may be missing, and a cue may have blank lines inside. Tags (`<i>`, `{\\an8}`) are removed.
    """
    lines = text.splitlines()
    timing_lines = [i for i, line in enumerate(lines) if "-->" in line]
    if not timing_lines:
        raise UserError(f"{name} has no subtitles; expected lines such as 00:01:02,500 --> 00:01:04,000")
    cues = []
    for i, stop in zip(timing_lines, [*timing_lines[1:], len(lines) + 1], strict=True):
        times = _TIMES.fullmatch(lines[i])
        if times is None:
            raise UserError(
                f"{name}:{i + 1}: expected times such as 00:01:02,500 --> 00:01:04,000, got {lines[i].strip()!r}"
            )
        last = stop - 1 if stop > len(lines) or lines[stop - 1].strip().isdecimal() else stop  # the next one's number
        words = " ".join(_TAG.sub("", " ".join(lines[i + 1 : last])).split())
        start, end = _milliseconds(times.groups()[:4]), _milliseconds(times.groups()[4:])
        if end < start:
            raise UserError(f"{name}:{i + 1}: the subtitle ends before it begins: {lines[i].strip()!r}")
        if words:
            cues.append(Cue(start, end, words))
    return sorted(cues, key=lambda cue: (cue.start, cue.end))


def align(source: Sequence[Cue], target: Sequence[Cue]) -> tuple[list[tuple[str, str]], list[Cue]]:
    """Pairs of lines in the order of the source, and the cues of both files that have no counterpart."""
    links = {(i, j) for i, j in enumerate(_best(source, target)) if j is not None}
    links |= {(i, j) for j, i in enumerate(_best(target, source)) if i is not None}
    pairs = [
        (" ".join(source[i].text for i in left), " ".join(target[j].text for j in right))
        for left, right in _groups(sorted(links))
    ]
    sources, targets = {i for i, _ in links}, {j for _, j in links}
    unmatched = [cue for i, cue in enumerate(source) if i not in sources]
    return pairs, unmatched + [cue for j, cue in enumerate(target) if j not in targets]


def _best(cues: Sequence[Cue], other_cues: Sequence[Cue]) -> Iterator[int | None]:
    """For each cue, the index of the other cue that overlaps it longest, the first in a tie; None if none does."""
    starts = [other.start for other in other_cues]
    longest = max((other.end - other.start for other in other_cues), default=0)
    for cue in cues:
        near = range(bisect_left(starts, cue.start - longest), bisect_left(starts, cue.end))
        best = max(near, key=lambda j: (_overlap(cue, other_cues[j]), -j), default=None)  # noqa: B023
        yield best if best is not None and _match(cue, other_cues[best]) else None


def _match(cue: Cue, other: Cue) -> bool:
    shared = _overlap(cue, other)
    return shared > 0 and 2 * shared >= min(cue.end - cue.start, other.end - other.start)


def _overlap(cue: Cue, other: Cue) -> int:
    return min(cue.end, other.end) - max(cue.start, other.start)


def _groups(links: Sequence[tuple[int, int]]) -> Iterator[tuple[list[int], list[int]]]:
    """Groups of linked cues, as indices of sources and of targets, in the order of the sources."""
    group: dict[tuple[str, int], tuple[set[int], set[int]]] = {}
    for i, j in links:
        source_group, target_group = group.get(("source", i), ({i}, set())), group.get(("target", j), (set(), {j}))
        merged = (source_group[0] | target_group[0] | {i}, source_group[1] | target_group[1] | {j})
        group |= {("source", number): merged for number in merged[0]} | {
            ("target", number): merged for number in merged[1]
        }
    distinct = {min(merged[0]): merged for merged in group.values()}
    for first in sorted(distinct):
        yield sorted(distinct[first][0]), sorted(distinct[first][1])


def _milliseconds(parts: Sequence[str]) -> int:
    hours, minutes, seconds, rest = parts
    return 1000 * (3600 * int(hours) + 60 * int(minutes) + int(seconds)) + int(rest.ljust(3, "0"))
