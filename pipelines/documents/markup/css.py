"""What the style sheets inside a page say of its elements: whether they are shown, and how lists are numbered.

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
_MADE = re.compile(r"::?(before|marker|after)\Z")  # what stands before or after an element's words
_UNSEEN = re.compile(r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:opacity|height|font-size)\s*:\s*0)")
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
_STRING = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_WIDTH = re.compile(r"\(\s*(min|max)-width\s*:\s*(\d+)")
SCREEN = 1280  # pixels


class Element(NamedTuple):
    """What selectors ask of an element."""

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
    found = {name: value.strip() for name, value in _DECLARATION.findall(_REMARK.sub("", style))}
    return {name: value.replace("!important", "").strip() for name, value in found.items() if name in FOLLOWED}


@dataclass(slots=True)
class Styles:
    """The rules of a page's style sheets, by what their last part asks for."""

    rules: dict[str, list[_Rule]] = field(default_factory=dict)
    count: int = 0

    def with_sheets(self, sheets: Iterable[str]) -> "Styles":
        """These styles, and those of further sheets."""
        styles = Styles({key: list(rules) for key, rules in self.rules.items()}, self.count)
        for sheet in sheets:
            styles._add_sheet(sheet)
        styles._settle()
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
        rules = sorted(one for one in self._candidates(element) if _matches(one.chain, element, above))
        if not rules:
            return own
        usual, important = ({r.name: r.value for r in rules if r.weight[0] is wanted} for wanted in (False, True))
        return {**usual, **own, **important}

    def _candidates(self, element: Element) -> list[_Rule]:
        """The rules whose last part asks for a name that the element has."""
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
            made = _MADE.search(selector)
            if name not in ("content", "counter-increment") if made else name == "content":
                continue
            chain = _chain(_MADE.sub("", selector))
            if chain is None:
                continue
            self.count += 1
            ids = sum(bool(part.id) for part in chain)
            classes = sum(len(part.classes) for part in chain)
            tags = sum(bool(part.tag) for part in chain)
            last = chain[-1]
            key = f"#{last.id}" if last.id else f".{min(last.classes)}" if last.classes else last.tag
            property = ("after" if made[1] == "after" else "before") if made and name == "content" else name
            rule = _Rule((is_important, ids, classes, tags, self.count), chain, property, value)
            rules = self.rules.setdefault(key, [])
            if len(rules) < MOST_ALIKE:
                rules.append(rule)

    def _settle(self) -> None:
        """Drop the rules that hide what a more particular rule shows."""
        shown: dict[str, list[_Rule]] = {}
        for rule in (rule for rules in self.rules.values() for rule in rules):
            if rule.name == "display" and rule.value != "none":
                for name in (*rule.chain[-1].classes, f"#{rule.chain[-1].id}"):
                    shown.setdefault(name, []).append(rule)
        for key, rules in self.rules.items():
            others = shown.get(key.removeprefix("."), [])[:MOST_ALIKE]
            self.rules[key] = [rule for rule in rules if not any(_opens(rule, other) for other in others)]


def _letter(code: str) -> str:
    number = int(code, 16)
    return chr(number) if 0x20 <= number < 0xD800 else ""  # signs of fonts of icons are beyond


def _has_words(content: str) -> bool:
    """Whether made content says something: no mark of a list, no arrow between links."""
    letters = "".join(one or other for one, other in _STRING.findall(content))
    return any(letter.isalnum() or letter in "$€£¥%§" for letter in letters)


def _opens(hiding: _Rule, showing: _Rule) -> bool:
    """Whether one rule hides what the other shows when it has got another class, or is within what has."""
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
    """The selectors and bodies of the rules that hold on a screen."""
    waiting = ""
    around: list[tuple[str | None, bool]] = []  # of each open brace: the selectors of a rule, and whether it holds
    for match in _PIECE.finditer(sheet):
        piece = match[0]
        holds = not around or around[-1][1]
        if piece == "{":
            prelude = waiting.rpartition(";")[2].strip()
            is_rule = not prelude.startswith("@")
            around.append((prelude if is_rule else None, holds and (is_rule or does_hold(prelude))))
            waiting = ""
        elif piece == "}":
            if around:
                selectors, holds = around.pop()
                if selectors and holds and waiting.strip():
                    yield selectors, waiting
            waiting = ""
        elif len(around) < DEEPEST:
            waiting = piece


def does_hold(prelude: str) -> bool:
    """Whether a condition holds on a wide screen."""
    prelude = prelude.lower()
    if not prelude.startswith("@media"):
        return prelude.startswith(("@supports", "@layer", "@container"))
    if "prefers-" in prelude or ("print" in prelude and "screen" not in prelude and "not print" not in prelude):
        return False
    return all(
        int(width) <= SCREEN if kind == "min" else int(width) >= SCREEN for kind, width in _WIDTH.findall(prelude)
    )


def _chain(selector: str) -> tuple[_Compound, ...] | None:
    """The parts of a selector; None for one that is not followed."""
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
    place, is_child = len(above) - 1, chain[-1].is_child
    for part in reversed(chain[:-1]):
        if is_child:
            if place < 0 or not part.fits(above[place]):
                return False
        else:
            while place >= 0 and not part.fits(above[place]):
                place -= 1
            if place < 0:
                return False
        place, is_child = place - 1, part.is_child
    return True
