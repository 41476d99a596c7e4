"""Which label of a closed set a model's reply names: alone, on a line of its own, in JSON, or in a sentence.

Labels are compared as words (`longdoc.words`), so markup, quotes, case, hyphens and the spaces around a slash do not
count. A label within a longer one is not named by it. Of several labels the one that the reply calls its answer counts.
A label that a sentence denies, asks about, or that the model says it cannot decide on is not named.
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

LONGEST = 20_000  # characters of a reply that are read, from its end: bounds the time for what a model may say
CLOSE = 400  # characters around a label that are looked at
LEAST_LETTERS = 3  # of a part of a label that stands for it: "Hero" for "Hero/Protagonist", but no "N" for "N/A"
ARTICLES = frozenset(("a", "an", "the"))

_NOUN = r"(?:answer|label|class|category|type|choice|verdict|classification)"
_LEAD = re.compile(
    rf"^\W*(?:so|thus|therefore|hence)?,?\s*(?:(?:the|my|this)\s+)?(?:\w+\s+)?{_NOUN}\W*?(?:\s+is\b|[:=])+\s*",
    re.IGNORECASE,
)
_STATED_PATTERN = re.compile(rf"\b{_NOUN}\b\W*?(?:\s+(?:is|would be)\b|[:=])\W*(?:(?:a|an|the)\s+)?\W*$", re.IGNORECASE)
_CLAUSE = re.compile(r"[.!?;:\n。！？；：؟।]|\b(?:but|however|so|therefore|thus|hence|yet)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?\n。！？؟।]")
_NEGATED = re.compile(
    r"(?:\b(?:not|no|nor|neither|never|cannot be|rather than|instead of)|n't)"
    r"(?: (?:that|clear|clearly|really|necessarily|a|an|the))*\W*$",
    re.IGNORECASE,
)
_DOUBT_PATTERN = re.compile(
    r"\b(?:can(?:no|')t|can not|could(?: not|n't)) (?:\w+ )?(?:say|tell|determine|decide|judge|answer|identify|classify"
    r"|assess|know|confirm|be sure|be certain|provide|help|assign|choose|conclude|make)\b"
    r"|\b(?:unable|impossible|hard|difficult) to\b|\b(?:insufficient|unclear|decline|refuse)\b"
    r"|\bnot (?:enough|sufficient|possible|sure|certain|clear)\b|\bdo(?: not|n't) (?:know|have)\b",
    re.IGNORECASE,
)
_KEYS = frozenset(("answer", "label", "class", "category", "type", "choice"))
_AROUND = " \t\r\n*_~`\"'“”‘’«»„「」『』<>()[]{}|.,;:!•-–—\\$。，；：！"


def label_of(reply: str, labels: Sequence[str]) -> str | None:
    """The one label that a reply names; None where it names none, or several without saying which one is meant."""
    names = _names(tuple(labels))
    text = reply.strip()
    if text in names.exact:
        return text
    text = _json_text(text)[-LONGEST:].replace("’", "'")
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    leads = [_LEAD.sub("", line) for line in lines]
    stated_names = [lead for line, lead in zip(lines, leads, strict=True) if lead != line]
    for candidates in (stated_names, leads):
        if alone_names := {label for line in candidates if (label := names.label_of(line)) is not None}:
            return _only_text(alone_names)
    for table in (names.labels, names.parts):
        if mentions := list(_mentions(text, names, table)):
            meant_mentions = [mention for mention in mentions if _is_meant(text, mention)]
            called = {mention.label for mention in meant_mentions if _STATED_PATTERN.search(_before(text, mention))}
            return _only_text(called) if called else _only_text({mention.label for mention in meant_mentions})
    return None


@dataclass(frozen=True, slots=True)
class _Mention:
    """A place of the reply with the words of a label."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Names:
    """The labels by their spellings: to the letter, in one case, as words, and by the parts that slashes divide.

    A spelling that two labels share stands for neither.
    """

    exact: frozenset[str]
    folded_labels: Mapping[str, str]
    labels: Mapping[Words, str]
    parts: Mapping[Words, str]
    with_articles: bool
    lengths: Sequence[int]  # how many words labels have, the longest first

    def label_of(self, text: str) -> str | None:
        """The label that is all of a text."""
        if (label := self.folded_labels.get(_folded_text(text))) is not None:
            return label
        key = tuple(word for word in words(text) if self.with_articles or word not in ARTICLES)
        return self.labels.get(key) or self.parts.get(key)


