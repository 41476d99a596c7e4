"""The small language that names components: `NAME:ARGS`, several with commas.

ARGS are comma-separated values; a value is JSON, a bare word, a list `[…]`, or a nested component `{NAME:ARGS}`. The
first value without `=` goes to the component's first field. `hybrid:[tfidf,{dense:model=x}]` parses to
`{"name": "hybrid", None: ["tfidf", {"name": "dense", "model": "x"}]}` (the key `None` stands for the first field).

A comma inside brackets, braces or quotation marks separates nothing. After any other comma comes an argument of the
component before if it begins with `FIELD=` or cannot be a name (a number, true, false, null, brackets, quotation
marks), else the next component. So `tokens:size=100,stride=50` is one component, `tokens:size=100,sentences` two, and
`hybrid:[bm25,dense],tfidf` two. Text that can be read in both ways raises `UserError`.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from typing import Any

from longdoc import plain_json
from longdoc.arguments import check_whole
from longdoc.errors import MAX_SHOWN, UserError

DEEPEST = 32  # nested brackets and braces

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
        """Go one level deeper. Raises `UserError` if that is too deep."""
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


_FIELD = re.compile(r"\w+=")
_NO_NAME = re.compile(r"""[\[{"]|(?:[-+]?[\d.]+(?:[eE][-+]?\d+)?|true|false|null)$""")


def split_specs(text: str, is_name: Callable[[str], bool], takes_fields: bool = False) -> list[str]:
    """The specs of the components in a text. `is_name` tells whether a text can be a component's name.

    `takes_fields`: fields may follow a name's comma, as those of models do: `google/flan-t5-base,dtype=bf16`. Raises
    `UserError`, saying how to write it, for an empty part, an argument without a component, and a word after a
    component's arguments that is not a name.
    """
    specs: list[str] = []
    for piece in pieces(text):
        if not piece and "," in text:
            raise UserError(f"there is nothing before or after a comma of {_quoted(text)}: leave the comma out")
        if specs and (_FIELD.match(piece) or _NO_NAME.match(piece)):
            is_bare_field = takes_fields and _FIELD.match(piece) and not _arguments(specs[-1])
            specs[-1] = f"{specs[-1]},{piece}" if is_bare_field else _with_argument(specs[-1], piece)
        else:
            if specs and _arguments(specs[-1]) and not is_name(piece):
                raise _unclear(specs[-1], piece)
            specs.append(piece)
    return specs


def pieces(text: str) -> list[str]:
    """The parts of a text between commas outside brackets, braces and quotation marks, stripped."""
    parts, start = [], 0
    for position, char, depth in _scan(text):
        if char == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    return [*parts, text[start:].strip()]


def _scan(text: str) -> Iterator[tuple[int, str, int]]:
    """Each character outside quotation marks, with its position and the number of brackets around it."""
    depth = 0
    quoted = escaped = False
    for position, char in enumerate(text):
        if quoted:
            quoted, escaped = escaped or char != '"', char == "\\" and not escaped
        elif char == '"':
            quoted = True
        else:
            if char in "]}":
                depth = max(depth - 1, 0)
            yield position, char, depth
            if char in "[{":
                depth += 1


def _arguments(spec: str) -> str:
    """The ARGS of `NAME:ARGS`; empty without any."""
    return spec.partition(":")[2].strip()


def _with_argument(spec: str, piece: str) -> str:
    """The spec with one more argument. Raises `UserError` if it cannot take one there."""
    name = spec.partition(":")[0]
    if not _arguments(spec):
        raise UserError(
            f"{_quoted(piece)} after {_quoted(spec)} is not a component; as an argument write {name}:{piece}"
        )
    if not _FIELD.match(piece) and any(not _FIELD.match(text) for text in pieces(_arguments(spec))):
        raise UserError(
            f"{_quoted(piece)} is not a component, and {_quoted(spec)} has its first argument already: for two "
            f"components write {spec},{name}:{piece}"
        )
    return f"{spec},{piece}"


def _unclear(spec: str, piece: str) -> UserError:
    name = spec.partition(":")[0]
    return UserError(
        f"{_quoted(piece)} is neither a component nor an argument of {name}: as an argument write FIELD={piece}, for "
        f"two of {name} write {spec},{name}:{piece}"
    )


def _quoted(text: str) -> str:
    return repr(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…")
