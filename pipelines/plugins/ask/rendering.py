"""How an answer is printed: as text, for a terminal, and in a notebook."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from pipelines.display.terminal import visible
from pipelines.plugins.ask.answer_content import AnswerContent, Passage, Sentence
from pipelines.plugins.ask.excerpts import LONGEST, one_line, quoted

INDENT = "    "
READER, MOST_RELEVANT = "Output of the reader:", "Most relevant:"
NO_MATCH = "Nothing in the documents matches the question."
LEFT_OUT = "[…]"  # in place of the sentence that is printed above


@dataclass(frozen=True, slots=True)
class Quotation:
    """A passage as it is printed: its place, and its text piece by piece, each with whether it is the answer."""

    place: str
    pieces: Sequence[tuple[str, bool]]

    @property
    def text(self) -> str:
        """The pieces in one, the answer in «»."""
        return "".join(f"«{text}»" if is_answer and text != LEFT_OUT else text for text, is_answer in self.pieces)


def as_text(answer: AnswerContent, full: bool = False) -> str:
    """The answer, then its place and the text around it; of other passages only the places.

    Without an answer, and with `full`, there is an excerpt of each passage, with the answer in «». `full` prints
    everything whole, and adds to each passage its characters and its score, which cannot be compared between questions
    or retrievers.
    """
    lines = [answer_text(answer, full)]
    for quotation in quotations(answer, full):
        lines += ["", quotation.place]
        lines += [textwrap.indent(quotation.text, INDENT, lambda line: True)] if quotation.text else []
    lines += ["", others] if (others := other_passages(answer, full)) else []
    lines += [""] * bool(answer.warnings) + [f"warning: {warning}" for warning in answer.warnings]
    return "\n".join(lines)


def for_terminal(answer: AnswerContent, full: bool = False) -> Group:
    """The same with bold and colour, wrapped to the terminal's width."""
    parts: list[Text | Padding] = [Text(visible(answer_text(answer, full)), "bold")]
    for quotation in quotations(answer, full):
        excerpt = Text.assemble(
            *((visible(text), "bold green" if is_answer else "") for text, is_answer in quotation.pieces)
        )
        parts += [Text(), Text(visible(quotation.place), "cyan")]
        parts += [Padding(excerpt, (0, 0, 0, len(INDENT)))] if quotation.text else []
    parts += [Text(), Text(visible(others), "dim")] if (others := other_passages(answer, full)) else []
    parts += [Text()] * bool(answer.warnings) + [
        Text(visible(f"warning: {warning}"), "yellow") for warning in answer.warnings
    ]
    return Group(*parts)


def answer_text(answer: AnswerContent, full: bool) -> str:
    """The answer's text and the best sentence, or why there is none."""
    text = _shortened(answer.text, full)
    if not text and not answer.found:
        return NO_MATCH
    best = answer.best_sentence
    if best is None:
        return text or ("(no answer)" if answer.asked else "(no model was asked)")
    best_text = one_line(best.text)
    sentence = f"{MOST_RELEVANT} {_shortened(best_text, full)}"
    return sentence if answer.text == best_text else f"{READER} {text}\n{sentence}"


def place_of(sentence: Sentence) -> str:
    """The number of a sentence's passage, its file and location."""
    return f"[{sentence.passage}] {', '.join(filter(None, (sentence.file, sentence.location)))}".strip()


def quotations(answer: AnswerContent, full: bool) -> list[Quotation]:
    """The excerpts to print: the best sentence's passage, the cited passages of an answer with citations, else all."""
    best = answer.best_sentence
    excerpts = [
        Quotation(
            f"[{number}] {_location(passage, full)}", list(_pieces(passage, _excerpt_query(answer, number), full))
        )
        for number, passage in _split_passages(answer, full)[0]
    ]
    if full or best is None:
        return excerpts
    passage = answer.passages[best.passage - 1]
    pieces = excerpts[0].pieces
    if passage.answer == (best.start, best.end):
        pieces = [(LEFT_OUT, True) if is_answer else (text, False) for text, is_answer in pieces]
        pieces = pieces if any(text.strip(" …") for text, is_answer in pieces if not is_answer) else []
    return [Quotation(", ".join(filter(None, (place_of(best), _under(passage)))), pieces)]


