"""Short answers by type of question: which stretches of a sentence could answer it, and which of them does best.

The type is read off the question word and the noun after it; each type has a function that gives the stretches of a
sentence that could answer. A stretch is worth its sentence's score and, for each word of the question in the sentence,
that word's weight, less the farther away it stands; a name that comes again is worth a little more.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from models.baselines._sentence_ranking import Ranked
from models.baselines._sentences import Sentence, Stretch, analyse

LOOK = 12  # sentences that may hold the answer
NEAR = 4  # words off at which closeness is worth half
FOCUS = 2  # the words after "which" and "what" say what is wanted, and count twice for closeness
AGAIN_LIMIT = 0.1  # what a further mention adds, of the lesser score

Finder = Callable[[Sentence], Iterator[Stretch]]

_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_CALENDAR = re.compile(rf"{_MONTH}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day")
_YEAR = r"(?:1\d|20)\d\d(?:s|\b)"
_YEARS = re.compile(rf"\b{_YEAR}")
_DATES = re.compile(rf"\b(?:\d{{1,2}} )?{_MONTH}\b(?: \d{{1,2}}\b)?(?:,? {_YEAR})?|\b{_YEAR}")
_ONES_TEXT = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
)
_TENS = "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen"
COUNTS = "|".join(f"{_ONES_TEXT} {_TENS}".split())
_NUMBERS = re.compile(rf"(?i)(?!\b{_YEAR}(?![,.]\d))\b(?:\d[\d,.]*|{COUNTS})(?:[ -](?:{COUNTS}))*\b")
_REASONS = re.compile(r"(?i)\b(?:because|in order to|so that|for fear|due to)\b[^.;!?]*")
_MANNERS = re.compile(r"(?i)\bby \w+ing\b[^.;!?]*")
_PLACED_NAMES = frozenset(("in", "at", "to", "from", "near", "into", "on"))


def names(sentence: Sentence) -> Iterator[Stretch]:
    """Names, without days and months and without what stands after "a" ("a Spanish footballer")."""
    for start, end in sentence.names:
        if not _CALENDAR.fullmatch(sentence.words[start].text) and _before(sentence, start) not in ("a", "an"):
            yield start, end


def places(sentence: Sentence) -> Iterator[Stretch]:
    """Names after a preposition of place."""
    return ((start, end) for start, end in names(sentence) if _before(sentence, start) in _PLACED_NAMES)


def persons(sentence: Sentence) -> Iterator[Stretch]:
    """Names that stand after neither "in" nor "at"."""
    return ((start, end) for start, end in names(sentence) if _before(sentence, start) not in ("in", "at"))


def peoples(sentence: Sentence) -> Iterator[Stretch]:
    """Single words written large before a noun that is not: "French" in "the French composer"."""
    for start, end in sentence.names:
        following = sentence.words[end : end + 1]
        if end - start == 1 and following and following[0].stem and following[0].text.islower():
            yield start, end


def matching(pattern: re.Pattern[str]) -> Finder:
    """A function that gives the words of each match of a pattern."""

    def find(sentence: Sentence) -> Iterator[Stretch]:
        for match in pattern.finditer(sentence.text):
            inside = [i for i, w in enumerate(sentence.words) if w.start < match.end() and w.end > match.start()]
            if inside:
                yield inside[0], inside[-1] + 1

    return find


years, dates, numbers = matching(_YEARS), matching(_DATES), matching(_NUMBERS)
reasons, manners = matching(_REASONS), matching(_MANNERS)

_VERB = r"(?:is|are|was|were|do|does|did|ha[sd]|have|will|would|can|could|should|must|happen\w*|ma[dk]e\w*|cause\w*)\b"
_PLACE = r"(?:city|country|town|state|county|village|place|island|region|continent)"
# The first that fits the question from its question word on decides. A question that fits none is answered by a clause.
KINDS_VALUES: tuple[tuple[str, Finder], ...] = (
    (r"how (?:many|much|old|long|far|tall|high|large|big)\b|what (?:is|was) the (?:population|number)\b", numbers),
    (r"(?:what|which) years?\b", years),
    (r"when\b|(?:what|which) (?:date|day|month|century|decade)\b", dates),
    (rf"where\b|(?:what|which) (?:\w+ )?{_PLACE}\b", places),
    (r"(?:what|which) (?:nationality|citizen\w*|language)\b", peoples),
    (r"who", persons),
    (rf"which\b|what (?:is|was|are|were) the (?:\w+ )?(?:name|title)|what\b(?! {_VERB})", names),
    (r"why\b", reasons),
    (r"how\b", manners),
)
_OPENING = re.compile(
    r"\W*(?:(?:in|on|at|for|by|from|with|to|of|after|during|about) )?(?=(?:wh(?:o|om|ose|at|ich|en|ere|y)|how)\b)", re.I
)
_WANTED_PATTERN = re.compile(r"\b(?:what|which)\b|\bhow (?:many|much)\b", re.IGNORECASE)
_QUESTION_WORD = re.compile(r"\b(?:who|whom|whose|when|where|why|how)\b", re.IGNORECASE)


def finder(question: str) -> Finder | None:
    """The function for a question's type, None where only a clause will do."""
    rest = from_question_word(question)
    return next((find for pattern, find in KINDS_VALUES if rest and re.match(pattern, rest, re.IGNORECASE)), None)


