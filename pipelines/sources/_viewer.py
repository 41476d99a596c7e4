"""Pages of rows as the hub's dataset viewer answers (its `/rows` and `/first-rows`).

A page is `{"features": [...], "rows": [{"row_idx": 0, "row": {...}, "truncated_cells": []}]}`; a cell that is named in
`truncated_cells` was cut.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from longdoc.errors import UserError


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether an object is such a page."""
    rows = fields.get("rows")
    return isinstance(rows, list) and bool(rows) and all(isinstance(_row(item), Mapping) for item in rows)


def rows(fields: Mapping[str, Any], location: str) -> Iterator[Mapping[str, Any]]:
    """The rows of a page. Raises `UserError` for one with a cell that was cut."""
    for item in fields["rows"]:
        if cut := item.get("truncated_cells"):
            name = item.get("row_idx", "")
            raise UserError(
                f"{location}: the viewer cut the {', '.join(map(str, cut))} of row {name}: download the dataset's files"
            )
        yield item["row"]


def _row(item: Any) -> Any:
    return item.get("row") if isinstance(item, Mapping) else None
