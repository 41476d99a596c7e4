"""Reads style sheets: which elements of a page are shown, and how lists are numbered.

Selectors of names, classes and ids, inside each other, are followed; others are not, nor are the rules of print. A rule
that hides elements which another rule shows (a panel that opens) hides nothing: a person can open it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

FOLLOWED = ("display", "visibility", "list-style", "list-style-type", "vertical-align", "clip", "left", "text-indent",
            "font-size")  # fmt: skip
SHEETS = (*FOLLOWED[:-1], "counter-reset", "counter-increment", "content")
MOST_RULES, MOST_ALIKE = 5_000, 100  # of a page, and of those that ask for one name
LONGEST = 1_000  # characters of a selector
DEEPEST = 10  # braces in each other

_REMARK = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_PIECE = re.compile(r"[{}]|[^{}]+")
_DECLARATION = re.compile(r"([\w-]+)\s*:\s*([^;]+)")
_COMPOUND = re.compile(r"([\w-]+|\*)?((?:[.#][\w-]+)*)\Z")
_PART = re.compile(r"([.#])([\w-]+)")
_PSEUDO_ELEMENT = re.compile(r"::?(before|marker|after)\Z")  # what stands before or after an element's words
_UNSEEN = re.compile(r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:opacity|height|font-size)\s*:\s*0)")
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
_STRING = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_WIDTH = re.compile(r"\(\s*(min|max)-width\s*:\s*(\d+)")
SCREEN = 1280  # pixels


class Element(NamedTuple):
    """The tag, id and classes of an element, which selectors match."""

    tag: str
    id: str
    classes: frozenset[str]


class _Compound(NamedTuple):
    tag: str
    id: str
    classes: frozenset[str]
    is_child: bool  # of the one before

    def fits(self, element: Element) -> bool:
        return (
            (not self.tag or self.tag == element.tag)
            and (not self.id or self.id == element.id)
            and self.classes <= element.classes
        )


class _Rule(NamedTuple):
    weight: tuple[bool, int, int, int, int]
    chain: tuple[_Compound, ...]
    name: str
    value: str


def declarations(style: str) -> dict[str, str]:
    """The properties of a `style` attribute that are followed."""
    style = style.lower()
    if not any(name in style for name in FOLLOWED):
        return {}
    properties = {name: value.strip() for name, value in _DECLARATION.findall(_REMARK.sub("", style))}
    return {name: value.replace("!important", "").strip() for name, value in properties.items() if name in FOLLOWED}


@dataclass(slots=True)
class Styles:
    """The rules of a page's style sheets, by the id, class or tag of their last part."""

    rules: dict[str, list[_Rule]] = field(default_factory=dict)
    count: int = 0

    def with_sheets(self, sheets: Iterable[str]) -> "Styles":
        """A copy of these styles with those of further sheets."""
        styles = Styles({key: list(rules) for key, rules in self.rules.items()}, self.count)
        for sheet in sheets:
            styles._add_sheet(sheet)
        styles._drop_opened_rules()
        return styles

    def _add_sheet(self, sheet: str) -> None:
        for selectors, body in _blocks(_REMARK.sub(" ", sheet)):
            if not any(name in body for name in SHEETS):
                continue
            for name, value in _DECLARATION.findall(body):
                if name.lower() == "content" and _UNSEEN.search(body):
                    continue
                if name.lower() in SHEETS and self.count < MOST_RULES:
                    self._add(selectors, name.lower(), value.strip())

    def of(self, element: Element, above: Sequence[Element], own: Mapping[str, str]) -> Mapping[str, str]:
        """The properties of an element inside others, the outermost first; `own` are those of its attribute."""
        rules = sorted(rule for rule in self._candidates(element) if _matches(rule.chain, element, above))
        if not rules:
            return own
        normal, important = (
            {rule.name: rule.value for rule in rules if rule.weight[0] is is_important}
            for is_important in (False, True)
        )
        return {**normal, **own, **important}

    def _candidates(self, element: Element) -> list[_Rule]:
        """The rules whose last part names the element's tag, id or one of its classes."""
        candidates = list(self.rules.get(element.tag, ()))
        if element.id:
            candidates += self.rules.get(f"#{element.id}", ())
        for name in element.classes:
            candidates += self.rules.get(f".{name}", ())
        return candidates

    def _add(self, selectors: str, name: str, value: str) -> None:
        is_important = "!important" in value
        value = value.replace("!important", "").strip()
        if name == "content":
            value = _ESCAPE.sub(lambda match: _letter(match[1]), value)
            if "counter" not in value and not _has_words(value):
                return
        else:
            value = value.lower()
        for selector in map(str.strip, selectors.split(",")):
            pseudo = _PSEUDO_ELEMENT.search(selector)
            if name not in ("content", "counter-increment") if pseudo else name == "content":
                continue
            chain = _chain(_PSEUDO_ELEMENT.sub("", selector))
            if chain is None:
                continue
            self.count += 1
            ids = sum(bool(part.id) for part in chain)
            classes = sum(len(part.classes) for part in chain)
            tags = sum(bool(part.tag) for part in chain)
            last = chain[-1]
            key = f"#{last.id}" if last.id else f".{min(last.classes)}" if last.classes else last.tag
            property = ("after" if pseudo[1] == "after" else "before") if pseudo and name == "content" else name
            rule = _Rule((is_important, ids, classes, tags, self.count), chain, property, value)
            rules = self.rules.setdefault(key, [])
            if len(rules) < MOST_ALIKE:
                rules.append(rule)

    def _drop_opened_rules(self) -> None:
        """Drop rules that hide elements which a more specific rule shows."""
        shown: dict[str, list[_Rule]] = {}
        for rule in (rule for rules in self.rules.values() for rule in rules):
            if rule.name == "display" and rule.value != "none":
                for name in (*rule.chain[-1].classes, f"#{rule.chain[-1].id}"):
                    shown.setdefault(name, []).append(rule)
        for key, rules in self.rules.items():
            others = shown.get(key.removeprefix("."), [])[:MOST_ALIKE]
            self.rules[key] = [rule for rule in rules if not any(_is_opened_by(rule, other) for other in others)]


