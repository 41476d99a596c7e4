"""Several components in one text: `bm25,tfidf`. Each is written as on its own, `NAME` or `NAME:ARGS`.

A comma inside brackets, braces or quotation marks separates nothing. Behind any other comma stands an argument of the
component before if it begins with `FIELD=` or cannot be a name (a number, true, false, null, brackets, quotation
marks), else the next component. So `tokens:size=100,stride=50` is one, `tokens:size=100,sentences` two, and
`hybrid:[bm25,dense],tfidf` two. What may be either is a `UserError`.
"""

import re
from collections.abc import Callable, Iterator

from longdoc.errors import MAX_SHOWN, UserError

_FIELD = re.compile(r"\w+=")
_NO_NAME = re.compile(r"""[\[{"]|(?:[-+]?[\d.]+(?:[eE][-+]?\d+)?|true|false|null)$""")


def split_specs(text: str, is_name: Callable[[str], bool]) -> list[str]:
    """The texts of the components in order. `is_name` tells what could be a component's name.

    Raises `UserError` that says how to write it, for an empty piece, an argument without a component, and a word behind
    a component's arguments that is no name.
    """
    names: list[str] = []
    for piece in pieces(text):
        if not piece and "," in text:
            raise UserError(f"nothing stands before or behind a comma of {_shown_text(text)}: leave the comma out")
        if names and (_FIELD.match(piece) or _NO_NAME.match(piece)):
            names[-1] = _with_argument(names[-1], piece)
        else:
            if names and _arguments(names[-1]) and not is_name(piece):
                raise _unclear(names[-1], piece)
            names.append(piece)
    return names


def pieces(text: str) -> list[str]:
    """The text cut at the commas outside brackets, braces and quotation marks, without white space at the ends."""
    names, start = [], 0
    for position, char, depth in _scan(text):
        if char == "," and depth == 0:
            names.append(text[start:position].strip())
            start = position + 1
    return [*names, text[start:].strip()]


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
    return spec.partition(":")[2].strip()


def _with_argument(spec: str, piece: str) -> str:
    """The component with one more argument. Raises `UserError` where it takes none there."""
    name = spec.partition(":")[0]
    if not _arguments(spec):
        raise UserError(
            f"{_shown_text(piece)} behind {_shown_text(spec)} names no component; its argument is {name}:{piece}"
        )
    if not _FIELD.match(piece) and any(not _FIELD.match(text) for text in pieces(_arguments(spec))):
        raise UserError(
            f"{_shown_text(piece)} names no component, and {_shown_text(spec)} has its first argument: for "
            "two components write "
            f"{spec},{name}:{piece}"
        )
    return f"{spec},{piece}"


def _unclear(spec: str, piece: str) -> UserError:
    name = spec.partition(":")[0]
    return UserError(
        f"{_shown_text(piece)} is neither a known name nor an argument of {name}, which is written "
        f"FIELD={piece}; for two "
        f"of {name} write {spec},{name}:{piece}"
    )


def _shown_text(text: str) -> str:
    return repr(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…")
