"""Numbers of passages that an answer cites: [2], [1, 3], [1][3], [1-3], [passage 2], 【2】.

Numbers in round brackets (they number lists), numbers over three digits (years), a bracket with a 0 (an interval) and
whatever is in code are not citations. A document has brackets of its own, for its references. They are told apart so:

- in quotation marks, or in a block quote, that a passage has word for word, brackets are the document's;
- elsewhere the number of a passage that was shown is a citation;
- any other number is the document's where a passage has the same bracket, and else a wrong one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.records import Span

_DIGITS = r"[0-9０-９]{1,3}"
_WORD = r"(?:(?:passages?|sources?|documents?|nos?\.|#|\^)\s*)?"
_DASH = "-‐‑‒–—"
_BETWEEN = rf"\s*(?:[,;，、&]|\band\b|[{_DASH}])\s*"
_BRACKET = re.compile(
    rf"[\[【［]\s*{_WORD}({_DIGITS}(?:{_BETWEEN}{_WORD}{_DIGITS})*)\s*(?:†[^\]】］]*)?[\]】］]", re.IGNORECASE
)
_NUMBERS = re.compile(rf"({_DIGITS})(?:\s*[{_DASH}]\s*({_DIGITS}))?")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_IN_PARAGRAPH = r"(?:[^{0}\n]|\n(?!\s*\n))*"
_QUOTES = [
    re.compile(begin + _IN_PARAGRAPH.format(end) + end)
    for begin, end in (('"', '"'), ("“", "”"), ("„", "[“”]"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』"))
]
_BLOCK_QUOTE = re.compile(r"^ {0,3}>.*(?:\n {0,3}>.*)*", re.MULTILINE)
_LINK = re.compile(r"\b(?:and|or|see|from|in|the|answer|passages?|sources?|documents?)\b", re.IGNORECASE)
_SAYING = re.compile(r"\w")
_AROUND = ' \t\n"“”„«»「」『』.,;:…'


@dataclass(frozen=True, slots=True)
class CitedNumbers:
    """What an answer cites: `numbers` of passages, each once, in its order; `wrong` are brackets of no passage."""

    numbers: tuple[int, ...]
    wrong: tuple[str, ...]


def cited_numbers(answer: str, passages: Sequence[str], shown_numbers: Sequence[int]) -> CitedNumbers:
    """The numbers in brackets of an answer; `passages` are all texts in order, `shown_numbers` those shown."""
    shown = set(shown_numbers)
    texts = [_folded(text) for text in passages]
    quoted_spans = _quoted_spans(answer, texts)
    numbers: dict[int, None] = {}
    wrong: dict[str, None] = {}
    for match in _BRACKET.finditer(answer):
        if any(start <= match.start() < end for start, end in quoted_spans):
            continue
        bracket_numbers = _numbers(match[1])
        if 0 in bracket_numbers:
            continue
        if not shown.issuperset(bracket_numbers):
            if any(_folded(match[0]) in text for text in texts):
                continue
            wrong[match[0]] = None
        numbers |= dict.fromkeys(number for number in bracket_numbers if number in shown)
    return CitedNumbers(tuple(numbers), tuple(wrong))


def without_citations(answer: str) -> str:
    """The answer without numbers in brackets and the white space before them."""
    return re.sub(rf"\s*{_BRACKET.pattern}", "", answer, flags=re.IGNORECASE).strip()


def is_only_citations(answer: str) -> bool:
    """Whether an answer is only numbers in brackets, apart from words such as "and" or "see passage"."""
    return _BRACKET.search(answer) is not None and not _SAYING.search(_LINK.sub("", without_citations(answer)))


def _numbers(inside: str) -> list[int]:
    """The numbers in a bracket, with every number of a range; a falling range gives only its two ends."""
    numbers: list[int] = []
    for first, last in _NUMBERS.findall(inside):
        low, high = int(first), int(last or first)
        numbers += range(low, high + 1) if low <= high else (low, high)
    return numbers


def _quoted_spans(answer: str, passages: Sequence[str]) -> list[Span]:
    """The spans of code and of quotations from a passage; white space and letter case do not count."""
    spans = [match.span() for match in _CODE.finditer(answer)]
    for match in (match for quote in _QUOTES for match in quote.finditer(answer)):
        if _is_in(match[0], passages):
            spans.append(match.span())
    for match in _BLOCK_QUOTE.finditer(answer):
        if _is_in(re.sub(r"^ {0,3}>", "", match[0], flags=re.MULTILINE), passages):
            spans.append(match.span())
    return spans


def _is_in(quotation: str, passages: Sequence[str]) -> bool:
    """Whether a quotation has a numbered bracket and is in a passage."""
    if not _BRACKET.search(quotation):
        return False
    words = _folded(quotation.strip(_AROUND))
    return any(words in text for text in passages)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