@lru_cache(maxsize=16)
def _names(labels: tuple[str, ...]) -> _Names:
    with_articles = any(set(words(label)) <= ARTICLES for label in labels)
    keys = {label: tuple(w for w in words(label) if with_articles or w not in ARTICLES) for label in labels}
    pieces = [(tuple(words(piece)), label) for label in labels if "/" in label for piece in label.split("/")]
    whole_values = _unshared((key, label) for label, key in keys.items())
    taken_pairs = set(keys.values())
    parts = _unshared(
        (key, label) for key, label in pieces if key not in taken_pairs and len("".join(key)) >= LEAST_LETTERS
    )
    lengths = sorted({len(key) for key in (*whole_values, *parts)}, reverse=True)
    folded_values = _unshared((_folded_text(label), label) for label in labels)
    return _Names(frozenset(labels), folded_values, whole_values, parts, with_articles, lengths)


def _unshared(pairs: Any) -> dict[Any, str]:
    """Each key with its label; keys of two labels, and empty ones, are left out."""
    labels: dict[Any, set[str]] = {}
    for key, label in pairs:
        labels.setdefault(key, set()).add(label)
    return {key: next(iter(names)) for key, names in labels.items() if key and len(names) == 1}


def _folded_text(text: str) -> str:
    """In one case and one normal form, without marks around it."""
    return " ".join(unicodedata.normalize("NFKC", text).strip(_AROUND).casefold().split())


def _only_text(labels: set[str]) -> str | None:
    return next(iter(labels)) if len(labels) == 1 else None


def _mentions(text: str, names: _Names, table: Mapping[Words, str]) -> Iterator[_Mention]:
    """The places with a label's words, the longest label at each."""
    spans = [span for span in word_spans(text) if names.with_articles or span[2] not in ARTICLES]
    position = 0
    while position < len(spans):
        for length in names.lengths:
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
    """Whether a place has another word than the label: one joined to it by a hyphen ("non-fiction"), or "a" for "A"."""
    joined = re.search(r"\w-$", text[max(start - 2, 0) : start]) or re.match(r"-\w", text[end : end + 2])
    return bool(joined) or (len(label) == 1 and text[start:end] != label)


def _before(text: str, mention: _Mention) -> str:
    return text[max(mention.start - CLOSE, 0) : mention.start]


def _is_meant(text: str, mention: _Mention) -> bool:
    """Whether the sentence around a mention affirms it."""
    before = _before(text, mention)
    clause = before[max((match.end() for match in _CLAUSE.finditer(before)), default=0) :]
    end = _SENTENCE_END.search(text, mention.end, mention.end + CLOSE)
    asks = end is not None and end[0] in "?？؟"
    return not (asks or _NEGATED.search(clause) or _DOUBT_PATTERN.search(clause))


def _json_text(text: str) -> str:
    """The label in a reply that is JSON, perhaps between the marks of a block of code; any other reply as it is."""
    start, end = min((position for mark in "{[" if (position := text.find(mark)) >= 0), default=-1), text.rstrip("`\n ")
    if start < 0 or not end.endswith(("}", "]")) or text[:start].strip("`\n ").lower() not in ("", "json"):
        return text
    try:
        value = json.loads(end[start:], object_pairs_hook=_fields)
    except (ValueError, RecursionError):
        return text
    while isinstance(value, (list, dict)) and len(value) == 1:
        value = value[0] if isinstance(value, list) else next(iter(value.values()))
    if isinstance(value, dict):
        answers = [answer for key, answer in value.items() if key.lower() in _KEYS]
        value = answers[0] if len(answers) == 1 else None
    return value if isinstance(value, str) else text


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a field is given twice, so there are two answers")
    return dict(pairs)
