"""The result of `ask`: an answer with the passages it came from, and how both are printed."""

import re
import textwrap
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from longdoc import words as longdoc_words
from longdoc.plain_values import plain
from pipelines.records import Span

if TYPE_CHECKING:
    from rich.console import Group

EXCERPT = 300  # characters of a passage that are quoted
LONGEST = 10_000  # characters of an answer that are printed, and quoted within its passage
WORD = 40  # characters at most that are left out so that an excerpt begins and ends with a whole word
INDENT = "    "
_SAYS_NOTHING = frozenset(("yes", "no", "true", "false", "unanswerable"))  # words of many passages
_WORD = re.compile(r"\w")
_BESIDE = 100  # characters on each side of a place that show whether it is within a word
_SPACE = re.compile(r"\s+")
_COMMON = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "by", "did", "do", "does", "for", "from", "had", "has", "have", "he",
    "her", "his", "how", "i", "in", "is", "it", "its", "of", "on", "or", "she", "that", "the", "their", "them",
    "they", "this", "to", "was", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will",
    "with", "you", "your",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that an answer came from: [start, end) in code points of its file's text, the retriever's score.

    `line` counts from 1 in that text. `location` is for people ("page 12", "chapter Loomings", "00:12:33", "line 40"),
    "" where it is not known; `file` the path, None for a `Document`. `answer` is the span in that text where the answer
    occurs word for word, if it does. `heading` is the one outside the passage that was shown before it.
    """

    text: str
    start: int
    end: int
    line: int
    score: float
    file: str | None = None
    location: str = ""
    answer: Span | None = None
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question about documents, with the passages the reader saw, in the order shown.

    `truncated_tokens` are the prompt tokens that were cut; `warnings` name what was not read, guessed encodings, and
    answers that were cut or refused. `outputs` counts the model's outputs that are "ended at length", "empty" or
    "refused". `asked` is False where there was no model (`model="none"`), only passages.
    """

    text: str
    passages: Sequence[Passage]
    truncated_tokens: int = 0
    question: str = ""
    warnings: Sequence[str] = ()
    outputs: Mapping[str, int] = field(default_factory=dict)
    asked: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        values: Mapping[str, Any] = {"question": self.question, "text": self.text, "passages": plain(self.passages)}
        return {
            **values,
            "truncated_tokens": self.truncated_tokens,
            "warnings": list(self.warnings),
            "outputs": dict(self.outputs),
            "asked": self.asked,
        }

    def __str__(self) -> str:
        """The answer, then an excerpt of each passage with its location, in it the answer in «»."""
        return self.plain()

    def plain(self, full: bool = False) -> str:
        """As `str`; `full` prints answer and passages whole."""
        lines = [self._text(full)]
        for number, passage in enumerate(self.passages, 1):
            quoted = "".join(f"«{text}»" if found else text for text, found in _quoted(passage, self.question, full))
            lines += ["", f"[{number}] {_location(passage)}", textwrap.indent(quoted, INDENT, lambda line: True)]
        lines += [""] * bool(self.warnings) + [f"warning: {warning}" for warning in self.warnings]
        return "\n".join(lines)

    def rich(self, full: bool = False) -> "Group":
        """As `plain`, with bold and colour for a terminal, and wrapped to its width."""
        from rich.console import Group
        from rich.padding import Padding
        from rich.text import Text

        from pipelines.results.display.terminal import visible

        parts: list[Text | Padding] = [Text(visible(self._text(full)), "bold")]
        for number, passage in enumerate(self.passages, 1):
            quoted = _quoted(passage, self.question, full)
            words = Text.assemble(*((visible(text), "bold green" if found else "") for text, found in quoted))
            parts += [Text(), Text.assemble(f"[{number}] ", (visible(_location(passage)), "cyan"))]
            parts.append(Padding(words, (0, 0, 0, len(INDENT))))
        parts += [Text()] * bool(self.warnings) + [Text(visible(f"warning: {one}"), "yellow") for one in self.warnings]
        return Group(*parts)

    def _text(self, full: bool) -> str:
        if len(self.text) > LONGEST and not full:
            return f"{self.text[:LONGEST]}… ({len(self.text):,} characters, whole with full=True, --full, or as JSON)"
        return self.text or ("(the reader found no answer)" if self.asked else "(no model was asked)")


def _location(passage: Passage) -> str:
    characters = f"characters {passage.start}–{passage.end}, score {passage.score:.3f}"
    heading = " ".join(passage.heading.split()).strip("# ")
    under = f"under “{heading}”" if heading and heading not in passage.location else ""
    return ", ".join(filter(None, (passage.file, passage.location, under, characters)))