def _letter(code: str) -> str:
    number = int(code, 16)
    return chr(number) if 0x20 <= number < 0xD800 else ""  # signs of fonts of icons are beyond


def _has_words(content: str) -> bool:
    """Whether generated content has words, unlike list marks and arrows between links."""
    letters = "".join(double or single for double, single in _STRING.findall(content))
    return any(letter.isalnum() or letter in "$€£¥%§" for letter in letters)


def _is_opened_by(hiding: _Rule, showing: _Rule) -> bool:
    """Whether one rule hides elements that the other shows once they, or elements around them, have another class."""
    if (hiding.name, hiding.value) != ("display", "none") or hiding.weight[0] or hiding.chain == showing.chain:
        return False
    last, other = hiding.chain[-1], showing.chain[-1]
    classes = sum(len(part.classes) for part in showing.chain)
    return (
        last.classes <= other.classes
        and last.id in ("", other.id)
        and classes > sum(len(p.classes) for p in hiding.chain)
    )


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """The selectors and bodies of the rules that apply on a screen."""
    pending = ""
    open_blocks: list[tuple[str | None, bool]] = []  # of each open brace: the selectors of a rule, and whether it holds
    for match in _PIECE.finditer(sheet):
        piece = match[0]
        applies = not open_blocks or open_blocks[-1][1]
        if piece == "{":
            prelude = pending.rpartition(";")[2].strip()
            is_rule = not prelude.startswith("@")
            open_blocks.append((prelude if is_rule else None, applies and (is_rule or applies_on_screen(prelude))))
            pending = ""
        elif piece == "}":
            if open_blocks:
                selectors, applies = open_blocks.pop()
                if selectors and applies and pending.strip():
                    yield selectors, pending
            pending = ""
        elif len(open_blocks) < DEEPEST:
            pending = piece


def applies_on_screen(prelude: str) -> bool:
    """Whether an at-rule applies on a wide screen."""
    prelude = prelude.lower()
    if not prelude.startswith("@media"):
        return prelude.startswith(("@supports", "@layer", "@container"))
    if "prefers-" in prelude or ("print" in prelude and "screen" not in prelude and "not print" not in prelude):
        return False
    return all(
        int(width) <= SCREEN if kind == "min" else int(width) >= SCREEN for kind, width in _WIDTH.findall(prelude)
    )


def _chain(selector: str) -> tuple[_Compound, ...] | None:
    """The parts of a selector; None for an unsupported one."""
    parts, is_child = list[_Compound](), False
    if len(selector) > LONGEST:
        return None
    for word in selector.replace(">", " > ").split():
        if word == ">":
            is_child = True
            continue
        match = _COMPOUND.match(word)
        if match is None or word.startswith("@"):
            return None
        names = _PART.findall(match[2])
        classes = frozenset(name for kind, name in names if kind == ".")
        ids = [name for kind, name in names if kind == "#"]
        tag = "" if match[1] in (None, "*") else match[1].lower()
        parts.append(_Compound(tag, ids[0] if ids else "", classes, is_child))
        is_child = False
    return tuple(parts) if parts and (parts[-1].tag or parts[-1].id or parts[-1].classes) else None


def _matches(chain: Sequence[_Compound], element: Element, above: Sequence[Element]) -> bool:
    if not chain[-1].fits(element):
        return False
    position, is_child = len(above) - 1, chain[-1].is_child
    for part in reversed(chain[:-1]):
        if is_child:
            if position < 0 or not part.fits(above[position]):
                return False
        else:
            while position >= 0 and not part.fits(above[position]):
                position -= 1
            if position < 0:
                return False
        position, is_child = position - 1, part.is_child
    return True
