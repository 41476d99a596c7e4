"""ContractNLI's own files: contracts, and for each of 17 hypotheses what it says (Koreeda and Manning, 2021).

A file is one JSON object: `documents` `[{id, text, spans: [[start, end]], annotation_sets: [{annotations: {nda-N:
{choice, spans: [number]}}}]}]`, `labels` `{nda-N: {hypothesis}}`. One example per contract and hypothesis, its label
one of `OPTIONS`, spelled as in SCROLLS. Evidence is the spans that support it. Ids are those of SCROLLS' published
rows: the contract's and the hypothesis's, `3_nda-11`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Document, Example, Span
from pipelines.sources import parsing
from pipelines.sources.tables import Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "ContractNLI's file (one object: documents, labels)"
CHOICES = {"Entailment": "Entailment", "Contradiction": "Contradiction", "NotMentioned": "Not mentioned"}
OPTIONS = tuple(CHOICES.values())
_BLANK_SPAN = "spans of evidence left out, because they are blank"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is an object with contracts and their labels."""
    return isinstance(fields.get("documents"), list) and isinstance(fields.get("labels"), Mapping)


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per contract and hypothesis, the hypotheses in the order of `labels`."""
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal("a file of contracts needs documents and labels")
        hypotheses = {
            name: _hypothesis(label, f"{row.location} ({name})") for name, label in row.fields["labels"].items()
        }
        for number, fields in enumerate(row.fields["documents"], 1):
            location = f"{row.location}, document {number}"
            if not isinstance(fields, Mapping) or not isinstance(fields.get("text"), str):
                raise UserError(f"{location}: a contract needs a text")
            name = parsing.string(fields.get("id"), location, "id") or f"{split}-{number}"
            yield from _contract(name, fields, hypotheses, f"{location} (id {name})", warnings)


def _hypothesis(label: Any, location: str) -> str:
    text = label.get("hypothesis") if isinstance(label, Mapping) else None
    if not isinstance(text, str) or not text.strip():
        raise UserError(f"{location}: the label has no hypothesis")
    return parsing.clean(text.strip())


def _contract(
    name: str, fields: Mapping[str, Any], hypotheses: Mapping[str, str], location: str, warnings: Warnings
) -> Iterator[Example]:
    document = parsing.document(fields["text"], location, meta={"document_id": name})
    annotations = _annotations(fields, hypotheses, location)
    for label, hypothesis in hypotheses.items():
        annotation = annotations.get(label, {})
        label_location = f"{location}, {label}"
        yield Example(
            id=f"{name}_{label}",
            document=document,
            query=hypothesis,
            references=_choice(annotation, label_location),
            options=OPTIONS,
            evidence=tuple(_evidence(annotation, fields.get("spans"), document, label_location, warnings)),
            meta={"label": label},
        )


def _annotations(
    fields: Mapping[str, Any], hypotheses: Mapping[str, str], location: str
) -> Mapping[str, Mapping[str, Any]]:
    """The annotations by hypothesis; empty for a contract without labels. The release has one set of them."""
    sets = fields.get("annotation_sets")
    if not sets:
        return {}
    annotations = sets[0].get("annotations") if isinstance(sets, list) and isinstance(sets[0], Mapping) else None
    if not isinstance(annotations, Mapping) or not all(
        isinstance(annotation, Mapping) for annotation in annotations.values()
    ):
        raise UserError(f"{location}: annotation_sets must be a list of objects with annotations by label")
    if unknown := annotations.keys() - hypotheses.keys():
        raise UserError(f"{location}: the annotation {min(unknown)} is not among the file's labels")
    return annotations


def _choice(annotation: Mapping[str, Any], location: str) -> tuple[str, ...]:
    choice = annotation.get("choice")
    if choice is None:
        return ()
    if choice not in CHOICES:
        raise UserError(f"{location}: choice must be one of {', '.join(CHOICES)}, got {choice!r}")
    return (CHOICES[choice],)


def _evidence(
    annotation: Mapping[str, Any], spans: Any, document: Document, location: str, warnings: Warnings
) -> Iterator[Span]:
    for number in annotation.get("spans") or []:
        span = _span(number, spans, len(document.text), location)
        if document.text[slice(*span)].strip():
            yield span
        else:
            warnings.count(_BLANK_SPAN, f"{location}, span {number}")


def _span(number: Any, spans: Any, length: int, location: str) -> Span:
    contract_spans: Sequence[Any] = spans if isinstance(spans, list) else []
    if type(number) is not int or not 0 <= number < len(contract_spans):
        raise UserError(
            f"{location}: the annotation names span {number!r}, and the contract has {len(contract_spans)} spans"
        )
    span = contract_spans[number]
    is_pair = isinstance(span, list) and len(span) == 2 and all(type(edge) is int for edge in span)
    if not is_pair or not 0 <= span[0] <= span[1] <= length:
        raise UserError(
            f"{location}: span {number} must be [start, end] within the text's {length:,} characters, got {span!r}"
        )
    return span[0], span[1]
