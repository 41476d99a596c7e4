"""Converts a prompt to a message of inspect_ai and back; the message's metadata have the prompt's parts.

Readers by rule need to know which part of a prompt is the question and which is the document, and readers with a limit
cut only the document. A message has only text, so its metadata say where each part is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageUser

from longdoc.errors import UserError
from models.prompts import Part, Prompt

KEY = "longdoc"  # of the prompt's parts in the metadata
PROMPT_FIELDS = ("separator", "truncated_tokens", "cut_at", "cut_side")  # fields of a prompt beside its parts


def message_of(prompt: Prompt, message: ChatMessageUser | None = None) -> ChatMessageUser:
    """A user's message with the prompt's text and parts; `message`, changed so, where it is given."""
    metadata = {**((message and message.metadata) or {}), KEY: _prompt_metadata(prompt)}
    if message is None:
        return ChatMessageUser(content=prompt.text, metadata=metadata)
    return message.model_copy(update={"content": prompt.text, "metadata": metadata})


def prompt_of(messages: Sequence[ChatMessage]) -> Prompt:
    """The prompt in messages: system messages, then one of the user. Raises `UserError` for others.

    The text of a message without parts in its metadata is one document part, as a bare string is to every reader.
    """
    *before, last = messages
    if last.role != "user" or any(message.role != "system" for message in before):
        turns = ", ".join(message.role for message in messages)
        raise UserError(f"a reader of longdoc answers one prompt, and here is a conversation ({turns})")
    if not isinstance(last.content, str) and any(part.type != "text" for part in last.content):
        raise UserError("a reader of longdoc reads text, and the message holds something else: leave it out")
    prompt = _prompt_from_metadata(last.text, (last.metadata or {}).get(KEY))
    system = "".join(f"{message.text}\n\n" for message in before)
    if not system:
        return prompt
    return Prompt(
        (Part("instruction", system), *prompt.parts), prompt.separator, prompt.truncated_tokens, prompt.cut_at
    )


def _prompt_metadata(prompt: Prompt) -> dict[str, Any]:
    """The positions and fields of the prompt's parts, as plain values."""
    parts: list[dict[str, Any]] = []
    for part, position in zip(prompt.visible_parts, prompt.places, strict=True):
        fields: dict[str, Any] = {"role": part.role, "at": list(position)}
        if part.start is not None:
            fields |= {"span": [part.start, part.end], "rank": part.rank}
        if part.heading is not None:
            fields |= {"title": part.title, "heading": list(part.heading)}
        fields |= {"gap": part.gap} if part.gap is not None else {}
        fields |= {"label": part.label} if part.label else {}
        parts.append(fields)
    return {"parts": parts} | {name: getattr(prompt, name) for name in PROMPT_FIELDS}


def _prompt_from_metadata(text: str, metadata: Mapping[str, Any] | None) -> Prompt:
    """The prompt with a text and the parts in the metadata. Raises `UserError` where the text was changed."""
    if metadata is None:
        return Prompt.of(text)
    parts = tuple(_part(text, fields) for fields in metadata["parts"])
    prompt = Prompt(parts, **{name: metadata[name] for name in PROMPT_FIELDS})
    if prompt.text != text:
        raise UserError("the prompt was changed after longdoc_select: put the solver that changes it before")
    return prompt


def _part(text: str, fields: Mapping[str, Any]) -> Part:
    start, end = fields.get("span", (None, None))
    heading = fields.get("heading")
    return Part(
        fields["role"],
        text[slice(*fields["at"])],
        start,
        end,
        fields.get("rank", 0),
        fields.get("title", ""),
        None if heading is None else (heading[0], heading[1]),
        fields.get("gap"),
        fields.get("label", ""),
    )
