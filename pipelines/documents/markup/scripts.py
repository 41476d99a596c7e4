"""Raised and lowered words in plain text: 10^6, m^2, a note as [3], H2O, log_2.

They must never run into the number or word before them. What a raised number means is told by what it stands behind: a
power of ten, a unit or a single letter has an exponent; a year, a longer word or a full stop has a note.
"""

import re

LONGEST = 40  # characters: what is longer is a remark, not an exponent or a note
_ORDINALS = frozenset(
    ["st", "nd", "rd", "th", "e", "er", "re", "ère", "ème", "eme", "nde", "o", "os", "as", "º", "ª", "te", "de", "d"]
)
_UNITS = frozenset((
    "sec", "min", "mol", "cal", "rad", "bar", "log", "sin", "cos", "tan", "exp", "det", "yard", "yards", "foot",
    "feet", "inch", "inches", "mile", "miles", "meter", "meters", "metre", "metres",
))  # fmt: skip
_VARIABLES = frozenset("ijkmnpqrstxyz")
_TITLES = frozenset(("Mr", "Dr", "Me", "No", "no", "Nr"))  # M^r and such, written with a raised letter
FRACTION_SLASH = "⁄"
SLASHES = ("/", FRACTION_SLASH, "∕")
_DIGITS = re.compile(r"\d+")
_NUMBER_BEFORE = re.compile(r"\d+(?:[.,]\d+)*\Z")
_LETTERS_BEFORE = re.compile(r"[^\W\d_]+\Z")
_LATIN_BEFORE = re.compile(r"[A-Za-zµμ°ΩÅα-ωΑ-Ω]+\Z")
_BASE = re.compile(r"10*\Z|\d{1,2}\Z")
_SIMPLE = re.compile(r"[-−–+±]?\w+(?:[.,]\w+)*[-−+*′']?")
_NOTES = re.compile(r"(?:\d+|[a-z*†‡§¶])(?:\s?[,;–-]\s?(?:\d+|[a-z*†‡§¶]))+")
_ELEMENT = re.compile(  # a chemical symbol, of those whose isotopes are written about
    r"(?:H|He|Li|Be|B|C|N|O|F|Na|P|S|Cl|Ar|K|Ca|Fe|Co|Kr|Rb|Sr|Tc|Mo|I(?!\s)|Xe|Cs|Ba|Hg|Pb|Rn|Ra|Th|U|Pu|Am)(?![A-Za-z])"
)
_FORMULA_BEFORE = re.compile(r"(?:(?:^|(?<=[^A-Za-z]))(?:[A-Z][a-z]?\d*)*[A-Z][a-z]?|[)\]])\Z")
_BRACKETS = re.compile(r"\([^()]{1,60}\)\Z")
_OPERATOR = re.compile(r"[-−+*/=×·]")


def raised(before: str, words: str, after: str, is_note: bool = False) -> str:
    """The plain text of raised words, given the line before them and the text after them."""
    if not any(map(str.isalnum, words)) or words[0] in "[(,;":
        return words
    if len(words) > LONGEST:
        return f" {words} "
    if is_note:
        return f"[{words}]"
    if words.isdecimal() and after[:1] == FRACTION_SLASH:
        return f" {words}" if before[-1:].isdigit() else words
    return _separated(_note(words, before, after) if _is_note(words, before, after) else _power(words, before), after)


def lowered(before: str, words: str, after: str) -> str:
    """The plain text of lowered words, given the line before them and the text after them."""
    if not any(map(str.isalnum, words)):
        return words
    if len(words) > LONGEST:
        return f" {words} "
    if (before[-1:] in SLASHES and before) or (_is_counted(words, before) and not after[:1].isdigit()):
        return _separated(words, after)
    return _separated(f"_{words}" if _SIMPLE.fullmatch(words) else f"_({words})", after)


def _is_counted(words: str, before: str) -> bool:
    """Whether a lowered number counts the atoms before it, as in H2O."""
    return words.replace(".", "").isdecimal() and _FORMULA_BEFORE.search(before[-30:]) is not None


def _separated(text: str, after: str) -> str:
    """The text, with a space after it where it would run into a following number."""
    return f"{text} " if text[-1:].isalnum() and after[:1].isdigit() else text


def _note(words: str, before: str, after: str) -> str:
    opens = not before.strip() or before[-1:].isspace()
    return f"[{words}] " if opens and after[:1].isalnum() else f"[{words}]"


def _power(words: str, before: str) -> str:
    letters = words.rstrip(".").isalpha()
    if letters and (len(words) > 1 or _joins(words, before)):
        return words
    return f"^{words}" if _SIMPLE.fullmatch(words) else f"^({words})"


def _joins(letter: str, before: str) -> bool:
    """Whether a raised letter belongs to the word or number: 2e, n°, Mr."""
    if before[-1:].isdigit():
        return letter in _ORDINALS
    word = _LETTERS_BEFORE.search(before[-30:])
    return word is not None and (word[0] + letter in _TITLES or 1 < len(word[0]) <= 3)


def _is_note(words: str, before: str, after: str) -> bool:
    if words.isalpha():
        word = _LETTERS_BEFORE.search(before[-30:])
        if before[-1:].isdigit():
            return len(words) == 1 and not _joins(words, before) and words not in _VARIABLES
        return len(words) == 1 and (word is None or len(word[0]) > 3)
    if _NOTES.fullmatch(words):
        return not before[-1:].isdigit()
    if not _DIGITS.fullmatch(words):
        return False
    last = before[-1:]
    if not last or last.isspace():
        return _ELEMENT.match(after) is None
    if last.isdigit():
        number = _NUMBER_BEFORE.search(before[-30:])
        return number is not None and _BASE.match(number[0]) is None
    if last.isalpha():
        word = _LATIN_BEFORE.search(before[-30:])
        return word is None or (len(word[0]) > 2 and word[0].lower() not in _UNITS)
    if last == ")":
        inside = _BRACKETS.search(before[-62:])
        return inside is not None and len(inside[0]) > 5 and _OPERATOR.search(inside[0]) is None
    return last not in "]}|∂∇√"
