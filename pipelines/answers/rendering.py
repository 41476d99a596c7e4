"""How an answer is printed: as text, for a terminal, and in a notebook."""

import textwrap
from collections.abc import Iterator
from html import escape

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from pipelines.answers.answer_content import AnswerContent, Passage, Sentence
from pipelines.answers.excerpts import LONGEST, one_line, quoted
from pipelines.display.terminal import visible

INDENT = "    "
NOT_CITED = "not cited:"
READER, MOST_RELEVANT = "Output of the reader:", "Most relevant:"
NOTHING_TEXT = "Nothing in the documents matches the question."


def as_text(answer: AnswerContent, full: bool = False) -> str:
    """The answer, then an excerpt of each passage with its location, in it the answer in «».

    Of passages that an answer with citations does not cite there is the location alone. `full`: all is whole, and each
    passage has its characters and its score, which cannot be compared between questions or retrievers.
    """
    lines = [answer_text(answer, full)]
    quoted, other_pairs = _split_passages(answer, full)
    for number, passage in quoted:
        pieces = _pieces(passage, _sought_text(answer, number), full)
        words = "".join(f"«{text}»" if is_found else text for text, is_found in pieces)
        lines += ["", f"[{number}] {_location(passage, full)}", textwrap.indent(words, INDENT, lambda line: True)]
    if other_pairs:
        lines += ["", NOT_CITED, *(f"{INDENT}[{number}] {_place(passage)}" for number, passage in other_pairs)]
    lines += [""] * bool(answer.warnings) + [f"warning: {warning}" for warning in answer.warnings]
    return "\n".join(lines)


def for_terminal(answer: AnswerContent, full: bool = False) -> Group:
    """The same with bold and colour, wrapped to the terminal's width."""
    parts: list[Text | Padding] = [Text(visible(answer_text(answer, full)), "bold")]
    quoted, other_pairs = _split_passages(answer, full)
    for number, passage in quoted:
        pieces = _pieces(passage, _sought_text(answer, number), full)
        words = Text.assemble(*((visible(text), "bold green" if is_found else "") for text, is_found in pieces))
        parts += [Text(), Text.assemble(f"[{number}] ", (visible(_location(passage, full)), "cyan"))]
        parts.append(Padding(words, (0, 0, 0, len(INDENT))))
    if other_pairs:
        places = "\n".join(f"[{number}] {_place(passage)}" for number, passage in other_pairs)
        parts += [Text(), Text(NOT_CITED), Padding(Text(visible(places), "dim"), (0, 0, 0, len(INDENT)))]
    parts += [Text()] * bool(answer.warnings) + [
        Text(visible(f"warning: {warning}"), "yellow") for warning in answer.warnings
    ]
    return Group(*parts)


def answer_text(answer: AnswerContent, full: bool) -> str:
    """The answer's text and the best sentence with its place, or why there is none."""
    text = _shortened(answer.text, full)
    if not text and not answer.found:
        return NOTHING_TEXT
    best = answer.best_sentence
    if best is None:
        return text or ("(no answer)" if answer.asked else "(no model was asked)")
    words = one_line(best.text)
    sentence = f"{MOST_RELEVANT} {_shortened(words, full)} — {place_of(best)}".rstrip(" —")
    return sentence if answer.text == words else f"{READER} {text}\n{sentence}"


def place_of(sentence: Sentence) -> str:
    """The number of a sentence's passage, its file and location."""
    return f"[{sentence.passage}] {', '.join(filter(None, (sentence.file, sentence.location)))}".strip()


def _shortened(text: str, full: bool) -> str:
    if len(text) <= LONGEST or full:
        return text
    return f"{text[:LONGEST]}… ({len(text):,} characters, whole with full=True, --full, or as JSON)"


def _split_passages(answer: AnswerContent, full: bool) -> tuple[list[tuple[int, Passage]], list[tuple[int, Passage]]]:
    """The passages to quote, and those to name alone, with their numbers; cited ones come in the answer's order."""
    numbered = dict(enumerate(answer.passages, 1))
    cited = [citation.number for citation in answer.citations]
    other_pairs = [(number, passage) for number, passage in numbered.items() if number not in cited]
    quoted = [(number, numbered[number]) for number in cited]
    return ([*quoted, *other_pairs], []) if full or not cited else (quoted, other_pairs)


def _sought_text(answer: AnswerContent, number: int) -> str:
    """The words that a passage is searched for what to quote of it: of one that is cited, the answer's too."""
    cited = any(citation.number == number for citation in answer.citations)
    return f"{answer.question} {answer.text}" if cited else answer.question


def _pieces(passage: Passage, question: str, full: bool) -> Iterator[tuple[str, bool]]:
    value = passage.answer and (passage.answer[0] - passage.start, passage.answer[1] - passage.start)
    return quoted(passage.text, value, question, full)


def _location(passage: Passage, full: bool) -> str:
    place = _place(passage)
    if full or not place:
        return f"{place}, characters {passage.start}–{passage.end}, score {passage.score:.3f}".removeprefix(", ")
    return place


def _place(passage: Passage) -> str:
    """File, location and heading, and whether the model read it."""
    heading = " ".join(passage.heading.split()).strip("# ")
    under = f"under “{heading}”" if heading and heading not in passage.location else ""
    read = "" if passage.shown else "not read"
    return ", ".join(filter(None, (passage.file, passage.location, under, read)))


def passage_as_text(answer: AnswerContent, number: int) -> str:
    """One passage whole, with its location."""
    passage = answer.passages[number - 1]
    words = "".join(f"«{text}»" if is_found else text for text, is_found in _pieces(passage, answer.question, True))
    return f"[{number}] {_location(passage, True)}\n{textwrap.indent(words, INDENT, lambda line: True)}"


def passage_for_terminal(answer: AnswerContent, number: int) -> Group:
    """The same with bold and colour."""
    passage = answer.passages[number - 1]
    pieces = _pieces(passage, answer.question, True)
    words = Text.assemble(*((visible(text), "bold green" if is_found else "") for text, is_found in pieces))
    text = Text.assemble(f"[{number}] ", (visible(_location(passage, True)), "cyan"))
    return Group(text, Padding(words, (0, 0, 0, len(INDENT))))


def for_notebook(answer: AnswerContent) -> str:
    """HTML: the answer in bold, and excerpts of the passages, in them the answer highlighted."""
    lines = [
        '<div class="tex2jax_ignore mathjax_ignore">',  # a notebook takes dollar signs for formulas
        f'<p dir="auto"><b>{_escaped(answer_text(answer, False))}</b></p>',
    ]
    quoted, other_pairs = _split_passages(answer, False)
    for number, passage in quoted:
        pieces = _pieces(passage, _sought_text(answer, number), False)
        words = "".join(f"<mark>{_escaped(text)}</mark>" if is_found else _escaped(text) for text, is_found in pieces)
        lines.append(
            f'<p><small>[{number}] {_escaped(_location(passage, False))}</small><br><span dir="auto">{words}</span></p>'
        )
    lines += [
        f"<small>{NOT_CITED} [{number}] {_escaped(_place(passage))}</small><br>" for number, passage in other_pairs
    ]
    lines += [f"<small>warning: {_escaped(line)}</small><br>" for line in answer.warnings]
    return "\n".join([*lines, "</div>"])


def _escaped(text: str) -> str:
    return escape(text.encode("utf-8", "replace").decode())
