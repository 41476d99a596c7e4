"""How an answer is printed: as text, and for a terminal."""

import textwrap
from collections.abc import Iterator

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from pipelines.answers.answer import Answer, Passage
from pipelines.answers.excerpts import LONGEST, quoted
from pipelines.results.display.terminal import visible

INDENT = "    "


def as_text(answer: Answer, full: bool = False) -> str:
    """The answer, then an excerpt of each passage with its location, in it the answer in «»; `full`: all of them."""
    lines = [_said(answer, full)]
    for number, passage in enumerate(answer.passages, 1):
        pieces = _pieces(passage, answer.question, full)
        words = "".join(f"«{text}»" if found else text for text, found in pieces)
        lines += ["", f"[{number}] {_location(passage)}", textwrap.indent(words, INDENT, lambda line: True)]
    lines += [""] * bool(answer.warnings) + [f"warning: {warning}" for warning in answer.warnings]
    return "\n".join(lines)


def for_terminal(answer: Answer, full: bool = False) -> Group:
    """The same with bold and colour, wrapped to the terminal's width."""
    parts: list[Text | Padding] = [Text(visible(_said(answer, full)), "bold")]
    for number, passage in enumerate(answer.passages, 1):
        pieces = _pieces(passage, answer.question, full)
        words = Text.assemble(*((visible(text), "bold green" if found else "") for text, found in pieces))
        parts += [Text(), Text.assemble(f"[{number}] ", (visible(_location(passage)), "cyan"))]
        parts.append(Padding(words, (0, 0, 0, len(INDENT))))
    parts += [Text()] * bool(answer.warnings) + [Text(visible(f"warning: {one}"), "yellow") for one in answer.warnings]
    return Group(*parts)


def _said(answer: Answer, full: bool) -> str:
    text = answer.text
    if len(text) > LONGEST and not full:
        return f"{text[:LONGEST]}… ({len(text):,} characters, whole with full=True, --full, or as JSON)"
    return text or ("(the reader found no answer)" if answer.asked else "(no model was asked)")


def _pieces(passage: Passage, question: str, full: bool) -> Iterator[tuple[str, bool]]:
    found = passage.answer and (passage.answer[0] - passage.start, passage.answer[1] - passage.start)
    return quoted(passage.text, found, question, full)


def _location(passage: Passage) -> str:
    characters = f"characters {passage.start}–{passage.end}, score {passage.score:.3f}"
    heading = " ".join(passage.heading.split()).strip("# ")
    under = f"under “{heading}”" if heading and heading not in passage.location else ""
    return ", ".join(filter(None, (passage.file, passage.location, under, characters)))
