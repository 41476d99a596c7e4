"""Exports of chats: a line for each message, with its author and time."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from pipelines import documents

WORDS = "The roofer comes on Friday."
LINK = {"type": "link", "text": "a.example"}
EXPORTS: dict[str, tuple[Any, str]] = {
    "telegram": (
        {
            "name": "Roof",
            "id": 4,
            "messages": [
                {"id": 1, "type": "service", "date": "2031-05-02T08:00:00", "actor": "Ida", "text": ""},
                {"id": 2, "type": "message", "date": "2031-05-02T08:01:09", "from": "Ida", "text": [WORDS, " ", LINK]},
            ],
        },
        f"Ida (2031-05-02 08:01): {WORDS} a.example",
    ),
    "slack day": (
        [
            {
                "type": "message",
                "user": "U7",
                "user_profile": {"real_name": "Ida Lund"},
                "ts": "1935561600.0002",
                "text": f"{WORDS} See <https://a.example|the plan> &amp; ask",
            }
        ],
        f"Ida Lund (2031-05-03 08:00): {WORDS} See the plan & ask",
    ),
    "discord": (
        {"guild": {"name": "x"}, "messages": [
            {"id": "1", "timestamp": "2031-05-02T08:01:09.1+00:00", "content": WORDS, "author": {"nickname": "ida"}}]},
        f"ida (2031-05-02 08:01): {WORDS}",
    ),
    "teams": (
        {"value": [{"createdDateTime": "2031-05-02T08:01:09Z", "from": {"user": {"id": "3", "displayName": "Ida L"}},
                    "body": {"contentType": "html", "content": f"<p>{WORDS}</p>"}}]},
        f"Ida L (2031-05-02 08:01):  {WORDS} ".replace(":  ", ": ").strip(),
    ),
    "chatgpt": (
        [{"title": "Roof", "current_node": "c", "mapping": {
            "a": {"id": "a", "message": None, "parent": None},
            "x": {"id": "x", "parent": "a", "message": {"author": {"role": "user"}, "content": {"parts": ["Old?"]}}},
            "b": {"id": "b", "parent": "a", "message": {
                "author": {"role": "user"}, "content": {"content_type": "text", "parts": ["When?"]}}},
            "c": {"id": "c", "parent": "b", "message": {
                "author": {"role": "assistant"}, "content": {"content_type": "text", "parts": [WORDS]}}},
        }}],
        f"user: When?\n\nassistant: {WORDS}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTS)
def test_messages_are_lines_with_their_authors_and_times(tmp_path: Path, name: str) -> None:
    value, expected = EXPORTS[name]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value))
    text = documents.read(path)
    assert text.text == expected
    assert (text.kind, text.marks[0]) == ("row", (0, "1"))


def test_several_chats_have_their_titles_as_places(tmp_path: Path) -> None:
    chat = EXPORTS["telegram"][0]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"chats": {"list": [chat, chat | {"name": "Cellar"}]}}))
    text = documents.read(path)
    line = EXPORTS["telegram"][1]
    assert text.text == f"Roof\n\n{line}\n\nCellar\n\n{line}"
    assert text.marks == ((0, "Roof"), (len(line) + 8, "Cellar"))


def test_a_chat_or_json_with_the_fields_of_a_data_set_can_be_asked(tmp_path: Path) -> None:
    for name, value in (("chat", EXPORTS["discord"][0]), ("own", {"data": [{"note": WORDS}]})):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(value))
        assert "Friday" in str(pipelines.ask(path, "When does the roofer come?"))


def test_the_garbled_letters_of_a_facebook_chat_are_repaired(tmp_path: Path) -> None:
    message = {"sender_name": "Z\u00c3\u00b6e", "timestamp_ms": 1700000000000, "content": "5 \u00e2\u0082\u00ac"}
    (tmp_path / "a.json").write_text(json.dumps({"messages": [message]}))
    assert documents.read(tmp_path / "a.json").text == "Zöe (2023-11-14 22:13): 5 €"
