r"""Headings of plain text: `Chapter N`, numbered lines, lines in capitals, and a few names ("Introduction").

A chapter (part, book, act …) counts in any way (`_counters`): `CHAP. IV.`, `Chapter Twenty-One`, `BOOK THE FIRST`,
`Second Part`, `Chapter \thechapter`. A Roman numeral may stand on a line by itself where II follows I.

A heading follows a blank line or a full stop, and stands alone or above a sentence or clearly longer lines; in a text
without blank lines every line is a candidate. It is short, starts with a capital, does not end like a sentence, and is
no formula.

- Numbers go on where the last heading's stopped (2.1 after 2 or after chapter 2, 3 after 2.4), with or without a full
  stop as there: the items of a numbered list do not. A Roman number in front of a title needs its full stop. A number
  of several parts may head a question, or a title that ends in a full stop.
- Three or more in a row, with no text between, that do not lead deeper are a list or a table of contents.
- What is repeated three times, page numbers aside, is a running head: only the first counts. A chapter is a repetition
  if no other comes between, and numbered headings and names may recur in every chapter.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from chunkers.shared.boundaries import Span, lines
from chunkers.shared.heading_numbers import COUNTER, LETTER, NUMERAL, ORDINAL, ROMAN, NumberSequence, roman, value

WORDS, CHARACTERS, LINES = 16, 100, 3  # the most that a heading has
TITLE_WORDS = 10  # the most words of a heading in capitals

_NAMES = (
    r"abstract|acknowledg(?:e?ments?|ing)|appendix|appendices|background|bibliography|conclusions?|contents|"
    r"declaration|discussion|experiments|introduction|literature review|materials and methods|methods?|methodology|"
    r"motivation|preface|preliminaries|references|related works?|results(?: and discussion)?|summary|"
    r"table of contents|lists? of (?:tables|figures|abbreviations|symbols|acronyms)|abbreviations"
)
_KNOWN_TITLE = re.compile(rf"(?:{_NAMES})\s*:?", re.IGNORECASE)
_PARTS = r"PART|Part|BOOK|Book|VOLUME|Volume|ACT|Act"
_CHAPTERS = r"CHAPTER|Chapter|CHAP\.|Chap\.|LETTER|Letter"
_CHAPTER = re.compile(
    rf"(?:(?P<word>Part|PART|Chapter|CHAPTER|Appendix|APPENDIX|Section|SECTION)\s+(?P<counter>{COUNTER})"
    rf"|(?P<more>{_PARTS}|{_CHAPTERS})\s+(?P<numeral>{NUMERAL}))(?![\w,;])[.:—–-]?(?:\s+(?![a-z])(?P<title>.*))?"
)
_ORDINAL = re.compile(rf"(?P<ordinal>(?i:{ORDINAL}))\s+(?P<word>{_PARTS}|CHAPTER|Chapter)[.:]?")
_PART = re.compile(_PARTS)
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,3}|[A-Ha-h](?:\.\d{1,2}){1,3})(\.?)\s+(.+)")
_ROMAN_PATTERN = re.compile(rf"({ROMAN})\.\s+(.+)")
_BARE_ROMAN = re.compile(rf"({ROMAN})\.?")
_OPENS = re.compile(r"[^\W\d_a-z]|[\"“‘'(@]\w|\d[\d-]*[- ]?[a-zA-Z]")
_WORD = re.compile(r"[^\W\d_]{3,}")
_FORMULA = re.compile(r"[=<>≤≥±∑∫^|{}\\_~+*/]|\.{3}|(?:\. ){3}|…")
_RELATION = re.compile(r"[=<>≤≥∑∫^|{}\\_]|\.{3}|(?:\. ){3}|…")  # signs that rule out a title after a number such as 2.1
_PAGE = re.compile(r"^\d+\s+|\s+\d+$|\s*[.·]{2,}\s*\d+$")


class HeadingLine(NamedTuple):
    """A heading: start of its first line, end of its last line, depth in its document's markup, and title."""

    start: int
    end: int
    depth: int
    title: str


class _Candidate(NamedTuple):
    heading: HeadingLine
    lines: tuple[int, int]  # the numbers of its first line and of the line after it
    kind: str
    number: tuple[int, ...] = ()
    dotted: bool = False


