"""The answers that a prompt lists to choose from: one after a letter, "(A) … (B) …", or one per line."""

import re
from typing import NamedTuple

from models.prompts import Prompt

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# marks that begin a line, else marks that white space surrounds: an answer may speak of another one's letter
_MARKS = (r"^[ \t]*\({}\)\s", r"(?<!\S)\({}\)\s")
_LETTER = re.compile(r"\bletter\b", re.IGNORECASE)


class Option(NamedTuple):
    """An answer to choose: its letter (the first is A), and its text."""

    letter: str
    text: str


def options(prompt: Prompt) -> list[Option]:
    """The answers in the prompt's options, else those that its query lists by letter; none where there are none."""
    listed = "".join(part.text for part in prompt.parts if part.role == "options")
    found = _lettered(listed or prompt.query)[1]
    texts = found or [line.strip() for line in listed.splitlines() if line.strip()]
    return [Option(letter, text) for letter, text in zip(LETTERS, texts, strict=False)]


def question(prompt: Prompt) -> str:
    """The query without the answers that it lists."""
    return prompt.query[: _lettered(prompt.query)[0]].strip()


def wants_letter(prompt: Prompt) -> bool:
    """Whether the prompt's own words, those around query and document, ask for a letter."""
    return any(_LETTER.search(part.text) for part in prompt.parts if part.role in ("instruction", "text", "cue"))


def _lettered(text: str) -> tuple[int, list[str]]:
    """Where the first mark is, and the texts behind two or more marks from (A) on; the text's end, and none."""
    for pattern in _MARKS:
        found: list[re.Match[str]] = []
        for letter in LETTERS:
            mark = re.compile(pattern.format(letter), re.MULTILINE)
            match = mark.search(text, found[-1].end() - 1 if found else 0)
            if match is None:
                break
            found.append(match)
        ends = [*(match.start() for match in found[1:]), len(text)][: len(found)]
        texts = [text[match.end() : end].strip() for match, end in zip(found, ends, strict=True)]
        if len(texts) > 1 and all(texts):
            return found[0].start(), texts
    return len(text), []
