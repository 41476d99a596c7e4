"""Rules that remove from a chapter's summary which chapter it is of (Shaham et al. 2023, section 3.1.3, by hand).

The paper's own examples: "Chapter 8 begins with" becomes "This chapter begins with", and "As the play opens, " goes.
The rules, in their order:

- headings: a part's number at the start of a line, before a colon, a dash, a full stop or the line's end, goes
  ("Chapter 8: The Storm" is "The Storm"), with a word such as "Summary" before it; so does "Epilogue" there;
- openings: "As the play opens," and "At the end of the novel," at the start of a sentence go;
- numbers: "in Chapter 3", "Act I, Scene 2", "chapters 4-6" become "in this chapter", "this act", "these chapters";
- ordinals: "the third chapter", "this final act" become "this chapter", "this act"; of parts, halves and books only
  where "of the novel" or the like follows;
- neighbours: "the previous chapter", "the next two chapters" become "another chapter", "other chapters";
- wholes: "The novel opens" is "This part opens".

Roman numerals count after a capital only ("Book I"; a "book I read" is not one).
"""

import re
from collections import Counter
from collections.abc import Callable

_UNITS = "chapter|act|scene|book|part|section|volume|canto|stave"
_NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).replace(" ", "|")
_ORDINALS = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|"
    r"sixteenth|seventeenth|eighteenth|nineteenth|twentieth|\d+(?:st|nd|rd|th)|last|final|penultimate|opening|initial|"
    "closing|concluding"
)
_NEIGHBOURS = "previous|preceding|prior|next|following|subsequent|earlier|later"
_WORK_NOUNS = "novel|play|book|story|poem|tale|narrative|epic"
_VERBS = "opens|begins|starts|ends|closes|concludes"
_ROMAN = r"[IVXLC]+"
_CARDINAL = rf"(?:\d+|(?i:{_NUMBER_WORDS}))"
_PLACE = rf"(?:{_CARDINAL}|{_ROMAN}|(?i:the (?:{_ORDINALS})))"
_CAPITAL_UNITS = "|".join(form for text in _UNITS.split("|") for form in (text.title(), text.upper()))
_CONNECTIVE = r"\s*(?:,\s*and\b|,|–|—|-|&|\band\b|\bto\b|\bthrough\b)\s*"
_NUMBERED_UNIT = rf"(?:(?:{_CAPITAL_UNITS})[sS]?\s+{_PLACE}|(?i:{_UNITS})s?\s+{_CARDINAL})\b"
_REFERENCE = rf"\b{_NUMBERED_UNIT}(?:{_CONNECTIVE}(?:{_NUMBERED_UNIT}|(?:\d+|{_ROMAN})\b(?!\s+[a-z]+s\b)))*"

_Replacement = Callable[[re.Match[str]], str]


def _capitalized(match: re.Match[str], text: str) -> str:
    """The text, with a capital where the words that it replaces begin a sentence."""
    before = match.string[: match.start()].rstrip(" \t\"'“‘(")
    begins = not before or before[-1] in ".!?\n"
    return text[:1].upper() + text[1:] if begins else text


def _unnumbered(match: re.Match[str]) -> str:
    """What replaces a reference by number: "this chapter" for "Chapter 3"."""
    first = _UNIT.search(match[0])
    name = first[0].lower() if first else "part"
    is_plural = name.endswith("s") or (re.search(_CONNECTIVE, match[0]) and not _NESTED_UNITS.search(match[0]))
    return _capitalized(match, f"these {name.rstrip('s')}s" if is_plural else f"this {name}")


def _without_ordinal(match: re.Match[str]) -> str:
    name, owner = match["unit"].lower(), match["whose"]
    if owner.lower() == "the":
        owner = "these" if name.endswith("s") else "this"
    return _capitalized(match, f"{owner} {name}")


def _without_neighbour(match: re.Match[str]) -> str:
    name = match["unit"].lower()
    return _capitalized(match, f"other {name}" if name.endswith("s") else f"another {name}")


def _without_opening(match: re.Match[str]) -> str:
    return match["before"] + match["next"].upper()


def _without_whole(match: re.Match[str]) -> str:
    return _capitalized(match, f"this part {match['does']}")


_QUANTITY = rf"(?:(?:{_NUMBER_WORDS}|few|several)\s+)?"
_UNIT = re.compile(rf"\b(?:{_UNITS})s?\b", re.I)
_NESTED_UNITS = re.compile(r"\bact\b.*\bscene\b|\b(?:book|part|volume)\b.*\bchapter\b", re.I)  # Act I, Scene 2
_RULES: tuple[tuple[str, re.Pattern[str], _Replacement], ...] = (
    (
        "headings",
        re.compile(
            rf"^[ \t]*(?:(?i:summary|analysis)\s*[:–—-]\s*)?(?:{_REFERENCE}[ \t]*(?:[:.–—-]+[ \t]*|$\n?)"
            r"|(?i:prologue|epilogue)\b(?:[ \t]*(?:[:.–—-]+[ \t]*|$\n?)|\s+(?=[A-Z])))",
            re.M,
        ),
        lambda match: "",
    ),
    (
        "openings",
        re.compile(
            rf"(?P<before>^\s*|[.!?]['\"”’]?\s+)(?:(?:As|When) the (?:{_WORK_NOUNS}) (?:{_VERBS})"
            r"|(?:At|In|By) the (?:very )?(?:start|beginning|opening|outset|end|close|conclusion) of the "
            rf"(?:{_WORK_NOUNS}))"
            r"\s*,\s*(?P<next>\w)",
            re.M,
        ),
        _without_opening,
    ),
    ("numbers", re.compile(rf"(?:(?i:\bthe)\s+)?{_REFERENCE}"), _unnumbered),
    (
        "ordinals",
        re.compile(
            rf"\b(?i:(?P<whose>the|this|these|[a-z]+['’]s)\s+(?:very\s+)?(?:{_ORDINALS})\s+{_QUANTITY}"
            r"(?P<unit>(?:chapter|act|scene|section|canto|stave|volume)s?"
            rf"|(?:part|half|third|book)s?(?=\s+of\s+(?:the|this)\s+(?:{_WORK_NOUNS}|{_UNITS})\b)))\b"
        ),
        _without_ordinal,
    ),
    (
        "neighbours",
        re.compile(
            rf"\b(?i:(?:the\s+)?(?:{_NEIGHBOURS})\s+{_QUANTITY}(?P<unit>(?:chapter|scene|section|canto|stave)s?))\b"
        ),
        _without_neighbour,
    ),
    ("wholes", re.compile(rf"\b(?i:the\s+(?:{_WORK_NOUNS})\s+(?P<does>{_VERBS}))\b"), _without_whole),
)


def without_positions(summary: str) -> tuple[str, Counter[str]]:
    """The summary without words that show its position, and how many of each kind were removed or replaced."""
    counts: Counter[str] = Counter()
    for kind, pattern, replacement in _RULES:
        summary, count = pattern.subn(replacement, summary)
        counts[kind] += count
    return summary.strip(), +counts
