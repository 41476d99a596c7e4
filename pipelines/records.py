"""The records of a run: documents, examples and predictions."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from chunkers import Layout
from longdoc import record_checks
from models.prompts import Part, Prompt
from models.refusals import UNANSWERABLE

__all__ = ["Document", "Example", "Part", "Prediction", "Prompt", "Span"]

Span = tuple[int, int]

NO_ANSWER = ("",)  # the references of an unanswerable question: as SQuAD 2.0 has them


def is_unanswerable(references: Sequence[str]) -> bool:
    """Whether these are the references of a question that has no answer, not those of one whose answer is missing."""
    return tuple(references) == NO_ANSWER


def references_text(references: Sequence[str]) -> tuple[str, ...]:
    """The references as they are shown and learned: the word for those of an unanswerable question."""
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
        """Where headings and tables are, as far as the format of the document's file says so."""
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
    length", "empty", "refused" or "filled by thinking", or have "no label", "no author" or "no count", where such were
    to be written, and the "lines lost"; of an agent's "no call", "not looked", "malformed call", "repeated call",
    "several calls" and "out of budget"; those that occur. `passages` counts, by retriever,
    passages over its encoder's limit (`pipelines.results.over_limit`); empty where none has a limit. `request_digest`
    is equal for examples of two runs whose readers are alike and were shown the same, request by request; empty where
    there was no request.
    `evidence` counts characters of the gold evidence that are not white space: all ("characters"), those "in_chunks",
    in chunks "ranked" high enough, "selected", and "shown", and how many of them a budget of words, of tokens or of `k`
    chunks holds at most ("budget", where there is one); and the "chunks" that hold any, the "best_rank" and
    "worst_rank" of these (from 1), how many ranked chunks were "taken", and how many gold spans are "missing" in the
    document. Empty where there is none. `shown_words` are the words that were shown, headings counted; None where it is
    not known.
    `cached_tokens` of `tokens_in` were read from a server's cache, `cache_write_tokens` were written to it.
    `thinking` are the "words" that the model thought before its outputs, as far as they came along, and the "tokens" of
    them, where its server counts them; empty where there was none.
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
_RARE = ("thinking", "cached_tokens", "cache_write_tokens", "choice")  # written only where there is any

CHOICE = ("chosen", "right")  # of `Prediction.choice`
MOST_OPTIONS = 26  # that have letters

NO_LABEL, NO_AUTHOR, NO_COUNT = "no label", "no author", "no count"  # kinds of outputs that strategies find
NO_CALL, MALFORMED_CALL = "no call", "malformed call"  # kinds of replies of an agent
NOT_LOOKED = "not looked"
REPEATED_CALL, SEVERAL_CALLS = "repeated call", "several calls"
OUT_OF_BUDGET = "out of budget"
ORDERS = "orders"  # the note with the answer to each order of the options, a list in JSON
LOST_TEXT = "lines lost"  # lines of a document without an output, though they were asked for one by one

_ROWS: dict[str, Mapping[str, float]] = {}  # rows of metrics that predictions share, by how they are written
MOST_ROWS = 10_000


def shared_rows(rows: Mapping[str, Mapping[str, float]]) -> dict[str, Mapping[str, float]]:
    """Rows of metrics in less memory: predictions share equal ones, and others share the names of their columns.

    Most examples have few different rows (0 or 100, no evidence), and rows are half of a prediction's size.
    """
    return {sys.intern(name): _shared(row) for name, row in rows.items()}


def _shared(row: Mapping[str, float]) -> Mapping[str, float]:
    key = repr(row)  # 0, 0.0 and -0.0 are equal, and are written into files differently
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
    """The line of a prediction; what it thought, and what caches held, only where there is any."""
    values = ((name, getattr(prediction, name)) for name in PREDICTION_FIELDS)  # no copies, unlike dataclasses.asdict
    return {name: value for name, value in values if value or name not in _RARE}


PASSAGES_NAMES = ("passages", "over", "tokens", "beyond")
QUERIES_NAMES = ("queries", "queries_over", "queries_beyond")


def _is_passages(counts: Any) -> bool:
    """Whether a value that was read from a file is one retriever's counts of long passages."""
    return (
        isinstance(counts, Mapping)
        and all(
            isinstance(counts.get(name), int) and counts[name] >= 0
            for name in ("limit", *PASSAGES_NAMES, *QUERIES_NAMES)
        )
        and isinstance(counts.get("long"), str)
    )


def _is_choice(places: Any) -> bool:
    """Whether a value that was read from a file has the places of options."""
    return isinstance(places, Mapping) and (
        not places or all(isinstance(places.get(name), int) and 1 <= places[name] <= MOST_OPTIONS for name in CHOICE)
    )


EVIDENCE_NAMES = (
    "characters", "missing", "in_chunks", "ranked", "selected", "shown", "chunks", "best_rank", "worst_rank", "taken",
)  # fmt: skip


def _is_evidence(counts: Any) -> bool:
    """Whether a value that was read from a file counts gold evidence: of some that was found all, else none."""
    are_counts = isinstance(counts, Mapping) and all(isinstance(count, int) and count >= 0 for count in counts.values())
    return are_counts and ("characters" not in counts or counts.keys() >= set(EVIDENCE_NAMES))


FIELDS = {
    **dict.fromkeys(("id", "document", "query", "prediction"), record_checks.text),
    **dict.fromkeys(("requests", "tokens_in", "tokens_out", "truncated_tokens"), record_checks.count),
    "references": record_checks.each_item(record_checks.text),
    "selected": record_checks.each_item(
        record_checks.row(record_checks.count, record_checks.count, record_checks.number)
    ),
    "shown_spans": record_checks.each_item(record_checks.row(record_checks.count, record_checks.count)),
}


OPTIONAL = {
    "notes": record_checks.mapping(record_checks.text),
    "statistics": record_checks.mapping(record_checks.mapping(record_checks.number)),
    "outputs": record_checks.mapping(record_checks.count),
    "passages": record_checks.mapping(_is_passages),
    "request_digest": record_checks.text,
    "evidence": _is_evidence,
    "shown_words": record_checks.maybe(record_checks.count),
    "thinking": record_checks.mapping(record_checks.count),
    **dict.fromkeys(("cached_tokens", "cache_write_tokens"), record_checks.count),
    "choice": _is_choice,
}


def check_prediction(record: Any) -> None:
    """Raise `Malformed` for a record that is no prediction; other fields are ignored."""
    record_checks.check(record, FIELDS, OPTIONAL)
