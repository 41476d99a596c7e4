"""How much is selected, as it is typed: `300 words`, `200 tokens fill=skip`, `auto:10%`."""

from collections.abc import Mapping
from typing import Any


def typed(select: Mapping[str, Any]) -> str:
    """The record of a `SelectionBudget` as it is typed; a number of words or tokens has its unit."""
    if (beyond := select.get("beyond")) is not None:
        return f"auto:{100 * beyond:g}%"
    return f"{select['amount']} {select['unit']}"
