"""How much text is selected for an example: `select=300` words, or `select="300 tokens"` as the reader counts."""

import re
from dataclasses import asdict, dataclass
from typing import Any, Literal

from longdoc.errors import UserError
from longdoc.whole_numbers import check_whole

Fill = Literal["cut", "skip", "stop"]
FILLS: tuple[Fill, ...] = ("cut", "skip", "stop")

_GIVEN_PATTERN = re.compile(r"(\d{1,18})(?:\s*(words?|tokens?))?")


@dataclass(frozen=True, slots=True)
class SelectionBudget:
    """The most words, or tokens of the reader's, of selected text, shown headings counted.

    `fill` says what happens to the best-ranked chunk that does not fit: with "cut" its first words fill the rest, with
    "skip" it is left out and the next ones that fit are taken, with "stop" it ends the selection.
    """

    amount: int
    unit: Literal["words", "tokens"] = "words"
    fill: Fill = "cut"

    def record(self) -> dict[str, Any]:
        """The fields by name, as `run.json` holds them."""
        return asdict(self)


def selection_budget(select: Any, fill: Any) -> SelectionBudget | None:
    """What the arguments `select` and `fill` mean; None without `select`. Raises `UserError`."""
    if select is None:
        if fill is not None:
            raise UserError(f"fill={fill!r} says how select= is filled: give select=300 too, or leave fill out")
        return None
    if fill is not None and fill not in FILLS:
        raise UserError(f'fill must be "cut", "skip" or "stop", got {fill!r}')
    amount, unit = _amount(select)
    return SelectionBudget(amount, unit, fill or "cut")


def _amount(select: Any) -> tuple[int, Literal["words", "tokens"]]:
    match = _GIVEN_PATTERN.fullmatch(str(select).strip()) if not isinstance(select, (bool, float)) else None
    if match is None or int(match[1]) < 1:
        raise UserError(f'select must be a number of words (300) or of tokens ("300 tokens"), got {select!r}')
    check_whole("select", int(match[1]))
    return int(match[1]), "tokens" if (match[2] or "").startswith("token") else "words"
