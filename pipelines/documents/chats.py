"""Reads chats exported as JSON: one line "name (time): text" for each visible message.

Telegram, Slack, Discord (DiscordChatExporter), Teams (Microsoft Graph), ChatGPT, Claude, and others with a list of
messages that have a text, and a name or a time.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from typing import Any

LISTS = ("messages", "chat_messages", "value", "conversation")
_TEXTS = ("text", "content", "body", "message")
_NAMES = (
    "from",
    "author",
    "user_profile",
    "sender",
    "sender_name",
    "displayName",
    "from_name",
    "username",
    "user",
    "role",
)
_NAME_FIELDS = (
    "displayName", "display_name", "real_name", "nickname", "global_name", "first_name", "name", "username", "role",
    "user",
)  # fmt: skip
_TIMES = (
    "date", "timestamp", "ts", "createdDateTime", "created_at", "create_time", "timestamp_ms", "originalarrivaltime",
    "time",
)  # fmt: skip
_SHOWN_PARTS = ("text", "multimodal_text", "code", "execution_output")  # of ChatGPT's kinds of content
_UNSHOWN_ROLES = ("system", "tool")
_TAG = re.compile(r"<[^<>]*>")
_SLACK_LINK = re.compile(r"<(?:[^|<>\s]+\|([^<>]+)|(?:https?://|mailto:|[@#!])([^<>|]*))>")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)")


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat's title and its lines."""

    title: str
    lines: list[str]


def chats(value: Any) -> list[Chat] | None:
    """The chats of an export; None for other JSON."""
    if isinstance(value, dict) and isinstance(chat_field := value.get("chats"), dict):  # all chats of Telegram
        value = chat_field.get("list")
    if _are_messages(value, all_fields=True):
        return [Chat("", list(_lines(value)))]
    candidates = [_chat(item) for item in (value if isinstance(value, list) else [value])]
    valid = [chat for chat in candidates if chat is not None]
    return valid if valid and len(valid) == len(candidates) and any(chat.lines for chat in valid) else None


def _chat(value: Any) -> Chat | None:
    if not isinstance(value, dict):
        return None
    guild = value.get("guild")
    title = value.get("title") or value.get("name") or (guild.get("name") if isinstance(guild, dict) else "")
    if isinstance(value.get("mapping"), dict):
        messages: Any = _branch(value["mapping"], value.get("current_node"))
    else:
        messages = next((value[name] for name in LISTS if _are_messages(value.get(name))), None)
    if messages is None:
        return None
    return Chat(title if isinstance(title, str) else "", list(_lines(messages)))


def _branch(nodes: Mapping[str, Any], last: Any) -> list[Any]:
    """The visible messages of ChatGPT's tree: those that lead to node `last`, or all if there is no such node."""
    path, seen = list[Any](), set[str]()
    while isinstance(last, str) and last not in seen and isinstance(node := nodes.get(last), dict):
        seen.add(last)
        path.append(node)
        last = node.get("parent")
    nodes_shown = path[::-1] or [node for node in nodes.values() if isinstance(node, dict)]
    return [node["message"] for node in nodes_shown if isinstance(node.get("message"), dict)]


def _are_messages(value: Any, all_fields: bool = False) -> bool:
    """Whether a value is a list of messages: most have a text, and a name or a time (with `all_fields` both)."""
    if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
        return False
    has_name_and_time = [(bool(_name(item)), bool(_time(item))) for item in value if item.keys() & set(_TEXTS)]
    message_count = sum(all(pair) if all_fields else any(pair) for pair in has_name_and_time)
    return message_count * 2 >= len(value)


def _lines(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for message in messages:
        if not _is_shown(message):
            continue
        text = next((text for name in _TEXTS if (text := _text(message.get(name)).strip())), "")
        if not text:
            continue
        name, time = _name(message), _time(message)
        prefix = f"{name} ({time})" if name and time else name or time
        yield f"{prefix}: {text}" if prefix else text


def _is_shown(message: Mapping[str, Any]) -> bool:
    meta = message.get("metadata")
    is_hidden = isinstance(meta, dict) and meta.get("is_visually_hidden_from_conversation") is True
    author = message.get("author")
    role = author.get("role") if isinstance(author, dict) else message.get("role")
    return not is_hidden and message.get("type") != "service" and role not in _UNSHOWN_ROLES


def _text(value: Any) -> str:
    """The text of a field, which may be a string, a list of pieces, or HTML."""
    if isinstance(value, str):
        with suppress(UnicodeError):  # Facebook writes each byte of UTF-8 as a letter
            value = value.encode("latin-1").decode()
        return unescape(_SLACK_LINK.sub(lambda match: match[1] or match[2], value))
    if isinstance(value, list):
        pieces = [_text(piece) for piece in value]
        return "".join(pieces) if any(isinstance(piece, str) for piece in value) else "\n".join(filter(None, pieces))
    if not isinstance(value, dict):
        return ""
    if value.get("contentType") == "html":
        return unescape(_TAG.sub(" ", str(value.get("content") or "")))
    if value.get("content_type") and value["content_type"] not in _SHOWN_PARTS:
        return ""
    return next((_text(value[name]) for name in ("parts", "text", "content") if name in value), "")


def _name(message: Mapping[str, Any]) -> str:
    for field in _NAMES:
        value = message.get(field)
        if isinstance(value, dict):
            inner = value.get("user") or value.get("application") or value
            value = inner if isinstance(inner, str) else next(filter(None, map(inner.get, _NAME_FIELDS)), None)
        if isinstance(value, str) and value.strip():
            return _text(value).strip()
    return ""


def _time(message: Mapping[str, Any]) -> str:
    """The time of a message as day and minute, in UTC for Unix times; "" without any."""
    for field in _TIMES:
        value = message.get(field)
        if isinstance(value, str) and (match := _MOMENT.match(value)):
            return f"{match[1]} {match[2]}"
        try:
            seconds = float(value) / (1000 if field == "timestamp_ms" else 1)  # type: ignore[arg-type]
            return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
        except (TypeError, ValueError, OverflowError, OSError):
            continue
    return ""
