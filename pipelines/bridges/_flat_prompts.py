"""Prompts that other harnesses hand over as one text: where in it the document is, and where the question."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunkers.shared.words import count_words
from longdoc.errors import UserError
from models.prompts import Part, Prompt
from pipelines.records import Example, Span
from pipelines.strategies.shared.template import Template

SHORTEST_DOCUMENT = 100  # words of a field that counts as a document
QUESTIONS = ("question", "query", "input", "claim", "instruction", "title")  # the fields that hold one, by preference
SHORTEST_QUESTION = 3  # words of a text beside the document that counts as a question


@dataclass(frozen=True, slots=True)
class FlatPrompt:
    """A prompt's text, the spans of its document and its question in it, and what chunks are ranked by.

    `prefill` is how the answer begins, which follows the text.
    """

    text: str
    document: Span | None = None
    question: Span | None = None
    query: str = ""
    prefill: str = ""

    def full_prompt(self) -> Prompt:
        """The prompt with all of the document, which has the text to the letter."""
        passages = () if self.document is None else (Part("document", self.text[slice(*self.document)], 0),)
        return Prompt((*self.before(), *passages, *self.after()))

    def before(self) -> tuple[Part, ...]:
        """The parts before the document; all of the text where there is none."""
        return self._parts(0, len(self.text) if self.document is None else self.document[0])

    def after(self) -> tuple[Part, ...]:
        """The parts after the document."""
        parts = () if self.document is None else self._parts(self.document[1], len(self.text))
        return (*parts, Part("prefill", self.prefill)) if self.prefill else parts

    def _parts(self, start: int, end: int) -> tuple[Part, ...]:
        if self.question is None or not start <= self.question[0] < end:
            cuts = [("text", start, end)]
        else:
            first, last = self.question
            cuts = [("text", start, first), ("query", first, last), ("text", last, end)]
        return tuple(Part(role, self.text[begin:stop]) for role, begin, stop in cuts if stop > begin)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class AroundDocument(Template):
    """The prompt of an example whose `meta` has the parts "before" and "after" the document."""

    text: str = "{document}"

    def render(self, example: Example, passages: Sequence[Part]) -> Prompt:
        """These parts around the passages."""
        return Prompt((*example.meta.get("before", ()), *passages, *example.meta.get("after", ())), self.separator)


def flat_prompt(
    text: str, row: Mapping[str, Any], document_field: str | None = None, query_field: str | None = None
) -> FlatPrompt:
    """Find document and question of a prompt by the fields of its row.

    The document is the longest text of a field that the prompt holds, of at least a hundred words, not the whole
    prompt; its last occurrence, since examples come first. The question is the first of the fields `QUESTIONS` that the
    prompt holds beside it, else the text that follows the document, else that before it. Raises `UserError` for a
    named field that the row does not have, or has no text in.
    """
    prefill = ""
    if (turns := messages_of(text)) is not None:
        *earlier_turns, last = turns
        prefill = last["content"] if last["role"] == "assistant" else ""
        text = "\n\n".join(turn["content"] for turn in (earlier_turns if prefill else turns))
    texts = {name: value.strip() for name, value in row.items() if isinstance(value, str) and value.strip()}
    document = _document(text, texts, _checked(document_field, row, texts))
    if document is None:
        return FlatPrompt(text, prefill=prefill)
    question = _question(text, texts, document, _checked(query_field, row, texts))
    query = text[slice(*question)] if question else _text_beside(text, document)
    return FlatPrompt(text, document, question, query, prefill)


def chat_text(messages: Sequence[Mapping[str, str]]) -> str:
    """The messages of a conversation as one text, from which `messages_of` takes them."""
    return json.dumps({"messages": [dict(message) for message in messages]}, ensure_ascii=False)


def messages_of(text: str) -> list[dict[str, str]] | None:
    """The messages that `chat_text` wrote; None for any other text."""
    if not text.startswith('{"messages": ['):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return list(value["messages"]) if value.keys() == {"messages"} else None


def _checked(name: str | None, row: Mapping[str, Any], texts: Mapping[str, str]) -> str | None:
    if name is None or name in texts:
        return name
    if name in row:
        return None  # empty in this row
    raise UserError(f"the task's rows have no field {name!r} with a text: they have {', '.join(sorted(texts))}")


def _document(text: str, texts: Mapping[str, str], name: str | None) -> Span | None:
    candidates = [texts[name]] if name is not None else sorted(texts.values(), key=len, reverse=True)
    for value in candidates:
        position = text.rfind(value)
        is_whole = value == text.strip()
        if position >= 0 and (name is not None or (not is_whole and count_words([value])[0] >= SHORTEST_DOCUMENT)):
            return position, position + len(value)
    return None


def _question(text: str, texts: Mapping[str, str], document: Span, name: str | None) -> Span | None:
    for field in [name] if name is not None else QUESTIONS:
        value = texts.get(field, "") if field else ""
        for start, end in ((document[1], len(text)), (0, document[0])):
            if value and (position := text.rfind(value, start, end)) >= 0:
                return position, position + len(value)
    return None


def _text_beside(text: str, document: Span) -> str:
    """The text that follows a document, if it has some words, else the one before it."""
    after, before = text[document[1] :].strip(), text[: document[0]].strip()
    return after if count_words([after])[0] >= SHORTEST_QUESTION else before or after
