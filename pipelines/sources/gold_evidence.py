"""The field `evidence` of rows: spans of the document, quotations of it, or both.

Accepted are a list of [start, end]; a text or a list of texts; and a list of objects with the text in `content` (or
`text`) and perhaps its place in `start_index` and `end_index` (or `start` and `end`). Texts are looked up in the
document; where one is not at the place that is given, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Document, Example, Span
from pipelines.sources import parsing
from pipelines.sources._quotes import Quotes
from pipelines.sources.warnings import Warnings

ABSENT = "evidence not found in the document"
APPROXIMATE = "evidence found approximately, by 85% of its words in order"
MISPLACED = "answers that are not at their answer_start, so they are not used as evidence"
EMPTY = "empty spans of evidence left out"
MISSING_COUNT = "evidence_missing"  # in an example's meta: how many of its quotations the document does not have
APPROXIMATE_COUNT = (
    "evidence_approximate"  # in an example's meta: how many of its quotations are there but for some words
)
_TEXTS, _STARTS, _ENDS = ("content", "text"), ("start_index", "start"), ("end_index", "end")


@dataclass(frozen=True, slots=True)
class Gold:
    """One piece of evidence as it was given: its span, its text, or both.

    `is_answer`: an answer with its start. It is evidence only there, since a short text occurs in many places.
    """

    span: Span | None
    text: str | None
    is_answer: bool = False


def read(value: Any, location: str) -> tuple[Gold, ...]:
    """The evidence of a row, empty texts left out. Raises `UserError` for anything else."""
    if value is None or value == "":
        return ()
    pieces = [value] if isinstance(value, str) else value if isinstance(value, (list, tuple)) else [None]
    return tuple(gold for gold in (_piece(piece, value, location) for piece in pieces) if gold != Gold(None, ""))


def answer_gold(value: Any, location: str, field: str) -> tuple[Gold, ...]:
    """The evidence in answers with their starts, `{text, answer_start}` as SQuAD has them, or a list of such objects.

    Answers are alternatives, so one is the evidence: that which overlaps the most others, of equals the first. Empty
    where no starts are given. Raises `UserError` for unequal numbers of both.
    """
    pieces = value if isinstance(value, list) else [value]
    answers = [piece for piece in pieces if isinstance(piece, Mapping) and piece.get("answer_start") is not None]
    spans: list[tuple[Span, str]] = []
    for answer in answers:
        texts, starts = (answer.get(name) for name in ("text", "answer_start"))
        texts, starts = ([item] if isinstance(item, (str, int)) else list(item or []) for item in (texts, starts))
        if starts and len(texts) != len(starts):
            raise UserError(
                f"{location}: {field} has {len(texts)} texts and {len(starts)} in answer_start; "
                "give each text its own start"
            )
        for text, start in zip(texts, starts, strict=False):
            if type(start) is int and isinstance(text, str) and text:
                spans.append(((start, start + len(text)), text))
    agreed = agreed_span([span for span, _ in spans])
    return tuple(Gold(span, parsing.clean(text), is_answer=True) for span, text in spans if span == agreed)[:1]


def agreed_span(spans: Sequence[Span]) -> Span | None:
    """The span that overlaps the most of the others, the first in a tie: several annotators' spans of one answer."""

    def overlapping(span: Span) -> int:
        return sum(span[0] < other[1] and other[0] < span[1] for other in spans)

    return max(spans, key=overlapping, default=None)


def are_quotations(value: Any) -> bool:
    """Whether a value is a list of objects with text and place, as the references of chunking evaluations are."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(piece, Mapping) and "content" in piece and "start_index" in piece for piece in value)
    )


class Places:
    """Finds the evidence of examples in their document, which is normalized at most once."""

    def __init__(self, document: Document, warnings: Warnings) -> None:
        self._document, self._warnings = document, warnings
        self._quotes: Quotes | None = None

    def located(self, example: Example, gold: Sequence[Gold], location: str) -> Example:
        """The example with its document and the spans of its evidence; `meta` counts what was not found exactly.

        Raises `UserError` for a span outside of the document that has no text.
        """
        spans, missing, approximate = list[Span](), 0, 0
        for piece in gold:
            if piece.is_answer:
                spans += self._answer_spans(piece, location)
                continue
            piece_spans, is_complete, is_approximate = self._located_spans(piece, location)
            spans += piece_spans
            missing += not is_complete
            approximate += is_approximate
            self._warnings.add_total(ABSENT, 1)
            self._warnings.add_total(APPROXIMATE, 1)
            if is_approximate:
                self._warnings.count(APPROXIMATE, location)
            if not is_complete:
                self._warnings.count(ABSENT, location)
        counts = {name: count for name, count in ((MISSING_COUNT, missing), (APPROXIMATE_COUNT, approximate)) if count}
        meta = {**example.meta, **counts} if counts else example.meta
        return replace(example, document=self._document, evidence=tuple(spans), meta=meta)

    def _answer_spans(self, answer: Gold, location: str) -> list[Span]:
        """The span of an answer with its start; empty, with a warning, if the document has another text there."""
        self._warnings.add_total(MISPLACED, 1)
        text, span, quotation = self._document.text, answer.span or (0, 0), answer.text or ""
        if 0 <= span[0] < span[1] <= len(text):
            if text[slice(*span)] == quotation:  # as nearly always, and a document need not be normalized for it
                return [span]
            self._quotes = self._quotes or Quotes(text)
            if self._quotes.has(span, quotation):
                return [span]
        self._warnings.count(MISPLACED, location)
        return []

    def _located_spans(self, gold: Gold, location: str) -> tuple[list[Span], bool, bool]:
        """The spans of a piece of evidence, whether all of it was found, and whether some approximately."""
        length = len(self._document.text)
        is_inside = gold.span is not None and 0 <= gold.span[0] <= gold.span[1] <= length
        if gold.text is None:
            start, end = gold.span or (0, 0)
            if not is_inside:
                raise UserError(
                    f"{location}: evidence [{start}, {end}] is not within the document's {length:,} "
                    "characters: give [start, end] in it"
                )
            if start == end:
                self._warnings.count(EMPTY, location)
            return ([(start, end)] if start < end else []), True, False
        self._quotes = self._quotes or Quotes(self._document.text)
        if gold.span is not None and is_inside and self._quotes.has(gold.span, gold.text):
            return [gold.span], True, False
        return self._quotes.find(gold.text)


def _piece(piece: Any, value: Any, location: str) -> Gold:
    if isinstance(piece, str):
        return Gold(None, parsing.clean(piece).strip())
    if isinstance(piece, Mapping):
        text = next((piece[name] for name in _TEXTS if isinstance(piece.get(name), str)), None)
        start, end = (next((piece[n] for n in names if piece.get(n) is not None), None) for names in (_STARTS, _ENDS))
        span = _span([start, end])
        if text is not None or span is not None:
            return Gold(span, None if text is None else parsing.clean(text).strip() or "")
    elif (span := _span(piece)) is not None:
        return Gold(span, None)
    shown = repr(value)
    raise UserError(
        f"{location}: evidence must be a list of [start, end], of texts, or of objects with content, start_index and "
        f"end_index; got {shown[:100]}{'…' if len(shown) > 100 else ''}"
    )


def _span(value: Any) -> Span | None:
    if isinstance(value, (list, tuple)) and len(value) == 2 and all(type(edge) is int for edge in value):
        return value[0], value[1]
    return None
