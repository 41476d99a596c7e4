"""Finds the label of a closed set in a model's reply: alone, on its own line, in JSON, or in a sentence.

Labels are compared as words (`longdoc.words`), so markup, quotes, case, hyphens and the spaces around a slash do not
matter. A longer label does not name a shorter one in it. Of several labels the one that the reply calls its answer
counts. A label that a sentence denies or asks about, or that the model says it cannot decide on, is not named.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from longdoc.words import word_spans, words

Words = tuple[str, ...]

LONGEST = 20_000  # characters of a reply that are read, from its end, which bounds the time
CLOSE = 400  # characters before and after a label that are read
LEAST_LETTERS = 3  # of a part of a label that stands for it: "Hero" for "Hero/Protagonist", but not "N" for "N/A"
ARTICLES = frozenset(("a", "an", "the"))

_NOUN = r"(?:answer|label|class|category|type|choice|verdict|classification)"
_LEAD = re.compile(
    rf"^\W*(?:so|thus|therefore|hence)?,?\s*(?:(?:the|my|this)\s+)?(?:\w+\s+)?{_NOUN}\W*?(?:\s+is\b|[:=])+\s*",
    re.IGNORECASE,
)
_STATED = re.compile(rf"\b{_NOUN}\b\W*?(?:\s+(?:is|would be)\b|[:=])\W*(?:(?:a|an|the)\s+)?\W*$", re.IGNORECASE)
_CLAUSE = re.compile(r"[.!?;:\n。！？；：؟।]|\b(?:but|however|so|therefore|thus|hence|yet)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?\n。！？؟।]")
_NEGATED = re.compile(
    r"(?:\b(?:not|no|nor|neither|never|cannot be|rather than|instead of)|n't)"
    r"(?: (?:that|clear|clearly|really|necessarily|a|an|the))*\W*$",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:can(?:no|')t|can not|could(?: not|n't)) (?:\w+ )?(?:say|tell|determine|decide|judge|answer|identify|classify"
    r"|assess|know|confirm|be sure|be certain|provide|help|assign|choose|conclude|make)\b"
    r"|\b(?:unable|impossible|hard|difficult) to\b|\b(?:insufficient|unclear|decline|refuse)\b"
    r"|\bnot (?:enough|sufficient|possible|sure|certain|clear)\b|\bdo(?: not|n't) (?:know|have)\b",
    re.IGNORECASE,
)
_KEYS = frozenset(("answer", "label", "class", "category", "type", "choice"))
_AROUND = " \t\r\n*_~`\"'“”‘’«»„「」『』<>()[]{}|.,;:!•-–—\\$。，；：！"


def label_of(reply: str, labels: Sequence[str]) -> str | None:
    """The label that a reply names; None for no label, or for several without a stated answer."""
    spellings = _spellings_of(tuple(labels))
    text = reply.strip()
    if text in spellings.exact:
        return text
    text = _json_text(text)[-LONGEST:].replace("’", "'")
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    leads = [_LEAD.sub("", line) for line in lines]
    stated = [lead for line, lead in zip(lines, leads, strict=True) if lead != line]
    for candidates in (stated, leads):
        if labels_alone := {label for line in candidates if (label := spellings.label_of(line)) is not None}:
            return _only(labels_alone)
    for table in (spellings.labels, spellings.parts):
        if mentions := list(_mentions(text, spellings, table)):
            meant = [mention for mention in mentions if _is_meant(text, mention)]
            stated_labels = {mention.label for mention in meant if _STATED.search(_before(text, mention))}
            return _only(stated_labels) if stated_labels else _only({mention.label for mention in meant})
    return None


@dataclass(frozen=True, slots=True)
class _Mention:
    """A mention of a label in the reply, at [start, end)."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Spellings:
    """Labels by their spellings: exact, case-folded, as words, and by their parts between slashes.

    A spelling that two labels share maps to neither.
    """

    exact: frozenset[str]
    folded_labels: Mapping[str, str]
    labels: Mapping[Words, str]
    parts: Mapping[Words, str]
    with_articles: bool
    lengths: Sequence[int]  # in words, of labels and their parts, the longest first

    def label_of(self, text: str) -> str | None:
        """The label whose spelling is the whole text; None where there is none."""
        if (label := self.folded_labels.get(_folded(text))) is not None:
            return label
        key = tuple(word for word in words(text) if self.with_articles or word not in ARTICLES)
        return self.labels.get(key) or self.parts.get(key)


