"""The sentences of running text, which a summary may be made of, in document order."""

import re
import unicodedata
from collections.abc import Iterator

from chunkers.shared.words import split_words
from models.baselines._sentences import Sentence, sentences
from models.prompts import Prompt

MIN_WORDS = 4
WORD_SHARE = 0.5  # share of its words that are letters only

_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
_FULL_STOPS = ".!?…。！？؟।॥\u06d4\u1362\u0589\u104b\u17d4\u17d5"
_UNSTOPPED = r"\u0e01-\u0e4e\u0e81-\u0ece"  # letters of Thai and Lao, which write no full stops
_ENDS = re.compile(rf"[{_FULL_STOPS}{_UNSTOPPED}][\"'”’»)\]」』”]*\Z")
_ABBREVIATION = re.compile(r"(?i)\b(?:eqs?|eqns?|figs?|secs?|refs?|chaps?|tabs?|thms?|cf|i\.e|e\.g)\.\Z")
_WORD = re.compile(r"[(\[“‘\"'「『（]?[^\W\d_]+(?:[-’'][^\W\d_]+)*[^\w\s]*\Z")


def prose(prompt: Prompt) -> list[Sentence]:
    """The distinct sentences of the passages, without headings, tables and fragments around formulas.

    A sentence of prose ends as one (and not in "eq."), does not begin with a small letter, and has at least four
    words, half of them of letters alone. Where no sentence is of this kind (tables), all count.
    """
    sentences = {sentence.text: sentence for sentence in _sentences(prompt)}
    return [sentence for sentence in sentences.values() if _is_prose(sentence)] or list(sentences.values())


def _sentences(prompt: Prompt) -> Iterator[Sentence]:
    for part in sorted(prompt.passages, key=lambda part: part.start or 0):
        for paragraph in _PARAGRAPHS.split(part.text):
            yield from sentences(paragraph)


def _is_prose(sentence: Sentence) -> bool:
    text = sentence.text
    if sentence.length < MIN_WORDS or text[0].islower() or not _ENDS.search(text) or _ABBREVIATION.search(text):
        return False
    return sum(map(_is_of_letters, split_words(text))) >= WORD_SHARE * sentence.length


def _is_of_letters(word: str) -> bool:
    """Whether a word has only letters (with combining marks) and punctuation around them."""
    if not word.isascii():
        word = "".join(char for char in word if unicodedata.category(char) not in ("Mn", "Mc", "Me", "Cf"))
    return _WORD.match(word) is not None
