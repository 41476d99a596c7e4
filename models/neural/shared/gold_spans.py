"""Where a reference stands in passages: what a reader learns that answers with spans."""

import re
from collections.abc import Iterator, Sequence

Gold = tuple[int, int, int]  # passage, where in it the span starts and ends (characters)


def gold(passages: Sequence[str], references: Sequence[str]) -> Gold | None:
    """The first occurrence of a reference, None where there is none.

    References and passages are tried in their order, first with case kept, then with it ignored. Words are whole: "no"
    does not occur in "north".
    """
    wanted_references = [reference.strip() for reference in references if reference.strip()]
    for case in (re.NOFLAG, re.IGNORECASE):
        for reference in wanted_references:
            for position, text in enumerate(passages):
                for start, end in _occurrences(text, reference, case):
                    return position, start, end
    return None


def tokens(places: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """The first and the last token that share a character with text[start:end], None where no token does."""
    own_numbers = [position for position, (first, behind) in enumerate(places) if first < end and behind > start]
    return (own_numbers[0], own_numbers[-1]) if own_numbers else None


def _occurrences(text: str, reference: str, case: re.RegexFlag) -> Iterator[tuple[int, int]]:
    for match in re.finditer(re.escape(reference), text, case):
        start, end = match.span()
        if not (_joined(text[start - 1 : start], text[start]) or _joined(text[end - 1], text[end : end + 1])):
            yield start, end


def _joined(text: str, other: str) -> bool:
    """Whether two neighbours are of one word: scripts without case may put no space between words."""
    return _is_a_word(text) and _is_a_word(other)


def _is_a_word(letter: str) -> bool:
    return letter.isdigit() or letter.lower() != letter.upper()
