"""How much text is selected for an example: `select=300` words, `select="300 tokens"` as the reader counts, or "auto".

`select="auto:5%"` ends the selection where the retriever expects less than 5 % of the evidence beyond.
"""

import re
from dataclasses import asdict, dataclass
from typing import Any, Literal

from longdoc.errors import UserError
from longdoc.whole_numbers import check_whole

Fill = Literal["cut", "skip", "stop"]
FILLS: tuple[Fill, ...] = ("cut", "skip", "stop")

AUTO = 0.1  # the share of the evidence that may stay beyond where none is given
UNBOUNDED = 10**9
_AUTO_PATTERN = re.compile(r"auto(?::(\d{1,2}(?:\.\d{1,3})?)\s*%)?")
_GIVEN_PATTERN = re.compile(r"(\d{1,18})(?:\s*(words?|tokens?))?")


@dataclass(frozen=True, slots=True)
class SelectionBudget:
    """The most words, or tokens of the reader's, of selected text, shown headings counted.

    `fill` says what happens to the best-ranked chunk that does not fit: with "cut" its first words fill the rest, with
    "skip" it is left out and the next ones that fit are taken, with "stop" it ends the selection. `beyond`, where it is
    given, is the share of the evidence that a calibrated retriever may expect in what is left out; then no number
    bounds the selection.
    """

    amount: int
    unit: Literal["words", "tokens"] = "words"
    fill: Fill = "cut"
    beyond: float | None = None

    def __str__(self) -> str:
        """As it is typed: `300 words`, `auto:10%`."""
        return f"{self.amount:,} {self.unit}" if self.beyond is None else f"auto:{100 * self.beyond:g}%"

    def record(self) -> dict[str, Any]:
        """The fields by name, as `run.json` holds them; without `beyond` where nothing is expected."""
        return {name: value for name, value in asdict(self).items() if name != "beyond" or value is not None}


def selection_budget(select: Any, fill: Any) -> SelectionBudget | None:
    """What the arguments `select` and `fill` mean; None without `select`. Raises `UserError`."""
    if select is None:
        if fill is not None:
            raise UserError(f"fill={fill!r} says how select= is filled: give select=300 too, or leave fill out")
        return None
    if fill is not None and fill not in FILLS:
        raise UserError(f'fill must be "cut", "skip" or "stop", got {fill!r}')
    if (share := _beyond(select)) is not None:
        if fill is not None:
            raise UserError(f"select={select!r} takes whole passages, as many as are worth reading: leave fill out")
        return SelectionBudget(UNBOUNDED, beyond=share)
    amount, unit = _amount(select)
    return SelectionBudget(amount, unit, fill or "cut")


def _beyond(select: Any) -> float | None:
    """The share of "auto" or "auto:5%"; None for a number. Raises `UserError` for no share."""
    match = _AUTO_PATTERN.fullmatch(select.strip()) if isinstance(select, str) else None
    if match is None:
        return None
    share = float(match[1]) / 100 if match[1] else AUTO
    if share <= 0:
        raise UserError(f"select={select!r}: the share that may stay beyond is over 0 %: auto:5%")
    return share


def _amount(select: Any) -> tuple[int, Literal["words", "tokens"]]:
    match = _GIVEN_PATTERN.fullmatch(str(select).strip()) if not isinstance(select, (bool, float)) else None
    if match is None or int(match[1]) < 1:
        raise UserError(
            f'select must be a number of words (300) or of tokens ("300 tokens"), or "auto", got {select!r}'
        )
    check_whole("select", int(match[1]))
    return int(match[1]), "tokens" if (match[2] or "").startswith("token") else "words"
