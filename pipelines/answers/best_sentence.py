"""The sentence of some passages that most likely answers a question, found without a model.

score(s) = o(s) / (0.8 + 0.2 * |s| / avg) + 0.75 * l(s) + 0.5 * h(s) + 0.2 * (f(s) + t(s)) - 0.03 * r(s) - 0.15 * p(s)

- o: the share of the question that the sentence has, its words weighted by how few of the sentences have them
  (ln(1 + (N - n + 0.5) / (n + 0.5)), as BM25 does), over the sentence's length |s| as BM25 does;
- l: the share that a sentence of another document and its title have which mentions the title of this one, where the
  question does not name that: to "Where was the director of Jaws born?" the document on Jaws leads to its director's;
- h: the share that the headings of the sentence have and it has not;
- f: the share that the three words after the question word have which are in the sentence ("which rock band");
- t: 1 where it has a stretch of the type that the question asks for (a name, a date, a number, …) that is not in the
  question, 0 where it has none, and 0.5 where the question asks for no such type, as do those that are not English;
- r: how many passages were ranked higher;
- p: how many sentences of its document stand before it, in fifths, 1 at most: the first say what a document is about.

The numbers are round ones near the coefficients of a conditional logit over questions of HotpotQA, MuSiQue, LooGLE and
the corpora of Smith & Troynikov 2024, "Evaluating Chunking Strategies for Retrieval". Terms were compared in
four folds over these questions; the rounding was chosen on all of them, the 0.2 of f and the 0.5 of h set by hand:
0.25 and 0.75 lead as well on LooGLE and these corpora.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from models.baselines._answer_spans import Finder, finder, focus_of
from models.baselines._sentences import Sentence as Words
from models.baselines._sentences import analyse
from pipelines.answers.line_kinds import asks
from pipelines.answers.quote_location import located
from pipelines.answers.sentences import headed_sentences
from pipelines.records import Span

LENGTH = 0.2  # the share of a score that goes with length
LINKED, HEADED_LIMIT, FOCUS, TYPED_LIMIT, RANK, PLACE = 0.75, 0.5, 0.2, 0.2, 0.03, 0.15
P = dict(ASKED=0.9, SINCE=0.25, LINE=0.0)
UNTYPED = 0.5  # where the question's type is not known
FIRST = 5  # sentences at the beginning of a document that differ in place
SHORTEST = 3  # letters of a title that is looked for

_PARENTHESES_PATTERN = re.compile(r"(?<=\S)\s*\([^()]*\)\s*$")  # "Ed Wood (film)" is mentioned as "Ed Wood"


@dataclass(frozen=True, slots=True)
class Source:
    """A passage to look in: where it starts in its document and in its line there, the document's title, how many were
    ranked higher, and the headings above it.
    """

    text: str
    start: int
    title: str
    rank: int
    column: int = 0
    heading: str = ""


@dataclass(frozen=True)
class Candidate:
    """A sentence of a passage, `number` from 0; `span` is in its document. `place` counts the sentences before it.

    `heading` are the headings that it stands under; `is_line`: it does not end as sentences do.
    """

    number: int
    span: Span
    words: Words
    title: Words
    rank: int
    place: int
    heading: Words
    is_line: bool
    asked: Words = Words("")
    since: int = 0

    @cached_property
    def stems(self) -> frozenset[str]:
        """Those of the sentence, of its headings and of its document's title."""
        return self.words.stems | self.heading.stems | self.asked.stems | self.title.stems


def best_sentence(question: str, sources: Sequence[Source]) -> tuple[int, Span] | None:
    """The number of a passage from 0, and the span of its best sentence in its document; the first of equals.

    A line that has nothing but words of the question is none where there are others. None where there is no text.
    """
    words = analyse(question)
    candidates = [candidate for number, source in enumerate(sources) for candidate in _candidates(number, source)]
    candidates = [
        candidate for candidate in candidates if not candidate.is_line or not candidate.words.stems <= words.stems
    ] or candidates
    if not candidates:
        return None
    scores = _scores(words, candidates)
    best = candidates[max(range(len(candidates)), key=scores.__getitem__)]
    return best.number, best.span


