"""A table of a page, in a box of its own that scrolls where the table is too wide.

A cell whose sort key is not its text has `data-value`; `assets/tables.js` turns the headings into buttons.
"""

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

from pipelines.display.markup import Child, element


def table(
    caption: str, heads: Sequence[str], rows: Iterable[tuple[Child, Sequence[Element]]], sortable: bool = False
) -> Element:
    """A table whose rows are a heading (text, or a `th`) and cells; column headings are aligned as their cells."""
    body = [[_row_head(first), *cells] for first, cells in rows]
    head = [
        element("th", name, scope="col", class_=_kind(row[n] for row in body if n < len(row)))
        for n, name in enumerate(heads)
    ]
    made_element = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *head)),
        element("tbody", *(element("tr", *row) for row in body)),
        class_="sortable" if sortable else None,
    )
    return element("div", made_element, class_="scroll", tabindex="0", role="region", aria_label=caption)


def _kind(cells: Iterable[Element]) -> str | None:
    """The classes that a heading shares with its cells: `number` is right-aligned, `more` hidden in narrow windows."""
    names = {name for cell in cells for name in cell.get("class", "").split()}
    return " ".join(sorted(names & {"number", "more"})) or None


def _row_head(first: Child) -> Element:
    return element("th", first, scope="row") if not isinstance(first, Element) else first