def focus_of(question: str) -> frozenset[str]:
    """The stems of the three words after the question word, which say what is wanted: "which rock band"."""
    return frozenset(word.stem for word in analyse(from_question_word(question)).words[1:4])


def spans(question: Sentence, ranked: Sequence[Ranked], weights: Mapping[str, float], find: Finder) -> list[str]:
    """Answers of one type, best first, none twice; what only repeats the question is left out."""
    focus = focus_of(question.text)
    weighed_values = {stem: weight * (FOCUS if stem in focus else 1) for stem, weight in weights.items()}
    known_names = {
        w.stem for value in ranked[:LOOK] for i, j in value.sentence.names if i for w in value.sentence.words[i:j]
    }
    best: dict[str, tuple[float, str]] = {}
    for value in ranked[:LOOK]:
        for start, end in find(value.sentence):
            words = value.sentence.words[start:end]
            opens = start == 0 and end == 1 and words[0].text.isalpha() and words[0].stem not in known_names
            if opens or all(word.stem in question.stems or not word.stem for word in words):
                continue
            text = re.sub(r"['’]s$", "", value.sentence.part((start, end)))
            score = value.score + _closeness(value.sentence, (start, end), weighed_values)
            key = " ".join(word.stem for word in words if word.stem)
            other = best.get(key, (0.0, text))
            best[key] = (
                max(score, other[0]) + AGAIN_LIMIT * min(score, other[0]),
                other[1] if other[0] >= score else text,
            )
    return [text for _, text in sorted(best.values(), key=lambda pair: -pair[0])]


def from_question_word(question: str) -> str:
    """The question from its question word on: one that opens it, else the last "what" or "which", else the first."""
    if opening := _OPENING.match(question):
        return question[opening.end() :]
    matches = [*_WANTED_PATTERN.finditer(question)][-1:] or [*_QUESTION_WORD.finditer(question)][:1]
    return question[matches[0].start() :] if matches else ""


def _closeness(sentence: Sentence, stretch: Stretch, weights: Mapping[str, float]) -> float:
    """Each word of the question outside the stretch, weighed by how near it stands."""
    near: dict[str, float] = {}
    for position, word in enumerate(sentence.words):
        if word.stem in weights and not stretch[0] <= position < stretch[1]:
            distance = stretch[0] - position if position < stretch[0] else position - stretch[1] + 1
            near[word.stem] = max(near.get(word.stem, 0.0), weights[word.stem] / (1 + distance / NEAR))
    return sum(near.values())


def _before(sentence: Sentence, start: int) -> str:
    return sentence.words[start - 1].text.casefold() if start else ""
