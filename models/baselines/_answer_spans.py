"""Short answers by type of question: which stretches of a sentence could answer it, and which of them does best.

The type is read off the question word and the noun after it; each type has a function that gives the stretches of a
sentence that could answer. A stretch is worth its sentence's score and, for each word of the question in the sentence,
that word's weight, less the farther away it stands; a name that comes again is worth a little more.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from models.baselines._sentence_ranking import Ranked
from models.baselines._sentences import Sentence, Stretch, analyse

TOP_SENTENCES = 12  # best sentences that are searched for the answer
NEAR = 4  # words off at which closeness is worth half
FOCUS = 2  # the words after "which" and "what" say what is wanted, and count twice for closeness
REPEAT_WEIGHT = 0.1  # a further mention adds this share of the lower score

Finder = Callable[[Sentence], Iterator[Stretch]]

_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_CALENDAR = re.compile(rf"{_MONTH}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day")
_YEAR = r"(?:1\d|20)\d\d(?:s|\b)"
_YEARS = re.compile(rf"\b{_YEAR}")
_DATES = re.compile(rf"\b(?:\d{{1,2}} )?{_MONTH}\b(?: \d{{1,2}}\b)?(?:,? {_YEAR})?|\b{_YEAR}")
_ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
_TENS = "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen"
COUNTS = "|".join(f"{_ONES} {_TENS}".split())
_NUMBERS = re.compile(rf"(?i)(?!\b{_YEAR}(?![,.]\d))\b(?:\d[\d,.]*|{COUNTS})(?:[ -](?:{COUNTS}))*\b")
_NUMBERING = re.compile(  # "(1) The rent", "2. The rent", "Section 1"
    r"(?:\A|(?<=[.;:!?] ))\W*\d{1,3}(?:\.\d+)*[.)] |\(\d{1,3}\)(?= [A-Z])|(?i:\b(?:section|article|clause)) \d+"
)
_REASONS = re.compile(r"(?i)\b(?:because|in order to|so that|for fear|due to)\b[^.;!?]*")
_MANNERS = re.compile(r"(?i)\bby \w+ing\b[^.;!?]*")
_PLACE_PREPOSITIONS = frozenset(("in", "at", "to", "from", "near", "into", "on"))


def names(sentence: Sentence) -> Iterator[Stretch]:
    """Names, except days, months and names after "a" ("a Spanish footballer")."""
    for start, end in sentence.names:
        if not _CALENDAR.fullmatch(sentence.words[start].text) and _before(sentence, start) not in ("a", "an"):
            yield start, end


def places(sentence: Sentence) -> Iterator[Stretch]:
    """Names after a preposition of place."""
    return ((start, end) for start, end in names(sentence) if _before(sentence, start) in _PLACE_PREPOSITIONS)


def persons(sentence: Sentence) -> Iterator[Stretch]:
    """Names that stand after neither "in" nor "at"."""
    return ((start, end) for start, end in names(sentence) if _before(sentence, start) not in ("in", "at"))


def peoples(sentence: Sentence) -> Iterator[Stretch]:
    """Capitalized single words before a lower-case noun: "French" in "the French composer"."""
    for start, end in sentence.names:
        following = sentence.words[end : end + 1]
        if end - start == 1 and following and following[0].stem and following[0].text.islower():
            yield start, end


def matching(pattern: re.Pattern[str]) -> Finder:
    """A finder of the words of each match of a pattern."""

    def find(sentence: Sentence) -> Iterator[Stretch]:
        for match in pattern.finditer(sentence.text):
            inside = [i for i, w in enumerate(sentence.words) if w.start < match.end() and w.end > match.start()]
            if inside:
                yield inside[0], inside[-1] + 1

    return find


def numbers(sentence: Sentence) -> Iterator[Stretch]:
    """Numbers, except those that number list items or clauses."""
    numbering = [match.span() for match in _NUMBERING.finditer(sentence.text)]
    for start, end in _all_numbers(sentence):
        place = sentence.words[start].start
        if not any(first <= place < last for first, last in numbering):
            yield start, end


years, dates, _all_numbers = matching(_YEARS), matching(_DATES), matching(_NUMBERS)
reasons, manners = matching(_REASONS), matching(_MANNERS)

_VERB = r"(?:is|are|was|were|do|does|did|ha[sd]|have|will|would|can|could|should|must|happen\w*|ma[dk]e\w*|cause\w*)\b"
_PLACE = r"(?:city|country|town|state|county|village|place|island|region|continent)"
# The first that fits the question from its question word on decides. A question that fits none is answered by a clause.
QUESTION_TYPES: tuple[tuple[str, Finder], ...] = (
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
_NOUN_QUESTION = re.compile(r"\b(?:what|which)\b|\bhow (?:many|much)\b", re.IGNORECASE)
_QUESTION_WORD = re.compile(r"\b(?:who|whom|whose|when|where|why|how)\b", re.IGNORECASE)


def finder(question: str) -> Finder | None:
    """The finder for a question's type; None if the answer is a whole clause."""
    rest = from_question_word(question)
    return next((find for pattern, find in QUESTION_TYPES if rest and re.match(pattern, rest, re.IGNORECASE)), None)


