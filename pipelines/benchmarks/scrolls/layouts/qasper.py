"""QASPER's papers: questions by readers of the abstract, answers by readers of the paper (Dasigi et al., 2021).

The release is one JSON object, papers by id: `title`, `abstract`, `full_text` `[{section_name, paragraphs}]`, `qas`
`[{question, question_id, answers: [{answer: {unanswerable, extractive_spans, free_form_answer, yes_no, evidence}}]}]`.
The hub's Parquet has one row per paper with its `id`, and mappings of lists in place of lists of objects. A document is
title, abstract and sections, each section under its name (subsections with their parents' names, as released:
`Experiments ::: Data`). SCROLLS leaves title and abstract out, and short papers: see `cleansing`. One reference an
annotator, written as the release's own scorer does. Evidence is the paragraphs that the annotators chose; figures and
tables are no part of the text.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Document, Example, Span
from pipelines.sources import parsing
from pipelines.sources.pieces import Pieces
from pipelines.sources.tables import Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "QASPER's papers (one object by paper id, or rows: id, title, abstract, full_text, qas)"
FLOAT = "FLOAT SELECTED"
_WORD = re.compile(r"\w")
_FLOATS = "figures and tables left out of the evidence, because the text does not have them"
_NO_PARAGRAPH = "evidence left out, because the paper has no such paragraph"
_NO_ANSWER = "answers left out, because they say nothing"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is a paper, or all papers by their ids."""
    return _is_paper(fields) or _is_paper(next(iter(fields.values()), None))


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per question."""
    for row in table.rows():
        if _is_paper(row.fields):
            name = row.string("id") or f"{split}-{row.number}"
            yield from _paper(name, row.fields, f"{row.location} ({name})", warnings)
            continue
        for name, fields in row.fields.items():
            location = f"{row.location} ({name})"
            if not _is_paper(fields):
                raise UserError(f"{location}: a paper needs full_text and qas")
            yield from _paper(name, fields, location, warnings)


def _is_paper(fields: Any) -> bool:
    return isinstance(fields, Mapping) and {"full_text", "qas"} <= fields.keys()


def _paper(name: str, fields: Mapping[str, Any], location: str, warnings: Warnings) -> Iterator[Example]:
    document, places = _document(name, fields, location)
    for number, record in enumerate(_records(fields["qas"], location, "qas"), 1):
        question = parsing.string(record.get("question"), location, "question").strip()
        if not question:
            raise UserError(f"{location}: question {number} is empty")
        answers = [
            _mapping(fields.get("answer"), location, "answer")
            for fields in _records(record.get("answers"), location, "answers")
        ]
        references = [_reference(answer, location) for answer in answers]
        for _ in range(references.count("")):
            warnings.count(_NO_ANSWER, f"{location}, question {number}")
        yield Example(
            id=parsing.string(record.get("question_id"), location, "question_id") or f"{name}-{number}",
            document=document,
            query=question,
            references=tuple(filter(None, references)),
            evidence=_evidence(answers, document.text, places, location, warnings),
        )


def _document(name: str, fields: Mapping[str, Any], location: str) -> tuple[Document, dict[str, Span]]:
    """The paper, and the first span of each paragraph and heading; `meta["body"]` is where its sections start."""
    title, abstract = (parsing.string(fields.get(key), location, key).strip() for key in ("title", "abstract"))
    pieces, places = Pieces(), dict[str, Span]()
    for piece in (title, abstract):
        if piece:
            places.setdefault(piece, pieces.add(piece, "\n\n"))
    body: int | None = None
    for section in _records(fields["full_text"], location, "full_text"):
        heading = parsing.string(section.get("section_name"), location, "section_name").strip()
        texts = parsing.strings(section.get("paragraphs"), location, "paragraphs")
        for number, text in enumerate([heading, *texts] if _WORD.search(heading) else texts):
            span = pieces.add(text, "\n" if number else "\n\n")
            body = span[0] if body is None else body
            places.setdefault(text, span)
    meta = {"paper": name, "body": len(pieces.text) if body is None else body}
    return parsing.document(pieces.text, location, title, meta), places


def _evidence(
    answers: list[Mapping[str, Any]], text: str, places: Mapping[str, Span], location: str, warnings: Warnings
) -> tuple[Span, ...]:
    """The spans that the annotators chose, each once, in the order of the paper."""
    quotations = dict.fromkeys(
        text for answer in answers for text in parsing.strings(answer.get("evidence"), location, "evidence")
    )
    spans = set()
    for quotation in quotations:
        start = text.find(quotation)
        if quotation in places:
            spans.add(places[quotation])
        elif quotation.lstrip().startswith(FLOAT):
            warnings.count(_FLOATS, location)
        elif start >= 0:
            spans.add((start, start + len(quotation)))
        else:
            warnings.count(_NO_PARAGRAPH, f"{location} ({quotation[:40]!r})")
    return tuple(sorted(spans))


def _reference(answer: Mapping[str, Any], location: str) -> str:
    """An annotator's answer as text, empty if there is none."""
    if answer.get("unanswerable"):
        return "Unanswerable"
    if spans := parsing.strings(answer.get("extractive_spans"), location, "extractive_spans"):
        return ", ".join(spans)
    if free := parsing.string(answer.get("free_form_answer"), location, "free_form_answer").strip():
        return free
    yes_no = answer.get("yes_no")
    return "" if yes_no is None else "Yes" if yes_no else "No"


def _records(value: Any, location: str, field: str) -> list[Mapping[str, Any]]:
    """Objects from a list of them, or from a mapping of equally long lists. Raises `UserError` for anything else."""
    if value is None:
        return []
    if isinstance(value, Mapping) and all(column is None or isinstance(column, list) for column in value.values()):
        columns = [column or [] for column in value.values()]
        if len(set(map(len, columns))) > 1:
            raise UserError(f"{location}: the lists of {field} are not equally long")
        return [dict(zip(value, cells, strict=True)) for cells in zip(*columns, strict=True)]
    if not isinstance(value, list):
        raise UserError(f"{location}: {field} must be a list of objects, or an object of lists")
    return [_mapping(record, location, field) for record in value]


def _mapping(value: Any, location: str, field: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise UserError(f"{location}: {field} must be an object with fields, got {type(value).__name__}")
    return value
