"""The small language that names components: `NAME:ARGS`.

ARGS are comma-separated values; a value is JSON, a bare word, a list `[…]`, or a nested component `{NAME:ARGS}`. The
first value without `=` goes to the component's first field. `hybrid:[tfidf,{dense:model=x}]` parses to
`{"name": "hybrid", None: ["tfidf", {"name": "dense", "model": "x"}]}` (the key `None` stands for the first field).
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from longdoc.whole_numbers import check_whole

DEEPEST = 32  # nested brackets and braces
MAX_SHOWN = 200  # characters of the text in a message

Spec = dict[Any, Any]  # field name to value; the key None stands for the first field


def parse_arguments(text: str) -> Spec:
    """Parse the ARGS of `NAME:ARGS`. Raises `UserError` that names the position of the problem."""
    parser = _Parser(text)
    spec = parser.arguments("")
    if parser.position < len(text):
        raise parser.error(f"unexpected {text[parser.position]!r}")
    return spec


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.position, self.depth = text, 0, 0

    def error(self, problem: str) -> UserError:
        text = self.text if len(self.text) <= MAX_SHOWN else self.text[:MAX_SHOWN] + "…"
        return UserError(f"cannot read component arguments {text!r}: {problem} at character {self.position + 1}")

    @contextmanager
    def within(self) -> Iterator[None]:
        """Go one level deeper. Raises `UserError` where that is too deep."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"brackets are nested more than {DEEPEST} deep")
        yield
        self.depth -= 1

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def skip(self) -> None:
        while self.peek().isspace():
            self.position += 1

    def expect(self, char: str) -> None:
        self.skip()
        if self.peek() != char:
            raise self.error(f"expected {char!r}")
        self.position += 1

    def arguments(self, closing: str) -> Spec:
        """Comma-separated values up to `closing` or the end."""
        spec: Spec = {}
        self.skip()
        while self.peek() and self.peek() != closing:
            key = self.key()
            if key in spec:
                raise self.error(f"{key or 'the first field'} given twice")
            spec[key] = self.value()
            self.skip()
            if self.peek() == ",":
                self.position += 1
                self.skip()
            elif self.peek() != closing:
                break
        return spec

    def key(self) -> str | None:
        self.skip()
        end = self.position
        while end < len(self.text) and (self.text[end].isalnum() or self.text[end] == "_"):
            end += 1
        if end > self.position and self.text[end : end + 1] == "=":
            name, self.position = self.text[self.position : end], end + 1
            return name
        return None

    def value(self) -> Any:
        self.skip()
        if self.peek() == '"':
            return self.json_value()
        if self.peek() not in ("[", "{"):
            return self.bare_word()
        with self.within():
            if self.peek() == "[":
                return self.array()
            return self.json_value() if self.is_json_object() else self.component()

    def is_json_object(self) -> bool:
        after = self.position + 1
        while self.text[after : after + 1].isspace():
            after += 1
        return self.text[after : after + 1] in {'"', "}"}

    def json_value(self) -> Any:
        try:
            value, end = plain_json.first(self.text, self.position)
        except json.JSONDecodeError as error:
            raise self.error(f"broken JSON ({error.msg})") from None
        except plain_json.NotJSON as error:
            raise self.error(f"broken JSON: {error}") from None
        if plain_json.deeper(value, DEEPEST - self.depth + 1):
            raise self.error(f"brackets are nested more than {DEEPEST} deep")
        self.position = end
        return value

    def array(self) -> list[Any]:
        """A list of values in brackets."""
        self.expect("[")
        values: list[Any] = []
        self.skip()
        while self.peek() != "]":
            values.append(self.value())
            self.skip()
            if self.peek() != ",":
                break
            self.position += 1
            self.skip()
        self.expect("]")
        return values

    def component(self) -> dict[str | None, Any]:
        self.expect("{")
        end = self.position
        while end < len(self.text) and self.text[end] not in ":}":
            end += 1
        name, self.position = self.text[self.position : end].strip(), end
        spec: Spec = {"name": name}
        if self.peek() == ":":
            self.position += 1
            spec |= self.arguments("}")
        self.expect("}")
        return spec

    def bare_word(self) -> Any:
        end = self.position
        while end < len(self.text) and self.text[end] not in ",]}":
            end += 1
        word, self.position = self.text[self.position : end].strip(), end
        if not word:
            raise self.error("a value is missing")
        return self.number_or_word(word)

    def number_or_word(self, word: str) -> Any:
        """A number, true, false or null; any other word as it is. Raises `UserError` for an unusable number."""
        try:
            value = plain_json.loads(word)
        except plain_json.NotJSON:
            if word.lstrip("-").isdecimal() and word.isascii():
                raise self.error(f"a whole number of {len(word):,} digits") from None
            return word
        if isinstance(value, float) and not isfinite(value):
            raise self.error(f"{word[:40]!r} is not a finite number")
        check_whole(f"the value {word[:40]!r}", value)
        return value
