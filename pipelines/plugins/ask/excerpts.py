"""Excerpts of passages: around the answer, or where most of the question's words are."""

import re
from collections.abc import Iterator

from longdoc import words as longdoc_words
from longdoc.characters import without_points
from longdoc.languages import language_of
from pipelines.plugins.ask.words import stems_of
from pipelines.records import Span

EXCERPT = 300  # characters of a passage that are quoted
LONGEST = 10_000  # characters of an answer that are printed, and quoted within its passage
WORD = 40  # characters at most that are left out so that an excerpt begins and ends with a whole word
_PIECE = re.compile(r"\S+")


def quoted(text: str, span: Span | None, question: str, full: bool) -> Iterator[tuple[str, bool]]:
    """The excerpt of a passage, piece by piece, and whether a piece is the answer, which is `span` in the text.

    `full` quotes the passage whole.
    """
    if span and not full:
        span = (span[0], min(span[1], span[0] + LONGEST))
    start, end = (0, len(text)) if full else _window(text, span, question)
    answer_start, answer_end = span or (end, end)
    shape = _with_line_breaks if full else one_line
    yield ("…" if start > 0 else "") + shape(text[start:answer_start]).lstrip(), False
    if span:
        yield shape(text[answer_start:answer_end]), True
    yield shape(text[answer_end:end]).rstrip() + ("…" if end < len(text.rstrip()) else ""), False


def _window(text: str, span: Span | None, question: str) -> Span:
    """The span of the excerpt: around the answer, or where most of the question's words are, in whole words.

    An answer of up to `LONGEST` characters is quoted whole.
    """
    if len(text) <= EXCERPT:
        return 0, len(text)
    if span is None:
        start = min(_densest(text, question), len(text) - EXCERPT)
        span = (start + EXCERPT // 2,) * 2
    else:
        start = max(0, min(span[0], sum(span) // 2 - EXCERPT // 2, len(text) - EXCERPT))
    end = min(len(text), max(start + EXCERPT, span[1]))
    if start and (gap := re.compile(r"\s").search(text, start, min(span[0], start + WORD))):
        start = gap.end()
    if end < len(text) and (gap := re.compile(r"\s\S*\Z").search(text, max(span[1], end - WORD), end)):
        end = gap.start()
    return start, end


def _densest(text: str, question: str) -> int:
    """The start of the first stretch with the most words of the question."""
    language = language_of(text)
    wanted = stems_of(question, (language,))
    hits = [(start, stem) for start, stem in _stems(text, language) if stem in wanted]
    best, maximum = 0, 0
    for begin, _ in hits:
        words = len({word for position, word in hits if begin <= position < begin + EXCERPT - 2 * WORD})
        if words > maximum:
            best, maximum = begin, words
    return max(0, best - WORD)


def _stems(text: str, language: str) -> Iterator[tuple[int, str]]:
    """Where each content word starts, and its stem; in scripts without spaces pairs of neighbouring letters."""
    for piece in _PIECE.finditer(text):
        if longdoc_words.unspaced(piece[0]):
            yield from ((piece.start() + start, stem) for start, stem in _pairs(piece[0], language))
        else:
            yield from ((piece.start(), stem) for stem in stems_of(piece[0], (language,)))


def _pairs(piece: str, language: str) -> Iterator[tuple[int, str]]:
    """Where each pair of neighbouring letters starts, and the pair; of words with spaces their stems."""
    last = (-1, -1, "")
    for start, end, word in longdoc_words.word_spans(piece):
        if not longdoc_words.unspaced(word):
            yield from ((start, stem) for stem in stems_of(word, (language,)))
            continue
        if last[1] == start:
            yield last[0], without_points(last[2] + word)
        last = (start, end, word)


def one_line(text: str) -> str:
    """A text with single spaces for all its white space."""
    return re.sub(r"\s+", " ", text)


def _with_line_breaks(text: str) -> str:
    return text.replace("\r\n", "\n")
