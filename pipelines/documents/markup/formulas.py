"""Formulas of MathML and of Word (OMML) on one line: 3/4, 10^5, x_i, √(x + 1), sum_(i=1)^n.

What is compound stands in parentheses wherever the line would otherwise mean something else. Notes to a formula, as its
TeX, are not shown, so they are left out. Sources: MathML Core; ECMA-376, part 1, section 22.1.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

LONGEST = 10_000  # characters of a formula that are put together; a longer one is a list of its words

_SIMPLE = re.compile(r"[-−]?(?:\w|[.,](?=\d)|[\u0300-\u036f°])+[′'!%]?\Z|\W\Z")
_TAIL = re.compile(r"[\^_/√][\w.]+\Z")
_OPERATORS = frozenset("+-−–±∓×÷=≠<>≤≥≪≫≈∼≃≅≡∝→←↔⇒⇐⇔↦∈∉⊂⊆⊃∪∩∧∨⋅·∗*∘:∣")
_SIGNS = frozenset("+-−–±∓")
_OPENING = ("", "(", "[", "{", "|", "^", "_", "/", "√", ",")
_INVISIBLE = dict.fromkeys((0x2061, 0x2062, 0x2063, 0x200B, 0xFEFF))
_ACCENTS = {"¯": "\u0304", "‾": "\u0304", "_": "\u0304", "ˉ": "\u0304", "^": "\u0302", "ˆ": "\u0302", "~": "\u0303",
            "˜": "\u0303", "→": "\u20d7", "˙": "\u0307", "¨": "\u0308"}  # fmt: skip
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}


@dataclass(slots=True)
class _Part:
    """An element that is open: the texts of its children."""

    tag: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    children: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)  # pieces of its own text


def group(text: str) -> str:
    """A part of a formula in parentheses, unless it is a name or a number."""
    return text if not text or _SIMPLE.match(text) or _is_enclosed(text) else f"({text})"


def fraction(over: str, under: str) -> str:
    """A fraction on a line."""
    return f"{group(over)}/{group(under)}" if under else over


def power(base: str, exponent: str) -> str:
    """A base with an exponent: x^2."""
    if not exponent:
        return base
    if all(char in "′″‴'*†‡°∘" for char in exponent):
        return base + exponent.replace("∘", "°")
    return f"{group(base)}^{group(exponent)}"


def index(base: str, below: str) -> str:
    """A base with an index: x_i."""
    return f"{group(base)}_{group(below)}" if below else base


def both(base: str, below: str, exponent: str) -> str:
    """A base with an index and an exponent: x_i^2."""
    return index(base, below) + power("", exponent)


def over(base: str, above: str) -> str:
    """A base with an accent or a bound above it."""
    accent = above if len(above) == 1 and unicodedata.combining(above) else _ACCENTS.get(above)
    if accent is not None:
        return base + accent if len(base) == 1 else base
    return power(base, above)


def root(radicand: str, degree: str = "") -> str:
    """A root."""
    sign = _ROOTS.get(degree)
    return f"{sign}{group(radicand)}" if sign else f"root({degree}, {radicand})"


def row(parts: list[str]) -> str:
    """Parts side by side, with spaces around operators and between two numbers or names."""
    text = ""
    for part in parts:
        stripped = part.strip()
        if not part or not stripped:
            text += " " if part and text and not text.endswith(" ") else ""
        elif stripped in _OPERATORS and text.rstrip()[-1:] not in _OPENING and not _is_signed(text, stripped):
            text = f"{text.rstrip()} {stripped} "
        elif stripped in (",", ";"):
            text = f"{text.rstrip()}{stripped} "
        else:
            text += (" " if _would_merge(text, part) else "") + part
    return " ".join(text.split())


def _is_signed(text: str, operator: str) -> bool:
    """Whether an operator is a sign: after another operator."""
    return operator in _SIGNS and text.rstrip()[-1:] in _OPERATORS


def _would_merge(text: str, part: str) -> bool:
    """Whether two numbers, or a word and its neighbour, would run together."""
    last, first = text[-1:], part[:1]
    if last.isdigit() and first.isdigit():
        return True
    if first.isalnum() and _TAIL.search(text):
        return True
    names = re.search(r"[^\W\d_]{2,}\Z", text), re.match(r"[^\W\d_]{2,}", part)
    return (names[0] is not None and first.isalnum()) or (names[1] is not None and last.isalnum())


def _is_enclosed(text: str) -> bool:
    """Whether a single pair of brackets encloses the whole text."""
    if text[0] not in "([{" or text[-1] not in ")]}":
        return False
    depth = 0
    for place, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            return place == len(text) - 1
    return False


class Formula:
    """A formula that is read element by element: `start`, `data`, `end`; `text` when all have ended."""

    def __init__(self, combine: Callable[[str, Mapping[str, str], list[str]], str]) -> None:
        self._combine, self._open = combine, [_Part("")]
        self._length = 0

    @property
    def text(self) -> str:
        """The formula on a line."""
        return row(self._open[0].children)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        self._open.append(_Part(tag, attributes))

    def data(self, text: str) -> None:
        """A piece of text."""
        self._open[-1].own.append(text.translate(_INVISIBLE))

    def end(self) -> None:
        """An element ends."""
        part = self._open.pop()
        own = "".join(part.own)
        children = [own] if own.strip() or not part.children else part.children
        text = row(children) if self._length > LONGEST else self._combine(part.tag, part.attributes, children)
        self._length += len(text)
        self._open[-1].children.append(text)


def mathml(tag: str, attributes: Mapping[str, str], parts: list[str]) -> str:
    """The text of an element of MathML from those of its children."""
    first, second, third = (*parts, "", "", "")[:3]
    if tag in ("annotation", "annotation-xml", "mphantom", "none", "mprescripts", "malignmark", "maligngroup"):
        return ""
    if tag == "mspace":
        return " "
    if tag in ("mtext", "ms"):
        return first if first.strip() else ""
    if tag in ("mn", "mi", "mo"):
        return first.strip()
    if tag in ("semantics", "maction"):
        return first
    if tag == "mfrac":
        return fraction(first, second)
    if tag == "msqrt":
        return root(row(parts))
    if tag == "mroot":
        return root(first, second)
    if tag == "msup":
        return power(first, second)
    if tag in ("msub", "munder"):
        return index(first, second)
    if tag == "mover":
        return over(first, second)
    if tag in ("msubsup", "munderover", "mmultiscripts"):
        return both(first, second, third)
    if tag == "mfenced":
        return f"{attributes.get('open', '(')}{', '.join(parts)}{attributes.get('close', ')')}"
    if tag == "mtr" or tag == "mlabeledtr":
        return _cells(parts)
    if tag == "mtable":
        return "; ".join(filter(None, parts))
    return row(parts)


def _cells(parts: list[str]) -> str:
    """The cells of a row; those of aligned equations belong together."""
    is_aligned = any(part.lstrip()[:1] in _OPERATORS for part in parts if part.strip())
    return row([f" {part}" for part in parts]) if is_aligned else ", ".join(parts)


def word(tag: str, attributes: Mapping[str, str], parts: list[str]) -> str:
    """The text of an element of OMML from those of its children; `attributes` are the values of its properties."""
    first, second, third = (*parts, "", "", "")[:3]
    if tag == "t":
        return first
    if tag == "f":
        return f"{first}; {second}" if attributes.get("type") == "noBar" else fraction(first, second)
    if tag == "rad":
        return root(second, "" if attributes.get("degHide") in ("1", "on", "true") else first)
    if tag == "sSup":
        return power(first, second)
    if tag in ("sSub", "limLow"):
        return index(first, second)
    if tag == "limUpp":
        return power(first, second)
    if tag == "sSubSup":
        return both(first, second, third)
    if tag == "sPre":  # what is lowered and raised comes before the base
        return f"{third}" if not (first or second) else f"{power('', second)}{index('', first)}{third}"
    if tag == "nary":
        return row([both(attributes.get("chr", "∫"), first, second), " ", third])
    if tag == "d":
        inside = f" {attributes.get('sepChr', '|')} ".join(parts)
        return f"{attributes.get('begChr', '(')}{inside}{attributes.get('endChr', ')')}"
    if tag == "func":
        return row([first, " ", second])
    if tag in ("acc", "bar"):
        return over(first, attributes.get("chr", "\u0302" if tag == "acc" else "¯"))
    if tag == "mr":
        return ", ".join(parts)
    if tag in ("m", "eqArr"):
        return "; ".join(parts)
    return "" if tag == "phant" and attributes.get("show") in ("0", "off", "false") else row(parts)