def shares_words(question: str, texts: Sequence[str]) -> bool:
    """Whether some text has a content word of the question; also where the question has none."""
    wanted_names = analyse(question).stems
    return not wanted_names or any(wanted_names & analyse(text).stems for text in texts)


def _candidates(number: int, source: Source) -> list[Candidate]:
    """The sentences of a passage; a line that is no more than its document's title is none where there are others."""
    title = analyse(_PARENTHESES_PATTERN.sub("", source.title))
    candidates = []
    sentences = headed_sentences(source.text, source.column)
    last, since = "", 0
    for place, sentence in enumerate(sentences):
        start, end = sentence.span
        text = source.text[start:end]
        if len(sentences) > 1 and text == source.title:
            continue
        before = place if source.start == 0 else FIRST
        span = (source.start + start, source.start + end)
        above = [source.text[a:b] for a, b in sentence.headings] or [source.heading]
        asked = above[-1] if asks(above[-1]) else ""
        since = since + 1 if asked and asked == last else 0
        last = asked
        words, heading = analyse(text), analyse(" ".join(above[: -1 if asked else None]))
        candidates.append(
            Candidate(number, span, words, title, source.rank, min(before, FIRST), heading, sentence.is_line, analyse(asked), since)
        )
    return candidates


def _scores(question: Words, candidates: Sequence[Candidate]) -> list[float]:
    weights = _weights(question, candidates)
    average = max(1.0, sum(candidate.words.length for candidate in candidates) / len(candidates))
    linked = _linked(question, candidates, weights)
    find, focus = finder(question.text), focus_of(question.text)
    return [
        _share(candidate.words.stems, weights) / (1 - LENGTH + LENGTH * candidate.words.length / average)
        + LINKED * linked.get(candidate.title.text, 0.0)
        + HEADED_LIMIT * _share(candidate.heading.stems - candidate.words.stems, weights)
        + P["ASKED"] / (1 + P["SINCE"] * candidate.since) * _share(candidate.asked.stems - candidate.words.stems, weights)
        + FOCUS * _share(candidate.words.stems & focus, weights)
        + TYPED_LIMIT * _typed_value(question, candidate.words, find)
        - P["LINE"] * candidate.is_line
        - RANK * candidate.rank
        - PLACE * candidate.place / FIRST
        for candidate in candidates
    ]


def _weights(question: Words, candidates: Sequence[Candidate]) -> dict[str, float]:
    """The weight of each word of the question that some sentence or title has; together 1."""
    having_values = Counter(stem for candidate in candidates for stem in candidate.stems)
    words = sorted(question.stems & having_values.keys())
    weights = {
        stem: math.log1p((len(candidates) - having_values[stem] + 0.5) / (having_values[stem] + 0.5)) for stem in words
    }
    total = sum(weights.values())
    return {stem: weight / total for stem, weight in weights.items()}


def _share(stems: frozenset[str], weights: Mapping[str, float]) -> float:
    return sum(weight for stem, weight in weights.items() if stem in stems)


def _linked(question: Words, candidates: Sequence[Candidate], weights: Mapping[str, float]) -> dict[str, float]:
    """For each title that the question does not name, the most that a sentence elsewhere has which mentions it."""
    titles = {candidate.title.text: candidate.title for candidate in candidates}
    sentences = [
        title
        for text, title in titles.items()
        if len(text) >= SHORTEST and title.stems and not title.stems <= question.stems
    ]
    best: dict[str, float] = {}
    for title in sentences:
        having_candidates = [
            candidate
            for candidate in candidates
            if candidate.title.text != title.text and located(candidate.words.text, title.text)
        ]
        best[title.text] = max((_share(candidate.stems, weights) for candidate in having_candidates), default=0.0)
    return best


def _typed_value(question: Words, sentence: Words, find: Finder | None) -> float:
    """Whether a sentence has a stretch that could answer and is not in the question."""
    if find is None:
        return UNTYPED
    stretches = (sentence.words[start:end] for start, end in find(sentence))
    return float(any(not all(map(question.has, words)) for words in stretches))
