"""Which words of a question stand in no document."""

import re
from collections.abc import Iterable

from longdoc.normal_forms import ranking_form
from longdoc.words import terms, unspaced
from models.baselines._sentences import stems_of

_AROUND = 60  # characters on each side of a place that show which word is there
_SPACE = re.compile(r"\s")


def absent_words(question: str, texts: Iterable[str]) -> list[str]:
    """The content words of a question that no text has in any form, as the question writes them, in its order.

    Of a number such as "7.3" whose parts are absent too only the whole is named. Scripts without spaces are left out.
    """
    absent = [term for term in dict.fromkeys(terms(question)) if not unspaced(term) and stems_of(term)]
    absent = [term for term in absent if stems_of(term) & stems_of(question)]
    for text in texts:
        if not absent:
            break
        normal = ranking_form(text).casefold()
        absent = [term for term in absent if not all(_has(normal, stem) for stem in _whole(term))]
    wholes = {part for term in absent for part in terms(term) if part != term}
    return [_as_written(question, term) for term in absent if term not in wholes]


def _whole(term: str) -> frozenset[str]:
    """The stem of a term without those of its parts."""
    return stems_of(term) - frozenset().union(*(stems_of(part) for part in terms(term) if part != term))


def _has(normal: str, stem: str) -> bool:
    """Whether a text in normal form has a word with a stem."""
    start = stem[:-1] if stem.endswith("y") else stem  # "policies" has the stem "policy"
    place = normal.find(start)
    while place >= 0:
        if not normal[place - 1 : place].isalnum():
            before, after = normal[max(place - _AROUND, 0) : place], normal[place : place + len(stem) + _AROUND]
            if stem in stems_of(_SPACE.split(before)[-1] + _SPACE.split(after, maxsplit=1)[0]):
                return True
        place = normal.find(start, place + 1)
    return False


def _as_written(question: str, term: str) -> str:
    match = re.search(re.escape(term), question, re.IGNORECASE)
    written = match[0] if match else term
    return written + ")" * (written.count("(") - written.count(")"))
