"""The options of a user's own row: how a prompt lists them, and references that name one by its letter."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources._tables import Row
from pipelines.sources._warnings import Warnings

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NO_OPTION = "rows whose answer is none of their options (write its letter or its text, not its number)"


def listing(options: Sequence[str]) -> Mapping[str, Any]:
    """The metadata of a row with options: one per line after its letter, for prompts, and that they have letters.

    Empty without options, and with more of them than letters.
    """
    if not 1 < len(options) <= len(LETTERS):
        return {}
    lines = [f"({letter}) {option}" for letter, option in zip(LETTERS, options, strict=False)]
    return {"options_text": "\n".join(lines), "lettered": True}


def references_of(references: Sequence[str], options: Sequence[str]) -> tuple[str, ...]:
    """The references, with an option's text in place of its letter ("B", "(B)"), unless an option is that letter."""
    by_letter = dict(zip(LETTERS, options, strict=False))
    return tuple(one if one in options else by_letter.get(one.strip("(). "), one) for one in references)


def check(example: Example, where: str, warnings: Warnings) -> None:
    """Count a row whose answers are none of its options: no reader that chooses one is ever right."""
    if example.options and example.references and not {*example.references} & {*example.options}:
        warnings.count(NO_OPTION, where)


def count(rows: Iterable[Row]) -> tuple[int, int]:
    """How many rows have options, and how many there are.

    Rows behind one that cannot be read are not counted: the pass over the examples says what is wrong.
    """
    having = total = 0
    try:
        for total, row in enumerate(rows, 1):  # noqa: B007
            having += row.fields.get("options") not in (None, "", "[]", [])
    except UserError:
        pass
    return having, total
