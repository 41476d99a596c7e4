"""The marks between which Project Gutenberg puts a work, its licence before and after them."""

import re

_START = re.compile(
    r"^[^\n]*(?:\*{3} ?START OF (?:THE|THIS) PROJECT GUTENBERG|\*END ?\*? ?THE SMALL PRINT)[^\n]*\n", re.M | re.I
)
_CREDITS = re.compile(
    r"\s*^(?:produced|prepared|transcribed|scanned|e-?text (?:prepared|produced)|"
    r"this (?:e-?text|e-?book|file) was (?:produced|prepared|transcribed|scanned)) (?:by|from)\b"
    r"[^\n]*(?:\n|\Z)(?:[ \t\r]*\S[^\n]*(?:\n|\Z))*",  # to the first empty line
    re.M | re.I,
)
_END = re.compile(r"^[^\n]*\bEND OF (?:(?:THE|THIS) )?PROJECT GUTENBERG", re.M | re.I)


def work(text: str) -> tuple[int, int]:
    """[start, end) of the work between the marks; all of a text without marks, or with nothing between them."""
    match = _START.search(text)
    first = match.end() if match else 0
    end = _END.search(text, first)
    last = end.start() if end else len(text)
    return (first, last) if text[first:last].strip() else (0, len(text))


def after_credits(text: str, start: int = 0) -> int:
    """The start of the work after credits at `start` (who produced the file); `start` if there are none."""
    while match := _CREDITS.match(text, start):
        start = match.end()
    return start
