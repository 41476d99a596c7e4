"""Where a reference occurs in passages: the training target of readers that answer with spans."""

import re
from collections.abc import Iterator, Sequence

Gold = tuple[int, int, int]  # passage, where in it the span starts and ends (characters)


def gold_span(passages: Sequence[str], references: Sequence[str]) -> Gold | None:
    """(passage, start, end) of the first occurrence of a reference; None if there is none.

    References and passages are tried in their order, first with case kept, then with it ignored. Words are whole: "no"
    does not occur in "north".
    """
    stripped = [reference.strip() for reference in references if reference.strip()]
    for case in (re.NOFLAG, re.IGNORECASE):
        for reference in stripped:
            for position, text in enumerate(passages):
                for start, end in _occurrences(text, reference, case):
                    return position, start, end
    return None


def token_span(token_places: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """The first and the last token that share a character with text[start:end], None where no token does."""
    positions = [
        position
        for position, (token_start, token_end) in enumerate(token_places)
        if token_start < end and token_end > start
    ]
    return (positions[0], positions[-1]) if positions else None


def _occurrences(text: str, reference: str, case: re.RegexFlag) -> Iterator[tuple[int, int]]:
    for match in re.finditer(re.escape(reference), text, case):
        start, end = match.span()
        if not (_joined(text[start - 1 : start], text[start]) or _joined(text[end - 1], text[end : end + 1])):
            yield start, end


def _joined(text: str, other: str) -> bool:
    """Whether two neighbouring characters belong to one word; in scripts without case they never do."""
    return _is_a_word(text) and _is_a_word(other)


def _is_a_word(letter: str) -> bool:
    return letter.isdigit() or letter.lower() != letter.upper()
