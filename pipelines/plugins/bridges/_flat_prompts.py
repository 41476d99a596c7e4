"""Finds the document and the question in prompts that other harnesses hand over as one text."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunkers.shared.words import count_words
from longdoc.errors import UserError
from models.prompts import Part, Prompt
from pipelines.prompts.template import Template
from pipelines.records import Example, Span

SHORTEST_DOCUMENT = 100  # words of a field that counts as a document
QUESTION_FIELDS = ("question", "query", "input", "claim", "instruction", "title")  # by preference
SHORTEST_QUESTION = 3  # words of a text beside the document that counts as a question


@dataclass(frozen=True, slots=True)
class FlatPrompt:
    """A prompt's text, the spans of document and question in it, and the `query` by which chunks are ranked.

    `prefill` is the beginning of the answer, which follows the text.
    """

    text: str
    document: Span | None = None
    question: Span | None = None
    query: str = ""
    prefill: str = ""

    def full_prompt(self) -> Prompt:
        """The prompt with all of the document; its text is the flat one to the letter."""
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
        """The parts of the text from `start` to `end`, the question in a part of its own."""
        if self.question is None or not start <= self.question[0] < end:
            spans = [("text", start, end)]
        else:
            first, last = self.question
            spans = [("text", start, first), ("query", first, last), ("text", last, end)]
        return tuple(Part(role, self.text[begin:stop]) for role, begin, stop in spans if stop > begin)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class AroundDocument(Template):
    """The prompt of an example whose `meta` has the parts "before" and "after" the document."""

    text: str = "{document}"

    def render(self, example: Example, passages: Sequence[Part]) -> Prompt:
        """The passages between the parts before and after the document."""
        return Prompt((*example.meta.get("before", ()), *passages, *example.meta.get("after", ())), self.separator)


def flat_prompt(
    text: str, row: Mapping[str, Any], document_field: str | None = None, query_field: str | None = None
) -> FlatPrompt:
    """Find document and question of a prompt by the fields of its row.

    The document is the longest field in the prompt of at least a hundred words that is not the whole prompt, at its
    last occurrence, since few-shot examples come first. The question is the first of `QUESTION_FIELDS` that the prompt
    has beside the document, else the text after the document, else that before it. Raises `UserError` for a named field
    that the row does not have.
    """
    prefill = ""
    if (turns := messages_of(text)) is not None:
        *earlier_turns, last = turns
        prefill = last["content"] if last["role"] == "assistant" else ""
        text = "\n\n".join(turn["content"] for turn in (earlier_turns if prefill else turns))
    texts = {name: value.strip() for name, value in row.items() if isinstance(value, str) and value.strip()}
    document = _document(text, texts, _checked_field(document_field, row, texts))
    if document is None:
        return FlatPrompt(text, prefill=prefill)
    question = _question(text, texts, document, _checked_field(query_field, row, texts))
    query = text[slice(*question)] if question else _text_beside(text, document)
    return FlatPrompt(text, document, question, query, prefill)


def chat_text(messages: Sequence[Mapping[str, str]]) -> str:
    """The messages of a conversation as one text, which `messages_of` reads."""
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


def _checked_field(name: str | None, row: Mapping[str, Any], texts: Mapping[str, str]) -> str | None:
    """The field's name, None where it is empty in this row. Raises `UserError` for one that the row does not have."""
    if name is None or name in texts:
        return name
    if name in row:
        return None  # empty in this row
    raise UserError(f"the task's rows have no field {name!r} with a text: they have {', '.join(sorted(texts))}")


def _document(text: str, texts: Mapping[str, str], name: str | None) -> Span | None:
    """The span of the document: of the named field, else of the longest field that may be one."""
    candidates = [texts[name]] if name is not None else sorted(texts.values(), key=len, reverse=True)
    for candidate in candidates:
        position = text.rfind(candidate)
        is_long = count_words([candidate])[0] >= SHORTEST_DOCUMENT
        if position >= 0 and (name is not None or (candidate != text.strip() and is_long)):
            return position, position + len(candidate)
    return None


def _question(text: str, texts: Mapping[str, str], document: Span, name: str | None) -> Span | None:
    """The span of the question beside the document: of the named field, else of the first field that is there."""
    for field in [name] if name is not None else QUESTION_FIELDS:
        question = texts.get(field, "")
        for start, end in ((document[1], len(text)), (0, document[0])):
            if question and (position := text.rfind(question, start, end)) >= 0:
                return position, position + len(question)
    return None


def _text_beside(text: str, document: Span) -> str:
    """The text after the document where it has a few words, else the text before it."""
    after, before = text[document[1] :].strip(), text[: document[0]].strip()
    return after if count_words([after])[0] >= SHORTEST_QUESTION else before or after
