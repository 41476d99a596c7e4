"""Chats, as models are trained on: `messages: [{role, content}]`, or `conversations: [{from, value}]`.

The question is the last message of the user, the reference the message of the assistant after it, if there is one. The
document is what comes before the question: the system's message, the turns before it, each after its role, and where
the question's message has several paragraphs, all but the last one of them (all but the first, where that ends in ":"
or "?" and the last does not end in "?"). A field `context` beside the chat is the document instead, and the user's last
message the question, all of it.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longdoc.errors import UserError
from pipelines.sources.own_data.forms.form import LIST, Fields, Form, without_fields

_ROLES = {"human": "user", "gpt": "assistant"}  # in `conversations`


def _form(name: str, role: str, content: str) -> Form:
    return Form("chats", {name: LIST}, functools.partial(_own_rows, name, role, content))


def _own_rows(name: str, role: str, content: str, fields: Fields, location: str) -> Iterator[Fields]:
    """One row: the last message of the user is the question, the text before it the document."""
    if fields.get("question"):
        raise UserError(f"{location}: the row has both `question` and `{name}`; leave out one")
    turns = [
        _turn(message, role, content, f"{location}, message {n}", name) for n, message in enumerate(fields[name], 1)
    ]
    last = max((n for n, (speaker, _) in enumerate(turns) if speaker == "user"), default=None)
    if last is None:
        raise UserError(f"{location}: `{name}` has no message of the user; the last of these is the question")
    document, question = _document_and_question(fields.get("context"), turns[:last], turns[last][1])
    if not document.strip():
        raise UserError(
            f"{location}: `{name}` has a question but no text before it; put the text in a field `context`, or "
            "before the question, with an empty line between them"
        )
    answers = [text for speaker, text in turns[last + 1 :] if speaker == "assistant"][:1]
    own_fields = {"document": document, "question": question, "answers": answers}
    yield without_fields(fields, name, "context") | own_fields


def _document_and_question(context: Any, before: Sequence[tuple[str, str]], message: str) -> tuple[str, str]:
    """The document and the question of a chat; the document is its context, else what is before the question."""
    if isinstance(context, str) and context:
        return context, message
    first, _, rest = message.strip().partition("\n\n")
    text, _, question = message.strip().rpartition("\n\n")
    if first.endswith((":", "?")) and rest and not question.endswith("?"):
        text, question = rest, first
    parts = [content if speaker == "system" else f"{speaker}: {content}" for speaker, content in before]
    return "\n\n".join([*parts, text] if text.strip() else parts), question.strip()


def _turn(message: Any, role: str, content: str, location: str, name: str) -> tuple[str, str]:
    """A message's role and text. Contents may be lists of parts, all of which must be text."""
    if not isinstance(message, Mapping) or not isinstance(message.get(role), str):
        raise UserError(f"{location}: each of `{name}` needs a `{role}` and a `{content}`")
    speaker, value = message[role], message.get(content)
    parts = value if isinstance(value, list) else [{"type": "text", "text": value or ""}]
    texts = [part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str)]
    if len(texts) < len(parts):
        raise UserError(f"{location}: `{content}` must be text; pictures and sound are not supported")
    return str(_ROLES.get(speaker, speaker)), "\n".join(texts).replace("\r\n", "\n")


MESSAGES = _form("messages", "role", "content")
CONVERSATIONS = _form("conversations", "from", "value")
