"""Four answer options, as QuALITY's rows in SCROLLS and ZeroSCROLLS write them: (A) … (B) … (C) … (D) …"""

import re
from collections.abc import Sequence

# marks at the start of a line, else marks between white space: an answer may mention the letter of another
_MARKS = [[re.compile(pattern.format(letter), re.MULTILINE) for letter in "ABCD"]
          for pattern in (r"^[ \t]*\({}\)\s", r"(?<!\S)\({}\)\s")]  # fmt: skip
_BEGIN = re.compile(r"\n\n(?=\s*\(A\)\s)")


def choices(text: str) -> tuple[str, ...]:
    """The four answers that a text lists, without their letters; empty where it does not list four."""
    for marks in _MARKS:
        matches: list[re.Match[str]] = []
        for mark in marks:
            if match := mark.search(text, matches[-1].end() if matches else 0):
                matches.append(match)
        ends = [*(match.start() for match in matches[1:]), len(text)]
        answers = tuple(text[match.end() : end].strip() for match, end in zip(matches, ends, strict=False))
        if len(answers) == len(marks) and all(answers):
            return answers
    return ()


def block(text: str) -> tuple[int, int] | None:
    """The span of the answers after a question, between blank lines, with the white space around them."""
    if not (begin := _BEGIN.search(text)) or not (last := _MARKS[1][3].search(text, begin.end())):
        return None
    end = text.find("\n\n", last.end())
    return None if end < 0 else (begin.end(), end)


def listed(options: Sequence[str]) -> str:
    """Answers as the rows list them: one per line, after its letter."""
    return "\n".join(f" ({letter}) {option}" for letter, option in zip("ABCD", options, strict=True))
