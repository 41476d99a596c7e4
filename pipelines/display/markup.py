"""HTML built from elements: the standard library's tree escapes all text."""

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element, tostring

Child = Element | str | None
SURROGATES = re.compile("[\ud800-\udfff]")


def element(name: str, /, *children: Child, **attributes: str | None) -> Element:
    """An element. `class_` is `class`, `aria_label` is `aria-label`; attributes that are None are left out."""
    named_values = {
        key.rstrip("_").replace("_", "-"): sound(value) for key, value in attributes.items() if value is not None
    }
    element = Element(name, named_values)
    for child in children:
        _append(element, child)
    return element


def rendered(elements: Iterable[Element]) -> str:
    """The elements as HTML."""
    return "\n".join(tostring(element, encoding="unicode", method="html") for element in elements)


def sound(text: str) -> str:
    """Text that UTF-8 can hold: surrogates without their other half become U+FFFD, one code point for one."""
    return SURROGATES.sub("\ufffd", text)


def _append(parent: Element, child: Child) -> None:
    if isinstance(child, Element):
        parent.append(child)
    elif child is not None and len(parent):
        parent[-1].tail = (parent[-1].tail or "") + sound(child)
    elif child is not None:
        parent.text = (parent.text or "") + sound(child)