def other_passages(answer: AnswerContent, full: bool) -> str:
    """A line with the places of the passages without an excerpt; empty where all have one."""
    leading, others = _split_passages(answer, full)
    if not others:
        return ""
    title = "Not cited" if answer.citations else "Other passages (--full prints them)"
    files = [passage.file for _, passage in (leading[-1], *others)]  # a file is named where it changes
    places = [
        f"[{number}] {_place(replace(passage, file=None) if passage.file == before else passage)}".strip()
        for (number, passage), before in zip(others, files, strict=False)
    ]
    return f"{title}: {'; '.join(places)}"


def _shortened(text: str, full: bool) -> str:
    if len(text) <= LONGEST or full:
        return text
    return f"{text[:LONGEST]}… ({len(text):,} characters, whole with full=True, --full, or as JSON)"


def _split_passages(answer: AnswerContent, full: bool) -> tuple[list[tuple[int, Passage]], list[tuple[int, Passage]]]:
    """The passages to quote and those only to name, with their numbers; cited ones come in the answer's order."""
    numbered = dict(enumerate(answer.passages, 1))
    best = answer.best_sentence
    leading = [citation.number for citation in answer.citations] or ([] if best is None or full else [best.passage])
    others = [(number, passage) for number, passage in numbered.items() if number not in leading]
    first = [(number, numbered[number]) for number in leading]
    return ([*first, *others], []) if full or not leading else (first, others)


def _excerpt_query(answer: AnswerContent, number: int) -> str:
    """The words that choose a passage's excerpt: the question's, and the answer's too where it cites the passage."""
    cited = any(citation.number == number for citation in answer.citations)
    return f"{answer.question} {answer.text}" if cited else answer.question


def _pieces(passage: Passage, question: str, full: bool) -> Iterator[tuple[str, bool]]:
    """The excerpt of a passage piece by piece, each with whether it is the answer."""
    span = passage.answer and (passage.answer[0] - passage.start, passage.answer[1] - passage.start)
    return quoted(passage.text, span, question, full)


def _location(passage: Passage, full: bool) -> str:
    place = _place(passage)
    if full or not place:
        return f"{place}, characters {passage.start}–{passage.end}, score {passage.score:.3f}".removeprefix(", ")
    return place


def _place(passage: Passage) -> str:
    """File, location and heading, and whether the model read it."""
    read = "" if passage.shown else "not read"
    return ", ".join(filter(None, (passage.file, passage.location, _under(passage), read)))


def _under(passage: Passage) -> str:
    """The heading that a passage stands under, where its location does not name it."""
    heading = " ".join(passage.heading.split()).strip("# ")
    return f"under “{heading}”" if heading and heading not in passage.location else ""


def passage_as_text(answer: AnswerContent, number: int) -> str:
    """One passage whole, with its location."""
    passage = answer.passages[number - 1]
    passage_text = "".join(
        f"«{text}»" if is_answer else text for text, is_answer in _pieces(passage, answer.question, True)
    )
    return f"[{number}] {_location(passage, True)}\n{textwrap.indent(passage_text, INDENT, lambda line: True)}"


def passage_for_terminal(answer: AnswerContent, number: int) -> Group:
    """The same with bold and colour."""
    passage = answer.passages[number - 1]
    pieces = _pieces(passage, answer.question, True)
    passage_text = Text.assemble(*((visible(text), "bold green" if is_answer else "") for text, is_answer in pieces))
    heading = Text.assemble(f"[{number}] ", (visible(_location(passage, True)), "cyan"))
    return Group(heading, Padding(passage_text, (0, 0, 0, len(INDENT))))


def for_notebook(answer: AnswerContent) -> str:
    """HTML: the answer in bold, and excerpts of the passages, in them the answer highlighted."""
    lines = [
        '<div class="tex2jax_ignore mathjax_ignore">',  # a notebook takes dollar signs for formulas
        f'<p dir="auto"><b>{_escaped(answer_text(answer, False))}</b></p>',
    ]
    for quotation in quotations(answer, False):
        excerpt = "".join(
            f"<mark>{_escaped(text)}</mark>" if is_answer else _escaped(text) for text, is_answer in quotation.pieces
        )
        lines.append(f'<p><small>{_escaped(quotation.place)}</small><br><span dir="auto">{excerpt}</span></p>')
    lines += [f"<small>{_escaped(others)}</small><br>"] if (others := other_passages(answer, False)) else []
    lines += [f"<small>warning: {_escaped(line)}</small><br>" for line in answer.warnings]
    return "\n".join([*lines, "</div>"])


def _escaped(text: str) -> str:
    return escape(text.encode("utf-8", "replace").decode())
