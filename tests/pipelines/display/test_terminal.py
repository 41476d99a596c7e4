"""One console: colours where they are wanted, and no text that can command the terminal."""

import io
import json
import sys

import pytest

from pipelines.display import terminal


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def stdout(monkeypatch):
    def as_if(terminal, **environment):
        for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"TERM": "xterm-256color", "COLUMNS": "80", **environment}.items():
            monkeypatch.setenv(name, value)
        file = Terminal() if terminal else io.StringIO()
        monkeypatch.setattr(sys, "stdout", file)
        return file

    return as_if


@pytest.mark.parametrize(
    ("is_terminal", "environment", "plain", "coloured"),
    [
        (True, {}, False, True),
        (True, {"NO_COLOR": "1"}, False, False),
        (True, {"NO_COLOR": ""}, False, True),
        (True, {"TERM": "dumb"}, True, False),
        (True, {"CI": "true"}, False, True),
        (False, {}, True, False),
        (False, {"FORCE_COLOR": "1"}, False, True),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_where_tables_and_colours_are_used(stdout, is_terminal, environment, plain, coloured):
    stdout(is_terminal, **environment)
    assert (terminal.is_plain(), terminal.coloured()) == (plain, coloured)


def test_without_colours_no_escape_sequence_is_written(stdout):
    from rich.text import Text

    file = stdout(True, NO_COLOR="1")
    terminal.draw(Text("word", style="bold red"))
    assert file.getvalue() == "word\n"
    file = stdout(True)
    terminal.draw(Text("word", style="bold"))
    assert file.getvalue() == "\x1b[1mword\x1b[0m\n"


def test_text_that_looks_like_markup_is_printed_as_it_is(stdout):
    file = stdout(True)
    terminal.draw("[bold]x[/bold] :smile: 12")
    assert file.getvalue() == "[bold]x[/bold] :smile: 12\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x1b]0;title\x07", "␛[2J␛]0;title␇"),
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb\rc", "a\nb␍c"),
        ("\x9b31m\x7f\x00", "\\u009b31m␡␀"),
        ("\ud800", "\\ud800"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
        ("שלום مرحبا 👩‍👩‍👧 𝔘\u200f", "שלום مرحبا 👩‍👩‍👧 𝔘\u200f"),
    ],
)
def test_control_characters_become_visible(text, shown):
    assert terminal.visible(text) == shown


def test_nested_text_becomes_visible_too():
    assert terminal.visible_values({"a\x1b": ["b\x07", 1, None]}) == {"a␛": ["b␇", 1, None]}


def test_json_holds_the_text_itself_and_no_command():
    value = {"text": "\x1b[2J\x9b1m\x7f\ud800 ü"}
    json_text = terminal.to_json(value)
    assert json.loads(json_text) == value
    assert json_text.replace("\n", "").isprintable()
    assert "ü" in json_text