@lru_cache(maxsize=16)
def _spellings_of(labels: tuple[str, ...]) -> _Spellings:
    """The spellings of labels, made once for each set."""
    with_articles = any(set(words(label)) <= ARTICLES for label in labels)
    keys = {label: tuple(w for w in words(label) if with_articles or w not in ARTICLES) for label in labels}
    pieces = [(tuple(words(piece)), label) for label in labels if "/" in label for piece in label.split("/")]
    whole_labels = _unambiguous((key, label) for label, key in keys.items())
    whole_keys = set(keys.values())
    parts = _unambiguous(
        (key, label) for key, label in pieces if key not in whole_keys and len("".join(key)) >= LEAST_LETTERS
    )
    lengths = sorted({len(key) for key in (*whole_labels, *parts)}, reverse=True)
    folded_labels = _unambiguous((_folded(label), label) for label in labels)
    return _Spellings(frozenset(labels), folded_labels, whole_labels, parts, with_articles, lengths)


def _unambiguous(pairs: Any) -> dict[Any, str]:
    """The label of each key, without empty keys and keys of two labels."""
    labels_by_key: dict[Any, set[str]] = {}
    for key, label in pairs:
        labels_by_key.setdefault(key, set()).add(label)
    return {key: next(iter(labels)) for key, labels in labels_by_key.items() if key and len(labels) == 1}


def _folded(text: str) -> str:
    """The text case-folded and in Unicode normal form, without surrounding marks."""
    return " ".join(unicodedata.normalize("NFKC", text).strip(_AROUND).casefold().split())


def _only(labels: set[str]) -> str | None:
    return next(iter(labels)) if len(labels) == 1 else None


def _mentions(text: str, spellings: _Spellings, table: Mapping[Words, str]) -> Iterator[_Mention]:
    """The mentions of labels in a text; where several begin at one word, the longest."""
    spans = [span for span in word_spans(text) if spellings.with_articles or span[2] not in ARTICLES]
    position = 0
    while position < len(spans):
        for length in spellings.lengths:
            if position + length > len(spans):
                continue
            label = table.get(tuple(word for _, _, word in spans[position : position + length]))
            start, end = spans[position][0], spans[position + length - 1][1]
            if label is not None and not _is_another(text, start, end, label):
                yield _Mention(label, start, end)
                position += length
                break
        else:
            position += 1


def _is_another(text: str, start: int, end: int, label: str) -> bool:
    """Whether the word at [start, end) is not the label: hyphenated ("non-fiction"), or "a" for the label "A"."""
    is_hyphenated = re.search(r"\w-$", text[max(start - 2, 0) : start]) or re.match(r"-\w", text[end : end + 2])
    return bool(is_hyphenated) or (len(label) == 1 and text[start:end] != label)


def _before(text: str, mention: _Mention) -> str:
    """The text before a mention, as far as it is read."""
    return text[max(mention.start - CLOSE, 0) : mention.start]


def _is_meant(text: str, mention: _Mention) -> bool:
    """Whether the sentence around a mention affirms the label: no question, negation or doubt."""
    before = _before(text, mention)
    clause = before[max((match.end() for match in _CLAUSE.finditer(before)), default=0) :]
    end = _SENTENCE_END.search(text, mention.end, mention.end + CLOSE)
    is_question = end is not None and end[0] in "?？؟"
    return not (is_question or _NEGATED.search(clause) or _DOUBT.search(clause))


def _json_text(text: str) -> str:
    """The label in a JSON reply, which may be in a code block; any other reply unchanged."""
    start = min((position for mark in "{[" if (position := text.find(mark)) >= 0), default=-1)
    stripped = text.rstrip("`\n ")
    if start < 0 or not stripped.endswith(("}", "]")) or text[:start].strip("`\n ").lower() not in ("", "json"):
        return text
    try:
        value = json.loads(stripped[start:], object_pairs_hook=_fields)
    except (ValueError, RecursionError):
        return text
    while isinstance(value, (list, dict)) and len(value) == 1:
        value = value[0] if isinstance(value, list) else next(iter(value.values()))
    if isinstance(value, dict):
        answers = [answer for key, answer in value.items() if key.lower() in _KEYS]
        value = answers[0] if len(answers) == 1 else None
    return value if isinstance(value, str) else text


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object. Raises `ValueError` for a field that is given twice."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a field is given twice, so there are two answers")
    return dict(pairs)
