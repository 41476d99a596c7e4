"""The records of a run: documents, examples and predictions."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from chunkers import Layout
from longdoc import checked_json
from models.prompts import Part, Prompt
from models.refusals import UNANSWERABLE

__all__ = ["Document", "Example", "Part", "Prediction", "Prompt", "Span"]

Span = tuple[int, int]

NO_ANSWER = ("",)  # the references of an unanswerable question, as in SQuAD 2.0


def is_unanswerable(references: Sequence[str]) -> bool:
    """Whether the references say that the question has no answer. (No references say that the data lack it.)"""
    return tuple(references) == NO_ANSWER


def references_text(references: Sequence[str]) -> tuple[str, ...]:
    """The references to show and to learn: the word "Unanswerable" where the question has no answer."""
    return (UNANSWERABLE,) if is_unanswerable(references) else tuple(references)


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its title and metadata. Positions everywhere are code points of `text`."""

    id: str
    text: str
    title: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def layout(self) -> Layout:
        """The places of headings and tables, as far as the format of the document's file has them."""
        layout: Layout = self.meta.get("layout", Layout())
        return layout


@dataclass(frozen=True, slots=True)
class Example:
    """A query about a document, or a task on it, with its references.

    `references` are the accepted outputs: empty where the data have none, `NO_ANSWER` where the question has no answer.
    `evidence` are gold spans of the document.
    """

    id: str
    document: Document
    query: str = ""
    references: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    evidence: tuple[Span, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prediction:
    """The prediction for one example: one line of `predictions.jsonl`.

    `selected` are the spans (start, end, score) that the retriever chose, in the order shown; `shown_spans` the spans
    left after truncation; `truncated_tokens` the removed prompt tokens. `notes` are the strategy's further outputs and
    remarks by name; `statistics` the rows of the metrics. `outputs` counts the model's outputs that are "ended at
    length", "empty", "refused" or "filled by thinking", that have "no label", "no author" or "no count" though one was
    asked for, and the "lines lost"; only kinds that occur. `passages` counts, by retriever, passages over its encoder's
    limit (`pipelines.results.over_limit`); empty where none has a limit. `request_digest` is equal for examples of two
    runs whose readers are equal and were shown the same, request by request; empty where there was no request.
    `evidence` counts characters of the gold evidence that are not white space: all ("characters"), those "in_chunks",
    in chunks "ranked" high enough, "selected", and "shown", and how many of them a budget of words, of tokens or of `k`
    chunks holds at most ("budget", where there is one); and the "chunks" that hold any, the "best_rank" and
    "worst_rank" of these (from 1), how many ranked chunks were "taken", and how many gold spans are "missing" in the
    document. Empty where there is none. `shown_words` is the number of words that were shown, headings included; None
    where it is not known.
    `cached_tokens` of `tokens_in` were read from a server's cache, `cache_write_tokens` were written to it.
    `thinking` counts the "words" that the model thought before its outputs, as far as they were sent, and their
    "tokens" where the server counts them; empty where there were none.
    `choice` has the places, from 1, of the option that the prediction names ("chosen") and of the "right" one; empty
    where the example has no options, or one of the two is not known.
    """

    id: str
    document: str
    query: str
    references: tuple[str, ...]
    prediction: str
    selected: tuple[tuple[int, int, float], ...]
    shown_spans: tuple[Span, ...]
    requests: int
    tokens_in: int
    tokens_out: int
    truncated_tokens: int
    notes: Mapping[str, str] = field(default_factory=dict)
    statistics: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    outputs: Mapping[str, int] = field(default_factory=dict)
    passages: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    request_digest: str = ""
    evidence: Mapping[str, int] = field(default_factory=dict)
    shown_words: int | None = None
    thinking: Mapping[str, int] = field(default_factory=dict)
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    choice: Mapping[str, int] = field(default_factory=dict)


PREDICTION_FIELDS = tuple(field.name for field in fields(Prediction))
_RARE = ("thinking", "cached_tokens", "cache_write_tokens", "choice")  # written only where they are not empty

CHOICE = ("chosen", "right")  # the keys of `Prediction.choice`
MOST_OPTIONS = 26  # as many as there are letters

NO_LABEL, NO_AUTHOR, NO_COUNT = "no label", "no author", "no count"  # kinds of outputs that strategies count
ORDERS = "orders"  # the note with the answer to each order of the options, a list in JSON
LOST_TEXT = "lines lost"  # lines of a document without an output, though they were asked for one by one

_ROWS: dict[str, Mapping[str, float]] = {}  # rows of metrics that predictions share, by their `repr`
MOST_ROWS = 10_000  # in `_ROWS`


def shared_rows(rows: Mapping[str, Mapping[str, float]]) -> dict[str, Mapping[str, float]]:
    """The rows of metrics in less memory: equal rows become one object, and equal names of columns too.

    Most examples have few different rows (0 or 100, no evidence), and rows are half of a prediction's size.
    """
    return {sys.intern(name): _shared(row) for name, row in rows.items()}


def _shared(row: Mapping[str, float]) -> Mapping[str, float]:
    """The first row that was written like this one."""
    key = repr(row)  # 0, 0.0 and -0.0 are equal, but are written into files differently
    if (shared := _ROWS.get(key)) is None:
        if len(_ROWS) >= MOST_ROWS:
            _ROWS.clear()
        shared = _ROWS[key] = {sys.intern(name): value for name, value in row.items()}
    return shared


def prediction_of(record: Mapping[str, Any]) -> Prediction:
    """A prediction from its line in `predictions.jsonl` or `journal.jsonl`; other keys are ignored.

    Raises `Malformed` for an invalid one.
    """
    check_prediction(record)
    return checked_prediction(record)


def checked_prediction(record: Mapping[str, Any]) -> Prediction:
    """A prediction from a line that passes `check_prediction`."""
    values = {name: record[name] for name in PREDICTION_FIELDS if name in record}
    values["references"] = tuple(values["references"])
    values["selected"] = tuple(tuple(span) for span in values["selected"])
    values["shown_spans"] = tuple(tuple(span) for span in values["shown_spans"])
    values["statistics"] = shared_rows(values.get("statistics", {}))
    return Prediction(**values)


def record_of(prediction: Prediction) -> dict[str, Any]:
    """The line of a prediction in `predictions.jsonl`; the fields `_RARE` only where they are not empty."""
    values = ((name, getattr(prediction, name)) for name in PREDICTION_FIELDS)  # no copies, unlike dataclasses.asdict
    return {name: value for name, value in values if value or name not in _RARE}


PASSAGES_NAMES = ("passages", "over", "tokens", "beyond")
QUERIES_NAMES = ("queries", "queries_over", "queries_beyond")


def _is_passages(counts: Any) -> bool:
    """Whether a value from a file has one retriever's counts of long passages."""
    return (
        isinstance(counts, Mapping)
        and all(
            isinstance(counts.get(name), int) and counts[name] >= 0
            for name in ("limit", *PASSAGES_NAMES, *QUERIES_NAMES)
        )
        and isinstance(counts.get("long"), str)
    )


def _is_choice(places: Any) -> bool:
    """Whether a value from a file has the places of options, or is empty."""
    return isinstance(places, Mapping) and (
        not places or all(isinstance(places.get(name), int) and 1 <= places[name] <= MOST_OPTIONS for name in CHOICE)
    )


EVIDENCE_COUNTS = (
    "characters", "missing", "in_chunks", "ranked", "selected", "shown", "chunks", "best_rank", "worst_rank", "taken",
)  # fmt: skip


def _is_evidence(counts: Any) -> bool:
    """Whether a value from a file has counts of gold evidence: all of them if it has the number of characters."""
    are_counts = isinstance(counts, Mapping) and all(isinstance(count, int) and count >= 0 for count in counts.values())
    return are_counts and ("characters" not in counts or counts.keys() >= set(EVIDENCE_COUNTS))


FIELDS = {
    **dict.fromkeys(("id", "document", "query", "prediction"), checked_json.text),
    **dict.fromkeys(("requests", "tokens_in", "tokens_out", "truncated_tokens"), checked_json.count),
    "references": checked_json.each_item(checked_json.text),
    "selected": checked_json.each_item(checked_json.row(checked_json.count, checked_json.count, checked_json.number)),
    "shown_spans": checked_json.each_item(checked_json.row(checked_json.count, checked_json.count)),
}


OPTIONAL = {
    "notes": checked_json.mapping(checked_json.text),
    "statistics": checked_json.mapping(checked_json.mapping(checked_json.number)),
    "outputs": checked_json.mapping(checked_json.count),
    "passages": checked_json.mapping(_is_passages),
    "request_digest": checked_json.text,
    "evidence": _is_evidence,
    "shown_words": checked_json.maybe(checked_json.count),
    "thinking": checked_json.mapping(checked_json.count),
    **dict.fromkeys(("cached_tokens", "cache_write_tokens"), checked_json.count),
    "choice": _is_choice,
}


def check_prediction(record: Any) -> None:
    """Raise `Malformed` for a record that is not a prediction's; other fields are ignored."""
    checked_json.check(record, FIELDS, OPTIONAL)
