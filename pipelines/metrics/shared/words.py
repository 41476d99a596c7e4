"""Word tokens, SQuAD's normal form of an answer, and the mean over examples, for several metrics."""

import re
import string
from collections.abc import Sequence
from functools import cache, lru_cache
from math import fsum
from typing import Any, Literal

from longdoc.characters import normal_form
from longdoc.words import spaced
from pipelines.metrics import Row

Normalization = Literal["squad", "unicode"]

# Short texts are kept: the metrics of an example look at the same ones, one after the other.
TEXTS, SHORT = 64, 10_000  # how many, and of how many characters at most
TOKENS = r"tokens:lower-case \w+"

_WORD = re.compile(r"\w+")
_ARTICLES = frozenset(("a", "an", "the"))
_ARTICLE = re.compile(r"(?:a(?<!\w.)n?|t(?<!\w.)he)\b")  # of \b(?:a|an|the)\b the letter first: `re` looks for it fast
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)
_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]+")  # str.translate is slow where a text is not ASCII


def words(text: str) -> list[str]:
    r"""Lower-cased runs of letters, digits and underscores (`\w+`, Unicode)."""
    return list(_kept_words(text)) if len(text) <= SHORT else _words(text)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


@lru_cache(TEXTS)
def _kept_words(text: str) -> tuple[str, ...]:
    return tuple(_words(text))


def normalize(text: str) -> str:
    """SQuAD's normal form: lower case, no ASCII punctuation, no English articles, single spaces.

    In the order of the SQuAD 1.1 evaluation script (Rajpurkar et al. 2016): punctuation is removed before articles,
    so "U.S.A." is one token `usa` and "the-end" is `theend`. May be empty.
    """
    return _kept_squad_form(text) if len(text) <= SHORT else _squad_form(text)


def _squad_form(text: str) -> str:
    text = text.lower()
    if not text.isascii():
        return " ".join(_ARTICLE.sub(" ", _PUNCTUATION.sub("", text)).split())
    tokens = text.translate(_WITHOUT_PUNCTUATION).split()
    joined = " ".join(tokens)
    if joined.isprintable():  # letters and digits alone: an article is a whole token
        return " ".join([token for token in tokens if token not in _ARTICLES])
    return " ".join(_ARTICLE.sub(" ", joined).split())


_kept_squad_form = lru_cache(TEXTS)(_squad_form)


def normal_answer(text: str, rule: Normalization) -> str:
    """The normal form of an answer: by `normalize` ("squad") or `normalize_any_script` ("unicode")."""
    return normalize(text) if rule == "squad" else normalize_any_script(text)


def contains_tokens(text: str, answers: Sequence[str]) -> bool:
    """Whether a text contains one of the answers as whole tokens; all are in normal form, and "" is never contained."""
    padded = f" {text} "
    return any(f" {answer} " in padded for answer in answers if answer)


def signed(rule: Normalization) -> str:
    """The part of a signature on normalization."""
    return "normalization:squad-1.1" + (" in any script" if rule == "unicode" else "")


def normalize_any_script(text: str) -> str:
    """SQuAD's normal form in any script; that of ASCII text is the same.

    Text is compared in NFKC and lower case, without what is not displayed (`longdoc.characters.normal_form`), without
    the punctuation of all scripts, and without English articles. A letter of a script without spaces is a token.
    """
    if text.isascii():
        return normalize(text)
    joined = _unicode_punctuation().sub("", normal_form(text))
    return " ".join(spaced(_unicode_article().sub(" ", joined)).split())


@cache
def _unicode_punctuation() -> Any:
    import regex  # imported late, as all that takes long

    lone_marks = r"(?<![\p{L}\p{N}\p{M}])\p{M}+"  # marks that NFKC leaves of spacing accents
    return regex.compile(rf"[\p{{P}}{re.escape(string.punctuation)}]+|{lone_marks}")


@cache
def _unicode_article() -> Any:
    import regex

    return regex.compile(r"(?<![\p{L}\p{N}\p{M}])(?:an?|the)(?![\p{L}\p{N}\p{M}])")


def mean(rows: Sequence[Row], name: str, *, key: str | None = None) -> dict[str, float]:
    """The mean of one statistic under `name` (taken from `key`, by default `name`); empty for zero rows.

    Summed exactly, so that the order of the rows does not matter.
    """
    return {name: fsum(row[key or name] for row in rows) / len(rows)} if rows else {}
