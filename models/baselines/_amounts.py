"""Finders of amounts, durations and rates in a sentence, for questions that ask for them."""

import re
from collections.abc import Iterator

from models.baselines._answer_spans import COUNTS, Finder, from_question_word, matching, numbers
from models.baselines._sentences import Sentence, Stretch

_UNIT = (
    r"(?:m?s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|nights?|weeks?|months?|seasons?|years?|decades?|"
    r"centur(?:y|ies))"
)
_DURATIONS = re.compile(
    rf"(?i)\b(?:\d[\d,.]*|an?|few|several|half|(?:{COUNTS})(?:[ -](?:{COUNTS}))*)[ -](?:half[ -])?(?:an? )?(?:\w+ )?"
    rf"{_UNIT}\b|\b(?:overnight|until|for ever|forever)\b"
)
_RATES = re.compile(
    r"(?i)\b(?:every|once|twice|daily|weekly|monthly|yearly|annually|hourly|times)\b|"
    r"\b(?:a|per|each) (?:hour|day|week|month|year)\b|%|\bper ?cent\b|\d"
)
# What "the maximum fine", "the new annual fee" and the like end with.
_MEASURE = (
    r"(?:price|fee|fine|cost|rate|rent|deposit|charge|salary|budget|amount|sum|limit|threshold|maximum|minimum|level|"
    r"speed|temperature|range|distance|width|height|length|weight|size|age|capacity|percentage|share|duration|delay|"
    r"timeout|consumption|dose|version)"
)
# Before a number that counts nothing: "no. 3", "Sec. 7", "§ 5".
_REFERENCE = re.compile(
    r"(?i)(?:\b(?:nos?|nr|secs?|section|arts?|article|paras?|abs|pp?|figs?|tabs?|eqs?|steps?)\.? ?|§+ ?)\Z"
)
_NUMBERING = re.compile(r"\W*\d+(?:[.)]|(?:\.\d+)+)[.)]? ")  # of a clause or an item: "(1) ", "7.3 "


def _amounts(sentence: Sentence) -> Iterator[Stretch]:
    """Numbers in a sentence, except years, references ("§ 5") and the sentence's own number."""
    numbering = _NUMBERING.match(sentence.text)
    first = numbering.end() if numbering else 0
    for start, end in numbers(sentence):
        place = sentence.words[start].start
        if place >= first and not _REFERENCE.search(sentence.text[:place]):
            yield start, end


_QUESTION_TYPES: tuple[tuple[str, Finder], ...] = (
    (r"how (?:long|soon|quickly)\b", matching(_DURATIONS)),
    (r"how (?:often|frequently)\b", matching(_RATES)),
    (r"how (?:much|many|old|far|tall|high|deep|wide|large|big|heavy|fast|hot|cold|warm|loud)\b", _amounts),
    (rf"(?:what|which) (?:(?:is|was|are|were|will be) )?(?:the |its )?(?:\w+ ){{0,3}}?{_MEASURE}\b", _amounts),
    (r"what (?:do|does|did|will|would) .*\bcost\b", _amounts),
)


def amounts_finder(question: str) -> Finder | None:
    """The finder for a question about an amount; None for other questions."""
    rest = from_question_word(question)
    return next((find for pattern, find in _QUESTION_TYPES if rest and re.match(pattern, rest, re.IGNORECASE)), None)
