"""The speakers of a film script, and which summary belongs to which script."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from chunkers.shared.names import SUFFIXES, TITLES, mentions, variants

_PARENTHESES = re.compile(r"\([^()]*\)?")
_DIRECTION = re.compile(r"(?:INT|EXT|I/E|FADE|CUT|DISSOLVE|ANGLE|CLOSE|CONTINUED|INSERT|POV|SCENE|TITLE)\b")
_BETWEEN_NAMES = re.compile(r"\s*(?:/|&|,|\bAND\b)\s*")
_YEAR = re.compile(r"\([^()]*\b((?:18|19|20)\d\d)\b[^()]*\)")
_LAST_ARTICLE = re.compile(r"^(.*),\W*(the|an?)$")
_AROUND_ROLE = re.compile(r"^.*?\bas\s+(?=\W*[^\W\d_a-z])|\s*(?:[:;,–—]|\s-\s).*$", re.DOTALL)

TITLE_SIMILARITY = 0.85  # difflib's ratio from which two different titles may be of one film
CUE_WORDS = 4  # words that a speaker's name has at most


def cues(script: str) -> list[str]:
    """The names before lines of dialogue, each once.

    `HARRY:` in front of what he says, or a line of its own in capitals; `(V.O.)` and the like are
    dropped. Some are not names, which only a comparison with a plot summary tells.
    """
    speakers: dict[str, None] = {}
    for line in script.splitlines():
        head = _PARENTHESES.sub(" ", line).partition(":")[0]
        if head.isupper() and not _DIRECTION.match(head.strip()):
            names = [" ".join(name.split()) for name in _BETWEEN_NAMES.split(head)]
            speakers |= dict.fromkeys(name.title() for name in names if 0 < len(name.split()) <= CUE_WORDS)
    return list(speakers)


def role(entry: str) -> str:
    """The character in a line of a cast list: Dr. Vera Moss in "Ann Lee as Dr. Vera Moss, a surgeon"."""
    return " ".join(_AROUND_ROLE.sub("", entry).split())


def is_same_title(text: str, other: str) -> bool:
    """Whether one name is a form of the other, as Dr. Moss is of Vera Moss, and Anna Moss is not."""
    return _bare_name(text) in _forms(other) or _bare_name(other) in _forms(text)


def _bare_name(name: str) -> str:
    words = [word for word in name.split() if word.strip(".").lower() not in TITLES | SUFFIXES]
    return " ".join(words or name.split()).casefold()


def _forms(name: str) -> set[str]:
    return {form.casefold() for form in variants(name)}


@dataclass(frozen=True, slots=True)
class Title:
    """A title for comparison: without articles, accents and brackets; the year is taken from these."""

    key: str
    year: int | None

    @classmethod
    def of(cls, text: str, year: int | None = None) -> "Title":
        """The normalized title: "The Limey", "Limey, The" and "The Limey (1999 film)" are equal."""
        match = _YEAR.search(text)
        plain_text = unicodedata.normalize("NFKD", _PARENTHESES.sub(" ", text)).casefold().replace("&", " and ").strip()
        plain_text = "".join(char for char in _LAST_ARTICLE.sub(r"\1", plain_text) if not unicodedata.combining(char))
        words = re.findall(r"\w+", plain_text.replace("'", "").replace("’", ""))
        return cls(" ".join(words[1:] if words[:1] in (["the"], ["a"], ["an"]) and words[1:] else words),
                   year if year is not None else int(match[1]) if match else None)  # fmt: skip

    def fits(self, other: "Title") -> bool:
        """Whether it can be the same film: equal numbers in the titles, and years at most one apart."""
        years = (self.year, other.year)
        are_apart = None not in years and abs((self.year or 0) - (other.year or 0)) > 1
        return not are_apart and _numbers(self.key) == _numbers(other.key)


def _numbers(key: str) -> list[str]:
    """The numbers in a title, also Roman ones, which tell a film from its sequels."""
    return [word for word in key.split() if word.isdigit() or re.fullmatch("[ivx]+", word)]


@dataclass(frozen=True, slots=True)
class Summary:
    """A plot summary with the characters of its cast list."""

    title: Title
    text: str
    cast: tuple[str, ...]

    def candidates(self, script: str, speakers: Sequence[str]) -> list[str]:
        """The characters: speakers, and those of the cast list that the script mentions, if the plot mentions them."""
        listed = [name for name in self.cast if mentions(script, name)]
        return [name for name in dict.fromkeys([*speakers, *listed]) if mentions(self.text, name)]


@dataclass(slots=True)
class Summaries:
    """The summaries by title."""

    by_title: dict[str, list[Summary]] = field(default_factory=dict)

    def add(self, summary: Summary) -> None:
        """Add a summary."""
        self.by_title.setdefault(summary.title.key, []).append(summary)

    def match(self, title: Title, script: str) -> tuple[Summary, list[str]] | None:
        """The summary of a script and the characters that they share, or None.

        Of the summaries with its title, else with a similar one, the one that shares the most names with it: at least
        one, or two if the title is only similar. None if two share equally many.
        """
        speakers = cues(script)
        keys, minimum = [title.key], 1
        if not any(summary.title.fits(title) for summary in self.by_title.get(title.key, ())):
            keys, minimum = get_close_matches(title.key, self.by_title, n=5, cutoff=TITLE_SIMILARITY), 2
        fitting = [summary for key in keys for summary in self.by_title.get(key, ()) if summary.title.fits(title)]
        shared = [(summary, summary.candidates(script, speakers)) for summary in fitting]
        shared.sort(key=lambda pair: -len(pair[1]))
        maximum, *other_counts = [len(names) for _, names in shared] or [0]
        return shared[0] if maximum >= minimum and maximum not in other_counts else None
