"""What the metrics share: word tokens, SQuAD's normal form of an answer, and the mean over examples."""

import re
import string
from collections.abc import Sequence
from math import fsum

from pipelines.metrics import Row

TOKENS = r"tokens:lower-case \w+"

_WORD = re.compile(r"\w+")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]+")  # str.translate is slow once a text is not ASCII


def words(text: str) -> list[str]:
    r"""Lower-cased runs of letters, digits and underscores (`\w+`, Unicode)."""
    return _WORD.findall(text.lower())


def normalize(text: str) -> str:
    """SQuAD's normal form: lower case, no ASCII punctuation, no English articles, single spaces.

    In the order of the SQuAD 1.1 evaluation script (Rajpurkar et al. 2016): punctuation is removed before articles,
    so "U.S.A." is one token `usa` and "the-end" is `theend`. May be empty.
    """
    return " ".join(_ARTICLE.sub(" ", _PUNCTUATION.sub("", text.lower())).split())


def mean(rows: Sequence[Row], name: str, *, key: str | None = None) -> dict[str, float]:
    """The mean of one statistic under `name` (taken from `key`, by default `name`); empty for zero rows.

    Summed exactly, so that the order of the rows does not matter.
    """
    return {name: fsum(row[key or name] for row in rows) / len(rows)} if rows else {}
