"""How scores, intervals, differences and settings are formatted, the same in every table, page and plot."""

import json
import unicodedata
from collections.abc import Mapping
from math import isnan
from typing import Any

from longdoc.messages import visible
from pipelines.statistics.intervals import FEW_MARK as FEW_MARK

MISSING = "–"  # shown where there is no value
P_LEAST = 0.001  # smaller p values are not printed


def score(value: float | None) -> str:
    """A score, 0–100, to two decimals."""
    return MISSING if value is None or isnan(value) else f"{value:.2f}"


def interval(low: float, high: float, is_few: bool = False) -> str:
    """The bounds: `[8.12, 10.40]`, with a star if they are of few units."""
    return f"[{low:z.2f}, {high:z.2f}]{FEW_MARK * is_few}"


def margin(low: float, high: float, is_few: bool = False) -> str:
    """Half the width of an interval: `±1.14`. A bootstrap interval need not be symmetric around its score."""
    return f"±{(high - low) / 2:.2f}{FEW_MARK * is_few}"


def difference(value: float) -> str:
    """A difference with its sign; `0.00` without one."""
    return f"{value:+.2f}" if round(value, 2) else "0.00"


def p_value(p: float) -> str:
    """A p value with its name: `p=0.012`, or `p<0.001` for a smaller one."""
    return f"p<{P_LEAST}" if p < P_LEAST else f"p={p:.3f}"


def p_number(p: float) -> str:
    """A p value for a column of its own: `0.012`, or `<0.001`."""
    return f"<{P_LEAST}" if p < P_LEAST else f"{p:.3f}"


def count(number: float | None) -> str:
    """A number rounded to a whole one, with thousands separators; a dash for None."""
    return MISSING if number is None else f"{number:,.0f}"


def percent(share: float | None) -> str:
    """A share, 0–100, to one decimal; a dash for None."""
    return MISSING if share is None else f"{share:.1f}%"


def money(amount: float | None) -> str:
    """An amount of money to six digits; a dash for None."""
    return MISSING if amount is None else f"{amount:.6g}"


def price(amount: float) -> str:
    """An estimate of money: to two decimals, below 1 to three digits."""
    return f"{amount:,.2f}" if amount >= 1 else f"{amount:.3g}"


def setting(value: Any) -> str:
    """An argument's value as users type it: text without quotes, other values as JSON."""
    if value is None:
        return MISSING
    return line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))


def settings(values: Mapping[str, Any]) -> str:
    """Several settings on one line: texts alone, other values with their names: `bm25, k=5`."""
    return ", ".join(
        line(value) if isinstance(value, str) else f"{name}={setting(value)}" for name, value in values.items()
    )


def line(text: str) -> str:
    """One printable line: runs of white space become one space, unprintable characters are replaced.

    What joins emoji, Persian or Hindi letters stays; overrides of the direction become `\\u202e` and the like.
    """
    words = " ".join(text.split())
    if words.isprintable():
        return words
    return visible(
        "".join(sign if sign.isprintable() or unicodedata.category(sign) == "Cf" else "\ufffd" for sign in words)
    )


def shortened(text: str, characters: int) -> str:
    """The text, with its middle left out where it is too long: settings differ at their ends."""
    if len(text) <= characters:
        return text
    tail = (characters - 1) // 2
    return f"{text[: characters - 1 - tail]}…{text[len(text) - tail :]}"


def duration(seconds: float) -> str:
    """A duration rounded to the second, the minute, or a tenth of an hour."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def between(low: str, high: str) -> str:
    """The range `2 to 5`, or one of the two if they are equal."""
    return low if low == high else f"{low} to {high}"
