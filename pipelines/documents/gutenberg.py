"""The marks between which Project Gutenberg puts a work, its licence before and after them."""

import re

_START = re.compile(
    r"^[^\n]*(?:\*{3} ?START OF (?:THE|THIS) PROJECT GUTENBERG|\*END ?\*? ?THE SMALL PRINT)[^\n]*\n", re.M | re.I
)
_END = re.compile(r"^[^\n]*\bEND OF (?:(?:THE|THIS) )?PROJECT GUTENBERG", re.M | re.I)


def work(text: str) -> tuple[int, int]:
    """[start, end) of the work between the marks; all of a text without marks, or with nothing between them."""
    match = _START.search(text)
    first = match.end() if match else 0
    end = _END.search(text, first)
    last = end.start() if end else len(text)
    return (first, last) if text[first:last].strip() else (0, len(text))