def plain_headings(text: str) -> list[HeadingLine]:
    """The lines of a plain text that look like headings, in order."""
    candidates = _in_sequence(_without_page_heads(_without_lists(list(_candidates(text)))))
    has_chapters = any(candidate.kind == "chapter" for candidate in candidates)
    has_parts = has_chapters or any(candidate.kind == "part" for candidate in candidates)
    is_deepened = {"number": has_parts, "roman": has_parts, "numeral": has_chapters}
    return [
        _at_second_level(candidate) if is_deepened.get(candidate.kind) else candidate.heading
        for candidate in candidates
    ]


def _at_second_level(candidate: _Candidate) -> HeadingLine:
    """The heading at depth 2 or deeper: sections of chapters may be numbered 1, 2, 3."""
    return candidate.heading._replace(depth=max(candidate.heading.depth, 2))


def _candidates(text: str) -> Iterator[_Candidate]:
    spans = lines(text)
    gaps = [text.count("\n", before[1], span[0]) > 1 for before, span in pairwise(spans)]
    has_no_gaps = not any(gaps)  # no blank lines: every line is a paragraph
    gaps = [True, *gaps, True]
    position = 0
    while position < len(spans):
        candidate = None
        if has_no_gaps or gaps[position] or text[spans[position - 1][1] - 1] in ".!?:":
            candidate = _candidate_at(text, spans, gaps, position, has_no_gaps)
        if candidate:
            yield candidate
        position = candidate.lines[1] if candidate else position + 1


def _candidate_at(
    text: str, spans: list[Span], gaps: list[bool], position: int, has_no_gaps: bool
) -> _Candidate | None:
    """The heading that begins at a line, if any: all lines up to a blank line, or the line alone."""
    stop = position + 1
    while stop < len(spans) and not gaps[stop] and stop - position <= LINES:
        stop += 1
    if (
        not has_no_gaps
        and stop - position <= LINES
        and (block_candidate := _new_candidate(text, spans[position][0], spans[stop - 1][1]))
    ):
        return block_candidate._replace(lines=(position, stop))
    if stop == position + 1 and not has_no_gaps:
        return None
    candidate = _new_candidate(text, *spans[position])
    if candidate and position + 1 < len(spans):
        next_line = text[slice(*spans[position + 1])]
        is_longer = (
            has_no_gaps
            or len(text[slice(*spans[position])]) < 0.8 * len(next_line)
            or next_line.endswith((".", "!", "?"))
        )
        if next_line[0].islower() or not is_longer:
            return None
    return candidate._replace(lines=(position, position + 1)) if candidate else None


def _new_candidate(text: str, start: int, end: int) -> _Candidate | None:
    words = text[start:end].split(None, WORDS)
    title = " ".join(words)
    if len(words) > WORDS or len(title) > CHARACTERS or title.endswith((",", ";", "-")):
        return None

    def candidate(kind: str, depth: int, number: tuple[int, ...] = (), dotted: bool = False) -> _Candidate:
        return _Candidate(HeadingLine(start, end, depth, title), (0, 0), kind, number, dotted)

    if chapter := _chapter(title):
        return candidate(*chapter)
    if (match := _NUMBERED.fullmatch(title)) and _is_numbered_title(match[1], match[3]):
        parts = [int(part) if part.isdigit() else LETTER + ord(part.upper()) for part in match[1].split(".")]
        return candidate("number", len(parts), tuple(parts), bool(match[2]))
    if title.endswith(("!", "?")):
        return None
    if _KNOWN_TITLE.fullmatch(title) and not title[0].islower():
        return candidate("name", 1)
    if (match := _ROMAN_PATTERN.fullmatch(title)) and _is_title(match[2]):
        return candidate("roman", 1, (roman(match[1]) or 0,))
    if match := _BARE_ROMAN.fullmatch(title):
        return candidate("numeral", 1, (roman(match[1]) or 0,))
    return candidate("capitals", 1) if _is_capitals(title) else None