def located(text: str, answer: str) -> Span | None:
    """The span where an answer occurs word for word in a text, white space aside; None where it does not.

    Letters with marks are the same whether written as one code point or as several (the normal form NFC). Answers like
    "yes" occur anywhere, and are not looked for.
    """
    if " ".join(answer.strip().rstrip(".").split()).casefold() in _SAYS_NOTHING:
        return None
    found = _verbatim(text, answer)
    if found or text.isascii() or answer.isascii():
        return found
    composed = unicodedata.normalize("NFC", answer)
    if unicodedata.is_normalized("NFC", text):
        return None if composed == answer else _verbatim(text, composed)
    letters = _clusters(text)
    starts = [0, *accumulate(len(letter) for letter in letters)]
    origins = [i for i, letter in enumerate(letters) for _ in unicodedata.normalize("NFC", letter)]
    found = _verbatim("".join(unicodedata.normalize("NFC", letter) for letter in letters), composed)
    return found and (starts[origins[found[0]]], starts[origins[found[1] - 1] + 1])


def _clusters(text: str) -> list[str]:
    """The letters of a text, each with its marks."""
    import regex

    return list(regex.findall(r"\X", text))


def _verbatim(text: str, answer: str) -> Span | None:
    """The first span of an answer in a text, white space aside, that begins and ends with whole words."""
    words = answer.strip().rstrip(".").split()
    if not words:
        return None
    at = text.find(words[0])
    while at >= 0:
        end = _end_of(words, text, at)
        if end is not None and not _cuts(text, at, at - 1) and not _cuts(text, end, end):
            return at, end + (answer.rstrip().endswith(".") and text.startswith(".", end))
        at = text.find(words[0], at + 1)
    return None


def _cuts(text: str, place: int, outside: int) -> bool:
    """Whether a span that begins or ends at `place` cuts a word; `outside` is the character next to it."""
    near = text[max(place - _BESIDE, 0) : place + _BESIDE]
    if longdoc_words.is_plain(near):
        return 0 <= outside < len(text) and _WORD.match(text, outside) is not None
    at = min(place, _BESIDE)
    return any(start < at < end for start, end in longdoc_words.spans(near))


def _end_of(words: Sequence[str], text: str, at: int) -> int | None:
    """The end of words that a text has from `at` on with white space between them; None where it has others.

    Compared one by one: a regular expression of them would take a hundred times their memory.
    """
    for number, word in enumerate(words):
        if number:
            gap = _SPACE.match(text, at)
            if gap is None:
                return None
            at = gap.end()
        if not text.startswith(word, at):
            return None
        at += len(word)
    return at


def _quoted(passage: Passage, question: str, full: bool) -> Iterator[tuple[str, bool]]:
    """The excerpt of a passage, piece by piece, and whether a piece is the answer."""
    text, found = passage.text, None
    if passage.answer is not None:
        found = (passage.answer[0] - passage.start, passage.answer[1] - passage.start)
        found = found if full else (found[0], min(found[1], found[0] + LONGEST))
    start, end = (0, len(text)) if full else _window(text, found, question)
    here, there = found or (end, end)
    shape = _with_line_breaks if full else _on_one_line
    yield ("…" if start > 0 else "") + shape(text[start:here]).lstrip(), False
    if found:
        yield shape(text[here:there]), True
    yield shape(text[there:end]).rstrip() + ("…" if end < len(text.rstrip()) else ""), False


def _window(text: str, found: Span | None, question: str) -> Span:
    """The span of the excerpt: around the answer, or where most of the question's words are, in whole words.

    An answer of up to `LONGEST` characters is quoted whole.
    """
    if len(text) <= EXCERPT:
        return 0, len(text)
    if found is None:
        start = min(_densest(text, question), len(text) - EXCERPT)
        found = (start + EXCERPT // 2,) * 2
    else:
        start = max(0, min(found[0], sum(found) // 2 - EXCERPT // 2, len(text) - EXCERPT))
    end = min(len(text), max(start + EXCERPT, found[1]))
    if start and (gap := re.compile(r"\s").search(text, start, min(found[0], start + WORD))):
        start = gap.end()
    if end < len(text) and (gap := re.compile(r"\s\S*\Z").search(text, max(found[1], end - WORD), end)):
        end = gap.start()
    return start, end


def _densest(text: str, question: str) -> int:
    """The start of the stretch that has most of the question's words, the first of equals."""
    wanted = {term for _, term in _terms(question)} - _COMMON
    hits = [(start, term) for start, term in _terms(text) if term in wanted]
    best, most = 0, 0
    for begin, _ in hits:
        words = len({word for at, word in hits if begin <= at < begin + EXCERPT - 2 * WORD})
        if words > most:
            best, most = begin, words
    return max(0, best - WORD)


def _terms(text: str) -> Iterator[tuple[int, str]]:
    """Where each word starts, and its normal form; in scripts without spaces pairs of neighbouring letters."""
    last = (-1, -1, "")
    for start, end, word in longdoc_words.word_spans(text):
        if not longdoc_words.unspaced(word):
            yield start, word
            continue
        if last[1] == start:
            yield last[0], last[2] + word
        last = (start, end, word)


def _on_one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _with_line_breaks(text: str) -> str:
    return text.replace("\r\n", "\n")
