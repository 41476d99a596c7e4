"""The sentences that a summary may be made of: those of running text, in document order."""

import re
from collections.abc import Iterator

from models.baselines._sentences import Sentence, sentences
from models.prompts import Prompt

LEAST = 4  # words
SHARE = 0.5  # of its words, that are words

_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
_ENDS = re.compile(r"[.!?…。！？؟।][\"'”’»)\]」』”]*\Z")
_BROKEN = re.compile(r"(?i)\b(?:eqs?|eqns?|figs?|secs?|refs?|chaps?|tabs?|thms?|cf|i\.e|e\.g)\.\Z")
_WORD = re.compile(r"[(\[“‘\"']?[^\W\d_]+(?:[-’'][^\W\d_]+)*[^\w\s]*\Z")


def prose(prompt: Prompt) -> list[Sentence]:
    """The sentences of the passages, each once, without headings, tables and what formulas break off.

    A sentence of prose ends as one (and not in "eq."), does not begin with a small letter, and has at least four
    words, half of them of letters alone. Where no sentence is of this kind (scripts without spaces, tables), all count.
    """
    found = {sentence.text: sentence for sentence in _sentences(prompt)}
    return [one for one in found.values() if _is_prose(one)] or list(found.values())


def _sentences(prompt: Prompt) -> Iterator[Sentence]:
    for part in sorted(prompt.passages, key=lambda part: part.start or 0):
        for paragraph in _PARAGRAPHS.split(part.text):
            yield from sentences(paragraph)


def _is_prose(sentence: Sentence) -> bool:
    text = sentence.text
    if sentence.length < LEAST or text[0].islower() or not _ENDS.search(text) or _BROKEN.search(text):
        return False
    return sum(bool(_WORD.match(word)) for word in text.split(" ")) >= SHARE * sentence.length
