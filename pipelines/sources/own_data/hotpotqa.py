"""HotpotQA's own rows: a question, and paragraphs as lists of sentences under a title (Yang et al., 2018).

The original files are JSON lists of `{_id, question, answer, type, level, supporting_facts: [[title, sentence]],
context: [[title, [sentences]]]}`; on the hub the two lists are mappings of lists (`context: {title, sentences}`,
`supporting_facts: {title, sent_id}`) and the id is `id`. A document is the paragraphs, each with its title on a line of
its own, separated by empty lines. Evidence is the supporting sentences.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example, Span
from pipelines.sources import parsing
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "HotpotQA's rows (question, context, supporting_facts, answer)"
_NO_SENTENCE = "supporting facts skipped, because the document has no such sentence"

Paragraphs = list[tuple[str, Sequence[str]]]


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is HotpotQA's, in the original layout or the hub's."""
    return isinstance(fields.get("question"), str) and paragraphs_of(fields.get("context")) is not None


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row, each with its own document."""
    for row in table.rows():
        paragraphs = paragraphs_of(row.fields.get("context"))
        if paragraphs is None or not isinstance(row.fields.get("question"), str):
            raise row.refusal("a row of HotpotQA needs question and context")
        text, sentences = joined(paragraphs)
        name = row.fields.get("_id") or row.fields.get("id")
        yield Example(
            id=f"{split}-{row.number}" if name is None else str(name),
            document=parsing.document(text, row.location),
            query=parsing.clean(row.fields["question"].strip()),
            references=row.strings("answer"),
            evidence=tuple(_evidence(row, sentences, warnings)),
            meta={key: row.fields[key] for key in ("type", "level") if row.fields.get(key)},
        )


def paragraphs_of(context: Any) -> Paragraphs | None:
    """Titles with their sentences; None if `context` is not such a list."""
    pairs = _pairs(context, "title", "sentences")
    are_texts = pairs and all(isinstance(title, str) and _texts(sentences) for title, sentences in pairs)
    return pairs if are_texts else None


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _pairs(value: Any, first: str, second: str) -> list[tuple[Any, Any]] | None:
    """A list of pairs from either layout; None for anything else."""
    if isinstance(value, Mapping):
        left, right = value.get(first), value.get(second)
        are_parallel = isinstance(left, list) and isinstance(right, list) and len(left) == len(right)
        return list(zip(left, right, strict=True)) if are_parallel else None  # type: ignore[arg-type]
    if isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        return [(pair[0], pair[1]) for pair in value]
    return None


def joined(paragraphs: Paragraphs) -> tuple[str, dict[str, list[Span]]]:
    """The document, and the spans of the sentences under each title (under the first of equal titles)."""
    parts: list[str] = []
    spans: dict[str, list[Span]] = {}
    position = 0
    for title, sentences in paragraphs:
        opening = ("\n\n" if parts else "") + title + "\n"
        parts.append(opening + "".join(sentences))
        start, sentence_spans = position + len(opening), []
        for sentence in sentences:
            sentence_spans.append((start, start + len(sentence)))
            start += len(sentence)
        spans.setdefault(title, sentence_spans)
        position += len(parts[-1])
    return "".join(parts), spans


def _evidence(row: Row, sentences: Mapping[str, Sequence[Span]], warnings: Warnings) -> Iterator[Span]:
    for title, number in facts_of(row.fields.get("supporting_facts"), row.location):
        if span := sentence(sentences, title, number):
            yield span
        else:
            warnings.count(_NO_SENTENCE, f"{row.location} ({title!r}, {number})")


def facts_of(value: Any, location: str) -> list[tuple[Any, Any]]:
    """The titles and sentence numbers of supporting facts, in either layout. Raises `UserError` for anything else."""
    pairs = [] if value is None else _pairs(value, "title", "sent_id")
    if pairs is None:
        raise UserError(f"{location}: supporting_facts must be pairs of title and sentence number")
    return pairs


def sentence(sentences: Mapping[str, Sequence[Span]], title: Any, number: Any) -> Span | None:
    """The span of a sentence by its title and number, None where there is none or it is empty."""
    spans = sentences.get(title, ()) if isinstance(title, str) else ()
    if isinstance(number, int) and 0 <= number < len(spans) and spans[number][0] < spans[number][1]:
        return spans[number]
    return None
