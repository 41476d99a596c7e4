"""Reads JSON Lines, a JSON list, or multi-line objects, one value in memory at a time."""

import json
import re
from collections.abc import Iterator
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from pipelines.sources import reading
from pipelines.sources.reading import InputFile

BLANKS = 1 << 24  # characters of white space between two values
_SPACE = re.compile(r"[ \t\r\n]*")
_LONGEST_WORD = 12  # of an unfinished `-Infinity` or `\uXXXX`, which the decoder reports where it begins


def objects(path: InputFile) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file, each with the line it begins on. Raises `UserError` at the first other value."""
    for line, value in values(path):
        if not isinstance(value, dict):
            raise UserError(
                f"{path.name}:{line}: the row is a {type(value).__name__}, not an object with fields: "
                "write one object per row"
            )
        yield line, value


def is_list(path: InputFile) -> bool:
    """Whether the file is one JSON list."""
    return _Window(path).peek() == "["


def values(path: InputFile) -> Iterator[tuple[int, Any]]:
    """The values of a file, each with the line it begins on. Values before damage are yielded before the error."""
    window = _Window(path)
    has_brackets = window.peek() == "["
    if has_brackets:
        window.position += 1
    while char := window.peek():
        if has_brackets and char == "]":
            window.position += 1
            if window.peek():
                raise window.error("text after the end of the list")
            return
        yield window.line, window.value()
        if has_brackets and window.peek() == ",":
            window.position += 1
        elif has_brackets and window.peek() not in ("]", ""):
            raise window.error("a comma is missing before it")
    if has_brackets:
        raise window.cut()


def members(path: InputFile) -> Iterator[tuple[str, Any]]:
    """The fields of the one object of a file, by name, one in memory at a time; of a list, each item under its name.

    Raises `UserError` for a file that is another value than an object, or is cut off.
    """
    window = _Window(path)
    for _ in window.separated("{", "}"):
        name = window.value()
        if not isinstance(name, str) or window.peek() != ":":
            raise window.error("a field has no name")
        window.position += 1
        if window.peek() != "[":
            yield name, window.value()
            continue
        for _ in window.separated("[", "]"):
            yield name, window.value()


class _Window:
    """The part of the text that is being read. `line` is the line of `position` after a `peek`."""

    def __init__(self, path: InputFile) -> None:
        self.path = path
        self.pieces = reading.pieces(path)
        self.text, self.position, self.line, self.counted_end = "", 0, 1, 0

    def peek(self) -> str:
        """The next character other than white space; empty at the end of the file."""
        blanks = 0
        while True:
            begin = self.position
            self.position = _SPACE.match(self.text, begin).end()  # type: ignore[union-attr]
            self.line += self.text.count("\n", self.counted_end, self.position)
            self.counted_end = self.position
            if self.position < len(self.text):
                return self.text[self.position]
            blanks += self.position - begin
            if blanks > BLANKS:
                raise self.error(f"more than {BLANKS:,} characters of white space only")
            if not self.extend():
                return ""

    def separated(self, opening: str, closing: str) -> Iterator[None]:
        """Yield at each item of the list or object that begins here, and read separators and the closing bracket."""
        if self.peek() != opening:
            raise self.error(f"{opening} is missing")
        self.position += 1
        while self.peek() not in (closing, ""):
            yield
            if self.peek() == ",":
                self.position += 1
            elif self.peek() not in (closing, ""):
                raise self.error("a comma is missing before it")
        if not self.peek():
            raise self.cut()
        self.position += 1

    def extend(self) -> bool:
        """Read on, doubling the text, so that a long value is parsed only a few times."""
        self.text, self.position, self.counted_end = self.text[self.position :], 0, 0
        target_length, read_length, parts = max(len(self.text), reading.BLOCK), 0, [self.text]
        try:
            while read_length < target_length:
                parts.append(next(self.pieces))
                read_length += len(parts[-1])
        except StopIteration:
            pass
        except UserError as error:  # damage further on: first yield what comes before it
            self.pieces = _raising(error)
            if not read_length:
                raise
        self.text = "".join(parts)
        return read_length > 0

    def value(self) -> Any:
        """The value that begins here; reads more of the file as needed. Raises `UserError` for damaged JSON."""
        while True:
            try:
                value, self.position = plain_json.first(self.text, self.position)
                return value
            except json.JSONDecodeError as error:
                if not error.msg.startswith("Unterminated") and error.pos < len(self.text) - _LONGEST_WORD:
                    raise self.error(f"{error.msg} at character {error.pos - self.position + 1} of the row") from None
            except plain_json.NotJSON as error:
                raise self.error(str(error)) from None
            if len(self.text) - self.position > reading.LONGEST:
                raise self.error(f"the value that begins here has more than {reading.LONGEST:,} characters")
            if not self.extend():
                raise self.cut()

    def error(self, problem: str) -> UserError:
        return UserError(
            f"{self.path.name}:{self.line}: not JSON: {problem}; write one object per line, or a JSON list"
        )

    def cut(self) -> UserError:
        return UserError(
            f"{self.path.name}:{self.line}: the file ends in the middle of the row that begins here: it is not JSON, "
            f"or was cut off (fetch or copy it again)"
        )


def _raising(error: UserError) -> Iterator[str]:
    raise error
    yield ""