def focus_of(question: str) -> frozenset[str]:
    """The stems of the three words after the question word, which say what is asked for: "which rock band"."""
    return frozenset(word.stem for word in analyse(from_question_word(question)).words[1:4])


def spans(question: Sentence, ranked: Sequence[Ranked], weights: Mapping[str, float], find: Finder) -> list[str]:
    """Distinct answers of one type, best first; those that only repeat the question are left out."""
    focus = focus_of(question.text)
    focused_weights = {stem: weight * (FOCUS if stem in focus else 1) for stem, weight in weights.items()}
    name_stems = {
        w.stem for item in ranked[:TOP_SENTENCES] for i, j in item.sentence.names if i for w in item.sentence.words[i:j]
    }
    best: dict[str, tuple[float, str]] = {}
    for item in ranked[:TOP_SENTENCES]:
        for start, end in find(item.sentence):
            words = item.sentence.words[start:end]
            opens = start == 0 and end == 1 and words[0].text.isalpha() and words[0].stem not in name_stems
            if opens or all(word.stem in question.stems or not word.stem for word in words):
                continue
            text = re.sub(r"['’]s$", "", item.sentence.part((start, end)))
            score = item.score + _closeness(item.sentence, (start, end), focused_weights)
            key = " ".join(word.stem for word in words if word.stem)
            earlier = best.get(key, (0.0, text))
            best[key] = (
                max(score, earlier[0]) + REPEAT_WEIGHT * min(score, earlier[0]),
                earlier[1] if earlier[0] >= score else text,
            )
    return [text for _, text in sorted(best.values(), key=lambda pair: -pair[0])]


def from_question_word(question: str) -> str:
    """The question from its question word on: the opening one, else the last "what" or "which", else the first."""
    if opening := _OPENING.match(question):
        return question[opening.end() :]
    matches = [*_NOUN_QUESTION.finditer(question)][-1:] or [*_QUESTION_WORD.finditer(question)][:1]
    return question[matches[0].start() :] if matches else ""


def _closeness(sentence: Sentence, stretch: Stretch, weights: Mapping[str, float]) -> float:
    """The sum of the weights of question words near a stretch, each lowered by its distance."""
    near: dict[str, float] = {}
    for position, word in enumerate(sentence.words):
        if word.stem in weights and not stretch[0] <= position < stretch[1]:
            distance = stretch[0] - position if position < stretch[0] else position - stretch[1] + 1
            near[word.stem] = max(near.get(word.stem, 0.0), weights[word.stem] / (1 + distance / NEAR))
    return sum(near.values())


def _before(sentence: Sentence, start: int) -> str:
    return sentence.words[start - 1].text.casefold() if start else ""
