"""The sentence of some passages that most likely answers a question, found without a model.

score(s) = o(s) / (0.8 + 0.2 * |s| / avg) + l(s) + 0.5 * h(s) + 1.25 * q(s) / (1 + 0.25 * n(s)) + 0.2 * f(s)
           + 0.5 * t(s) + c(s) - 0.02 * r(s) - 0.1 * p(s)

- o: the share of the question that the sentence has, its words weighted by how few of the sentences have them
  (ln(1 + (N - n + 0.5) / (n + 0.5)), as BM25 does), over the sentence's length |s| as BM25 does;
- l: the share that a sentence of another document and its title have which mentions the title of this one, where the
  question does not name that: to "Where was the director of Jaws born?" the document on Jaws leads to its director's;
- h: the share that the headings of the sentence have and it has not;
- q: the same of a question of the document that the sentence is a reply to, n sentences after the first reply: an
  answer need not repeat what was asked, as in lists of frequent questions and interviews. Questions do not lead;
- f: the share that the three words after the question word have which are in the sentence ("which rock band");
- t: 1 where it has a stretch of the type that the question asks for (a name, a date, a duration, …) that is not in the
  question;
- c: 1 where the question is between two names ("A or B"), and one is the title of the document and in the sentence;
- r: how many passages were ranked higher;
- p: how many sentences of its document stand before it, in fifths, 1 at most: the first say what a document is about.

The numbers of o, h and f are round ones near the coefficients of a conditional logit over questions of HotpotQA,
MuSiQue, LooGLE and the corpora of Smith & Troynikov 2024, "Evaluating Chunking Strategies for Retrieval". The others
were chosen by hand on questions of HotpotQA, MuSiQue, the sample and one half of `benchmarks/leads`.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from longdoc.languages import ENGLISH
from models.baselines._amounts import amounts_finder
from models.baselines._answer_spans import Finder, finder, focus_of
from models.baselines._closed_questions import alternatives
from models.baselines._sentences import Sentence, Word
from pipelines.plugins.ask.line_kinds import asks, has_figure
from pipelines.plugins.ask.quote_location import located
from pipelines.plugins.ask.sentences import headed_sentences
from pipelines.plugins.ask.words import Words, analyse, stems_of
from pipelines.records import Span

LENGTH = 0.2  # the share of a score that goes with length
LINKED, HEADED, ASKED, FOCUS, TYPED, CHOICE, RANK, PLACE = 1, 0.5, 1.25, 0.2, 0.5, 1, 0.02, 0.1
SINCE = 0.25  # what each sentence between a question of the document and this one takes off
FIRST = 5  # sentences at the beginning of a document that differ in place
SHORTEST = 3  # letters of a title that is looked for

_LONG = re.compile(r"(?i)\bhow long\b(.*?)\b(?:take|last)s?\b")
_HOW = re.compile(r"(?i)\bhow (?:many|much|long|often|old|far)\b")
_SPEAKER = re.compile(r"[A-Z][\w.]*(?: [A-Z][\w.]*){0,2}: ")  # "MAAS: ", "A: ": a name that is no answer
_PARENTHESES = re.compile(r"(?<=\S)\s*\([^()]*\)\s*$")  # "Ed Wood (film)" is mentioned as "Ed Wood"


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A passage to look in: where it starts in its document and in its line there, the document's title, how many were
    ranked higher, the headings above it, and its document's language.
    """

    text: str
    start: int
    title: str
    rank: int
    column: int = 0
    heading: str = ""
    language: str = ENGLISH


@dataclass(frozen=True)
class Candidate:
    """A sentence of a passage, `number` from 0; `span` is in its document. `place` counts the sentences before it.

    `heading` are the headings that it stands under; `is_line`: it does not end as sentences do. `question` is the one
    of the document that it is the reply to, `since` counts the sentences between.
    """

    number: int
    span: Span
    words: Words
    title: Words
    rank: int
    place: int
    heading: Words
    is_line: bool
    question: Words
    since: int

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the sentence, its headings, the question that it replies to and its document's title."""
        return self.words.stems | self.heading.stems | self.question.stems | self.title.stems


def best_sentence(question: str, sources: Sequence[SourcePassage]) -> tuple[int, Span] | None:
    """The number of a passage from 0, and the span of its best sentence in its document; the first of equals.

    A line that has nothing but words of the question does not count where there are others, nor does an item of an
    agenda or a table of contents. None where there is no text.
    """
    words = analyse(question, (source.language for source in sources))
    candidates = [candidate for number, source in enumerate(sources) for candidate in _candidates(number, source)]
    if not candidates:
        return None
    headings = {candidate.heading for candidate in candidates}
    candidates = [
        candidate
        for candidate in candidates
        if not candidate.is_line or not (candidate.words.stems <= words.stems or _is_listing(candidate, headings))
    ] or candidates
    scores = _scores(words, candidates)
    best = candidates[max(range(len(candidates)), key=scores.__getitem__)]
    return best.number, best.span


def shares_words(question: str, texts: Sequence[tuple[str, str]]) -> bool:
    """Whether some text, in a language, has a content word of the question; also where the question has none."""
    question_stems = stems_of(question, {language for _, language in texts})
    return not question_stems or any(question_stems & stems_of(text, (language,)) for text, language in texts)


