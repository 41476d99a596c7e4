"""A table of a page, in a box of its own that scrolls where it is too wide.

A cell that sorts otherwise than it reads carries `data-value`; `page/tables.js` makes buttons of sortable headings.
"""

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

from pipelines.results.reports._markup import Child, element


def table(
    caption: str, heads: Sequence[str], rows: Iterable[tuple[Child, Sequence[Element]]], sortable: bool = False
) -> Element:
    """A table whose rows are a head (text, or a `th`) and cells; headings stand as their columns do."""
    body = [[_row_head(first), *cells] for first, cells in rows]
    head = [
        element("th", name, scope="col", class_=_kind(row[n] for row in body if n < len(row)))
        for n, name in enumerate(heads)
    ]
    made = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *head)),
        element("tbody", *(element("tr", *row) for row in body)),
        class_="sortable" if sortable else None,
    )
    return element("div", made, class_="scroll", tabindex="0", role="region", aria_label=caption)


def _kind(cells: Iterable[Element]) -> str | None:
    """What a heading has in common with its cells: numbers stand to the right, `more` is not for narrow places."""
    found = {name for cell in cells for name in cell.get("class", "").split()}
    return " ".join(sorted(found & {"number", "more"})) or None


def _row_head(first: Child) -> Element:
    return element("th", first, scope="row") if not isinstance(first, Element) else first
