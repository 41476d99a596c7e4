"""Finds mentions of a person in prose and film scripts, by the forms of a name.

The forms of a name are the whole name, the name without titles, its first and its last word, and its nicknames, which
are in quotation marks or brackets, or follow a slash or "aka". Possessives (Harry's, James') and script cues (HARRY,
HARRY:, HARRY (V.O.)) contain one of these forms; a form inside another word does not count, save in scripts that are
written without spaces.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

Span = tuple[int, int]

_TITLES = (
    "mr mrs ms miss mx dr doctor prof professor sir dame lord lady king queen prince princess father mother sister "
    "brother uncle aunt captain capt colonel col general gen major maj sergeant sgt lieutenant lt detective det "
    "officer agent inspector sheriff deputy president senator judge reverend rev saint st the a an"
)
TITLES = frozenset(_TITLES.split())
SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "phd", "md", "esq"})

_ALIAS = re.compile(r"\s*/\s*|\s+(?:aka|a\.k\.a\.|alias)\s+", re.IGNORECASE)
_NICKNAME = re.compile(r"[\"“”„]([^\"“”„]+)[\"“”]|(?<!\w)['‘]([^'’]+)['’](?!\w)|[(\[]([^()\[\]]+)[)\]]")
_EDGES = ".,;:!?\"'“”‘’()[]"
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"  # scripts without spaces
_WORD_CHARACTER = rf"(?!{_UNSPACED})[\w\p{{M}}]"
_BEFORE = rf"(?:(?={_UNSPACED})|(?<!{_WORD_CHARACTER})(?<!{_WORD_CHARACTER}[-'’]))"
_AFTER = rf"(?!\p{{M}})(?:(?<={_UNSPACED}\p{{M}}*)|(?!{_WORD_CHARACTER})(?!-{_WORD_CHARACTER}))"


def mentions(text: str, name: str) -> list[Span]:
    """The spans where `text` mentions `name`, in order and without overlap; none for an empty name.

    Case does not matter but for the first letter, which must be a capital where the name has any capital: the auxiliary
    verb does not mention a character called Will. A name without capitals matches in any case.
    """
    pattern = _pattern(name)
    if pattern is None:
        return []
    spans = [match.span() for match in pattern.finditer(text)]
    has_capitals = any(char.isupper() for char in name)
    return [(start, end) for start, end in spans if not (has_capitals and text[start].islower())]


@lru_cache(maxsize=1024)
def _pattern(name: str) -> Any:
    import regex

    forms = {_expression(form) for form in variants(name)}
    if not forms:
        return None
    longest_first = sorted(forms, key=lambda form: (-len(form), form))
    return regex.compile(f"{_BEFORE}(?:{'|'.join(longest_first)}){_AFTER}", regex.IGNORECASE)


def variants(name: str) -> list[str]:
    """The distinct forms of a name, with words joined by single spaces."""
    forms: dict[str, None] = {}
    for alias in _ALIAS.split(name):
        for match in _NICKNAME.finditer(alias):
            forms |= dict.fromkeys(_forms("".join(filter(None, match.groups()))))
        forms |= dict.fromkeys(_forms(_NICKNAME.sub(" ", alias)))
    return list(forms)


def _forms(name: str) -> Iterator[str]:
    words = [word for part in name.split() if (word := part.strip(_EDGES))]
    if not words:
        return
    yield " ".join(words)
    name_words = [word for word in words if word.lower() not in TITLES | SUFFIXES]
    name_words = [word for word in name_words if not word[0].islower()] or name_words
    if name_words:
        yield " ".join(name_words)
        yield from [word for word in name_words if len(word) > 1][:1]  # an initial names nobody
        yield from [word for word in name_words if len(word) > 1][-1:]


def _expression(form: str) -> str:
    spellings = {form, unicodedata.normalize("NFC", form), unicodedata.normalize("NFD", form)}
    return "|".join(sorted(r"[.,]?\s+".join(map(_word, spelling.split())) for spelling in spellings))


def _word(word: str) -> str:
    return re.sub(r"['’]", "['’]", re.escape(word))