def _candidates(number: int, source: SourcePassage) -> list[Candidate]:
    """The sentences of a passage; a line that is no more than its document's title only where it is alone."""
    languages = (source.language,)
    title = analyse(_PARENTHESES.sub("", source.title), languages)
    candidates = []
    sentences = headed_sentences(source.text, source.column)
    headings_before: list[str] = []
    since = 0
    for place, sentence in enumerate(sentences):
        text = source.text[slice(*sentence.span)]
        headings = [source.text[slice(*span)] for span in sentence.headings] or [source.heading]
        since = since + 1 if headings == headings_before else 0
        headings_before = headings
        if len(sentences) > 1 and text == source.title:
            continue
        is_reply = asks(headings[-1])
        candidates.append(
            Candidate(
                number,
                (source.start + sentence.span[0], source.start + sentence.span[1]),
                analyse(text, languages),
                title,
                source.rank,
                min(place, FIRST) if source.start == 0 else FIRST,
                analyse(" ".join(headings[:-1] if is_reply else headings), languages),
                sentence.is_line,
                analyse(headings[-1] if is_reply else "", languages),
                since,
            )
        )
    return candidates


def _scores(question: Words, candidates: Sequence[Candidate]) -> list[float]:
    weights = _weights(question, candidates)
    average = max(1.0, sum(candidate.words.length for candidate in candidates) / len(candidates))
    linked = _linked(question, candidates, weights)
    name_stems = {word.stem for candidate in candidates for word in _inner_names(candidate.words)}
    find, focus = amounts_finder(question.text) or finder(question.text), focus_of(question.text)
    choices = alternatives(question.text) or ()
    return [
        _share(candidate.words.stems, weights) / (1 - LENGTH + LENGTH * candidate.words.length / average)
        + LINKED * linked.get(candidate.title.text, 0.0)
        + HEADED * _share(candidate.heading.stems - candidate.words.stems, weights)
        + ASKED * _share(candidate.question.stems - candidate.words.stems, weights) / (1 + SINCE * candidate.since)
        + FOCUS * _share(candidate.words.stems & focus, weights)
        + TYPED * (find is not None and _is_typed(question, candidate.words, find, name_stems))
        + CHOICE * any(_is_about(candidate, choice) for choice in choices)
        - RANK * candidate.rank
        - PLACE * candidate.place / FIRST
        for candidate in candidates
    ]


def _is_listing(line: Candidate, headings: Collection[Words]) -> bool:
    """Whether a line without a figure has all words of a heading that it does not stand under."""
    return not has_figure(line.words.text) and any(
        heading.stems and heading.stems <= line.words.stems for heading in headings if heading != line.heading
    )


def _weights(question: Words, candidates: Sequence[Candidate]) -> dict[str, float]:
    """The weight of each word of the question that some sentence or title has; together 1."""
    sentence_counts = Counter(stem for candidate in candidates for stem in candidate.stems)
    text = _HOW.sub("", _LONG.sub(r"\1", question.text))  # "two days" need not be "long", nor "taken"
    words = sorted(stems_of(text, question.languages) & sentence_counts.keys())
    weights = {
        stem: math.log1p((len(candidates) - sentence_counts[stem] + 0.5) / (sentence_counts[stem] + 0.5))
        for stem in words
    }
    total = sum(weights.values())
    return {stem: weight / total for stem, weight in weights.items()}


def _share(stems: frozenset[str], weights: Mapping[str, float]) -> float:
    return sum(weight for stem, weight in weights.items() if stem in stems)


def _linked(question: Words, candidates: Sequence[Candidate], weights: Mapping[str, float]) -> dict[str, float]:
    """The highest share of the question in a sentence that mentions a title, by title.

    Titles that the question itself names are left out.
    """
    titles = {candidate.title.text: candidate.title for candidate in candidates}
    unnamed_titles = [
        title
        for text, title in titles.items()
        if len(text) >= SHORTEST and title.stems and not title.stems <= question.stems
    ]
    shares: dict[str, float] = {}
    for title in unnamed_titles:
        mentions = [
            candidate
            for candidate in candidates
            if candidate.title.text != title.text and located(candidate.words.text, title.text)
        ]
        shares[title.text] = max((_share(candidate.stems, weights) for candidate in mentions), default=0.0)
    return shares


def _inner_names(sentence: Words) -> Iterator[Word]:
    """The words of the names that do not open a sentence."""
    return (word for start, end in sentence.names if start for word in sentence.words[start:end])


def _is_typed(question: Words, sentence: Words, find: Finder, name_stems: Collection[str]) -> bool:
    """Whether a sentence has a stretch that could answer and is not in the question.

    The name of the speaker does not count, nor does an opening word that is not a name elsewhere.
    """
    speaker = _SPEAKER.match(sentence.text)
    for start, end in find(sentence):
        words = sentence.words[start:end]
        is_opening = start == 0 and end == 1 and words[0].text.isalpha() and words[0].stem not in name_stems
        is_after_speaker = speaker is None or words[-1].end > speaker.end()
        if is_after_speaker and not is_opening and not all(map(question.has, words)):
            return True
    return False


def _is_about(candidate: Candidate, name: Sentence) -> bool:
    """Whether a sentence and its document's title have more than half of the words of a name."""
    return all(2 * len(name.stems & words.stems) > len(name.stems) for words in (candidate.title, candidate.words))
