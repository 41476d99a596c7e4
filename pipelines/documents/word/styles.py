"""The styles of a Word document, each with what it takes from those that it is based on (ECMA-376, part 1, 17.7)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

BODY = 9  # the outline level of what is no heading
_OFF = ("0", "false", "off", "none")


def value(element: Any) -> str:
    """The `val` of an element; "" where it has none, or there is no element."""
    if element is None:
        return ""
    return next((text for name, text in element.attrib.items() if name.rpartition("}")[2] == "val"), "")


def is_on(element: Any) -> bool | None:
    """Whether a switch is on; None where it is not there."""
    return None if element is None else value(element) not in _OFF


class Format(NamedTuple):
    """The format of a run or paragraph; None for properties that are not set."""

    hidden: bool | None = None
    bold: bool | None = None
    script: str | None = None  # "superscript", "subscript" or "baseline"
    outline: int | None = None
    list_id: str | None = None
    list_level: int | None = None

    def under(self, other: "Format") -> "Format":
        """This format, with properties that are not set taken from `other`."""
        return Format._make(theirs if own is None else own for own, theirs in zip(self, other, strict=True))


def run_format(properties: Any) -> Format:
    """The format in the properties of a run."""
    if properties is None:
        return Format()
    script = value(properties.find("./{*}vertAlign")) or None
    position = value(properties.find("./{*}position"))
    if script is None and position.lstrip("-").isdecimal() and abs(int(position)) >= 4:  # half points
        script = "subscript" if position[0] == "-" else "superscript"
    return Format(is_on(properties.find("./{*}vanish")), is_on(properties.find("./{*}b")), script)


def paragraph_format(properties: Any) -> Format:
    """The format in the properties of a paragraph."""
    if properties is None:
        return Format()
    outline, numbers = value(properties.find("./{*}outlineLvl")), properties.find("./{*}numPr")
    level = value(numbers.find("./{*}ilvl")) if numbers is not None else ""
    return Format(
        outline=int(outline) if outline.isdecimal() else None,
        list_id=(value(numbers.find("./{*}numId")) or None) if numbers is not None else None,
        list_level=int(level) if level.isdecimal() else None,
    )


@dataclass(slots=True)
class Styles:
    """The styles by their ids."""

    elements: dict[str, Any] = field(default_factory=dict)
    default: str = ""  # the id of that of paragraphs without one
    _formats: dict[str, Format] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Any) -> "Styles":
        """The styles in a styles part."""
        styles = cls()
        for element in root.iterfind("./{*}style") if root is not None else ():
            attributes = {name.rpartition("}")[2]: text for name, text in element.attrib.items()}
            if identity := attributes.get("styleId"):
                styles.elements[identity] = element
                if attributes.get("type") == "paragraph" and attributes.get("default", "0") not in _OFF:
                    styles.default = identity
        return styles

    def format(self, identity: str) -> Format:
        """The format of a style with that of its base styles; headings get an outline level from their names."""
        if identity not in self._formats:
            format = Format()
            for element in self._chain(identity):
                own = paragraph_format(element.find("./{*}pPr")).under(run_format(element.find("./{*}rPr")))
                name = value(element.find("./{*}name")).lower()
                if own.outline is None and name == "title":
                    own = own._replace(outline=0)
                elif own.outline is None and name.startswith("heading ") and name[8:].isdecimal():
                    own = own._replace(outline=int(name[8:]) - 1)
                format = format.under(own)
            self._formats[identity] = format
        return self._formats[identity]

    def chain(self, identity: str) -> list[str]:
        """A style and those that it is based on."""
        names, seen = list[str](), set[str]()
        while identity in self.elements and identity not in seen:
            seen.add(identity)
            names.append(identity)
            identity = value(self.elements[identity].find("./{*}basedOn"))
        return names

    def _chain(self, identity: str) -> Iterator[Any]:
        return (self.elements[name] for name in self.chain(identity))
