"""MRCR's rows: `{prompt, answer, random_string_to_prepend, n_needles, desired_msg_index, …}` (OpenAI 2025).

`prompt` is the JSON of a conversation, in which several messages answer the same request; the last message asks for one
of them, with the random string before it. The document is the conversation as a text, "User: …" and "Assistant: …" with
empty lines between, save the last message, which is the query. The evidence is the message that is asked for. A field
`tokens`, of prompt and answer, says in which bin of lengths a row is.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from pipelines.records import Example, Span
from pipelines.sources.instances import SharedDocuments
from pipelines.sources.pieces import Pieces
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "MRCR's rows (prompt, answer, random_string_to_prepend)"
SPEAKERS = {"user": "User", "assistant": "Assistant", "system": "System"}


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is MRCR's."""
    return {"prompt", "answer", "random_string_to_prepend"} <= fields.keys()


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row. Raises `UserError` unless the prompt is a conversation and the answer has its string."""
    documents = SharedDocuments()
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal(f"expected {ACCEPTS}")
        yield _example(row, split, documents)


def _example(row: Row, split: str, documents: SharedDocuments) -> Example:
    prefix, answer = row.string("random_string_to_prepend"), row.string("answer")
    if not prefix or not answer.startswith(prefix):
        raise row.refusal(f"the row needs an answer that begins with its random string {prefix!r}")
    *messages, (_, query) = _messages(row)
    text, evidence = _conversation(messages, answer.removeprefix(prefix))
    meta: dict[str, Any] = {"prefix": prefix}
    for name, field in (("needles", "n_needles"), ("tokens", "tokens")):
        if type(value := row.fields.get(field)) is int:
            meta[name] = value
    name = row.string("id") or f"{split}-{row.number}"
    return Example(name, documents.document(text, row.location), query, (answer,), evidence=evidence, meta=meta)


def _conversation(messages: Sequence[tuple[str, str]], answer: str) -> tuple[str, tuple[Span, ...]]:
    """The messages as a text, and the spans of the assistant's messages that are the answer."""
    pieces, spans = Pieces(), []
    for role, content in messages:
        pieces.add(f"{SPEAKERS.get(role, role.capitalize())}:", "\n\n")
        span = pieces.add(content, " ")
        if role == "assistant" and content.strip() and content.strip() == answer.strip():
            spans.append(span)
    return pieces.text, tuple(spans)


def _messages(row: Row) -> list[tuple[str, str]]:
    """The conversation's roles and texts. Raises `UserError` for another prompt."""
    messages = row.fields["prompt"]
    if isinstance(messages, str):
        try:
            messages = plain_json.loads(messages)
        except plain_json.NotJSON as error:
            raise UserError(f"{row.location}: the prompt must be the JSON of a conversation: {error}") from None
    are_messages = isinstance(messages, list) and all(
        isinstance(message, Mapping) and all(isinstance(message.get(name), str) for name in ("role", "content"))
        for message in messages
    )
    if not are_messages or len(messages) < 2:
        raise row.refusal("the prompt must be two messages or more with role and content")
    return [(message["role"], message["content"]) for message in messages]
