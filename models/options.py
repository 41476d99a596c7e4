"""The options that a prompt lists: each after a letter, "(A) … (B) …", or one per line."""

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
    """The options that a prompt lists in its options part, else by letter in its query."""
    options_text = "".join(part.text for part in prompt.parts if part.role == "options")
    lettered = _lettered(options_text or prompt.query)[1]
    texts = lettered or [line.strip() for line in options_text.splitlines() if line.strip()]
    return [Option(letter, text) for letter, text in zip(LETTERS, texts, strict=False)]


def question(prompt: Prompt) -> str:
    """The query without the answers that it lists."""
    return prompt.query[: _lettered(prompt.query)[0]].strip()


def wants_letter(prompt: Prompt) -> bool:
    """Whether the prompt's own words, those around query and document, ask for a letter."""
    return any(_LETTER.search(part.text) for part in prompt.parts if part.role in ("instruction", "text", "cue"))


def _lettered(text: str) -> tuple[int, list[str]]:
    """(position of the first mark, texts behind the marks (A), (B) …); (end of the text, []) without two marks."""
    for pattern in _MARKS:
        matches: list[re.Match[str]] = []
        for letter in LETTERS:
            mark = re.compile(pattern.format(letter), re.MULTILINE)
            match = mark.search(text, matches[-1].end() - 1 if matches else 0)
            if match is None:
                break
            matches.append(match)
        ends = [*(match.start() for match in matches[1:]), len(text)][: len(matches)]
        texts = [text[match.end() : end].strip() for match, end in zip(matches, ends, strict=True)]
        if len(texts) > 1 and all(texts):
            return matches[0].start(), texts
    return len(text), []
