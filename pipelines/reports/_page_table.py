"""A table of a page, in a box of its own that scrolls where it is too wide.

A cell that sorts otherwise than it reads carries `data-value`; `page/tables.js` makes buttons of sortable headings.
"""

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

from pipelines.reports._markup import Child, element


def table(
    caption: str, heads: Sequence[str], rows: Iterable[tuple[Child, Sequence[Element]]], sortable: bool = False
) -> Element:
    """A table whose rows are a head (text, or a `th`) and cells; headings of numbers stand to the right."""
    rows = list(rows)
    numbers = {n for _, cells in rows for n, cell in enumerate(cells, 1) if "number" in cell.get("class", "").split()}
    kinds = ["number" if n in numbers else None for n in range(len(heads))]
    head = element(
        "tr", *(element("th", name, scope="col", class_=kind) for name, kind in zip(heads, kinds, strict=True))
    )
    body = [element("tr", _row_head(first), *cells) for first, cells in rows]
    made = element(
        "table",
        element("caption", caption),
        element("thead", head),
        element("tbody", *body),
        class_="sortable" if sortable else None,
    )
    return element("div", made, class_="scroll", tabindex="0", role="region", aria_label=caption)


def _row_head(first: Child) -> Element:
    return element("th", first, scope="row") if not isinstance(first, Element) else first