def _chapter(title: str) -> tuple[str, int, tuple[int, ...]] | None:
    """The kind, depth and number of a heading of a part, chapter, appendix or section; None for any other line."""
    if match := _ORDINAL.fullmatch(title):
        number = value(match["ordinal"])
        return "part" if _PART.fullmatch(match["word"]) else "chapter", 1, (number,) if number else ()
    match = _CHAPTER.fullmatch(title)
    if match is None or (match["title"] and not _is_title(match["title"].rstrip(".!?"))):
        return None
    word, counter = match["word"] or match["more"], match["counter"] or match["numeral"]
    if word.lower() == "section":
        return "name", 1, ()
    if _PART.fullmatch(word):
        return "part", 1, ()
    number = value(counter) if len(counter) > 1 or word.lower() != "appendix" else LETTER + ord(counter.upper())
    return "chapter", 1, (number,) if number else ()


def _is_numbered_title(number: str, title: str) -> bool:
    """Whether the text after a number is a title; after a number such as 2.1 it may end like a sentence."""
    if "." not in number:
        return not title.endswith(("!", "?")) and _is_title(title)
    return bool(_OPENS.match(title) and _WORD.search(title) and not _RELATION.search(title))


def _is_title(words: str) -> bool:
    return bool(
        _OPENS.match(words) and _WORD.search(words) and not _FORMULA.search(words) and not words.endswith((".", ":"))
    )


def _is_capitals(title: str) -> bool:
    """Whether a title is in capitals: 2 to 10 words without small letters, mostly letters, one with at least five."""
    if not title == title.upper() != title.lower():  # first, since it is quick and most titles have a small letter
        return False
    words = title.split()
    letters = sum(char.isalpha() or char.isspace() for char in title)
    long = any(sum(map(str.isalpha, word)) >= 5 for word in words)
    return 2 <= len(words) <= TITLE_WORDS and long and letters >= 0.85 * len(title) and _is_title(title)


def _without_lists(candidates: list[_Candidate]) -> list[_Candidate]:
    kept: list[_Candidate] = []
    for run in _runs(candidates):
        descents = sum(_rank(b) <= _rank(a) for a, b in pairwise(run))
        kept += run if descents < 2 else []
    return kept


def _rank(candidate: _Candidate) -> int:
    """The rank of a heading's kind: parts come above chapters, chapters above titles and sections."""
    return candidate.heading.depth + {"part": -2, "chapter": -1}.get(candidate.kind, 0)


def _runs(candidates: list[_Candidate]) -> Iterator[list[_Candidate]]:
    """Runs of headings without text between; a repeated title, as after a table of contents, starts a new run."""
    run: list[_Candidate] = []
    titles: set[str] = set()
    for candidate in candidates:
        title = _title_key(candidate)
        if run and (candidate.lines[0] > run[-1].lines[1] or title in titles):
            yield run
            run, titles = [], set()
        run.append(candidate)
        titles.add(title)
    if run:
        yield run


def _title_key(candidate: _Candidate) -> str:
    return _PAGE.sub("", _PAGE.sub("", candidate.heading.title)).casefold()


def _without_page_heads(candidates: list[_Candidate]) -> list[_Candidate]:
    title_counts = Counter(map(_title_key, candidates))
    all_titles: set[str] = set()
    chapter_titles: set[str] = set()  # of the chapter
    latest: dict[str, str] = {}  # part, chapter
    kept = []
    for candidate in candidates:
        title = _title_key(candidate)
        if candidate.kind in ("part", "chapter"):
            is_repeated = latest.get(candidate.kind) == title
            latest[candidate.kind] = title
            chapter_titles = chapter_titles if is_repeated else set()
        else:
            seen_titles = all_titles if candidate.kind == "capitals" else chapter_titles
            is_repeated = title in seen_titles
            seen_titles.add(title)
        if title_counts[title] < 3 or not is_repeated or candidate.kind == "numeral":
            kept.append(candidate)
    return kept


def _in_sequence(candidates: list[_Candidate]) -> list[_Candidate]:
    sequence = NumberSequence()
    accepted = [
        candidate for candidate in candidates if sequence.accepts(candidate.kind, candidate.number, candidate.dotted)
    ]
    has_second_numeral = any(candidate.kind == "numeral" and candidate.number == (2,) for candidate in accepted)
    # I without II is a pronoun, or a part of a name
    return [candidate for candidate in accepted if has_second_numeral or candidate.kind != "numeral"]
