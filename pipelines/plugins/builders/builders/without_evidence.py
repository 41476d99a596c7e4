"""Makes unanswerable questions: their evidence is taken out of the document, so that refusing is the right answer.

A question with gold evidence has a twin: the same question about the document without these spans (sentences, items,
turns: as they are annotated). A reader that answers it does so from memory, by luck, or from other passages.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, Literal

from chunkers.shared.boundaries import paragraphs, sentences
from longdoc.errors import UserError
from models.refusals import is_refusal_label
from pipelines import tasks
from pipelines.metrics.shared.gold_spans import merged
from pipelines.metrics.shared.words import contains_tokens, normal_answer
from pipelines.plugins.builders.builder import Builder, BuildStats, Row
from pipelines.records import Example, Span
from pipelines.sources import Dataset
from pipelines.sources import load as open_source
from pipelines.sources.gold_evidence import MISSING_COUNT
from pipelines.sources.split_names import canonical

SUFFIX = "-without-evidence"  # of a twin's id
_SPLITTERS = {"sentence": sentences, "paragraph": paragraphs}

NO_EVIDENCE = "questions without gold evidence"
LOST_EVIDENCE = "questions some of whose evidence is not in their document"
NO_REFERENCE = "questions without an answer"
ALL_EVIDENCE = "questions whose evidence is the whole document"
REMAINING = "twins in whose text a reference still stands"


@dataclass(frozen=True)
class WithoutEvidence(Builder):
    """Rows of a task whose documents lack the gold evidence of their question; `unanswerable` is true in them.

    The source is a file or folder in any layout that `task` reads; of a folder the `split` is taken, by default the one
    that the task scores. `unit`: what is taken out, the "span" as it is annotated, or every "sentence" or "paragraph"
    that it touches, for annotations of a few words. Of the white space on both sides the one with more line breaks
    stays; nothing else changes. `originals`: the answerable questions come too, each behind its twin.

    Left out and counted are questions without gold evidence, with evidence that is not in their document or is all of
    it, and without an answer; and twins in whose text or title a reference still stands as whole words (SQuAD's normal
    form). Where an option of the question is a refusal ("Not mentioned"), it is the twin's answer. `metadata` has the
    id of the question and of its document, which twins of one document share, the spans taken out, and the references.
    Raises `UserError` for an unknown task or one that asks no questions, and for a source that the task does not read.
    """

    task: str = "qa"
    split: str = ""
    unit: Literal["span", "sentence", "paragraph"] = "span"
    originals: bool = False

    def sources(self, source: Path) -> Mapping[str, Any]:
        """See `Builder`."""
        return self._dataset(source).fingerprint

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The twins in the order of the source."""
        dataset, split = self._dataset(source), canonical(self._split())
        for example in dataset.examples():
            stats.read += 1
            spans = taken_spans(example, self.unit)
            if reason := lack(example, spans):
                stats.dropped[reason] += 1
                continue
            yield split, _twin(example, spans)
            if self.originals:
                stats.read += 1  # it is a row of its own
                yield split, _original(example)
        stats.warnings += dataset.warnings

    def _dataset(self, source: Path) -> Dataset:
        task = tasks.get(self.task)
        if not task.dataset.has_query:
            raise UserError(f"{task.name} asks no question, so it has no evidence; {tasks.tasks_with_evidence()}")
        return open_source(task.name, task.dataset, source, self._split())

    def _split(self) -> str:
        return self.split or tasks.get(self.task).split


def taken_spans(example: Example, unit: str = "span") -> list[Span]:
    """The spans to take out of the document: the evidence, or the units that it touches."""
    spans = merged(example.evidence)
    if unit == "span" or not spans:
        return spans
    touched = [
        (first, last)
        for first, last in _SPLITTERS[unit](example.document.text)
        if any(first < end and start < last for start, end in spans)
    ]
    return merged([*spans, *touched])


def lack(example: Example, spans: Sequence[Span]) -> str:
    """The reason why a question has no twin without these spans; empty where it has one."""
    if not example.references or all(map(is_refusal_label, example.references)):
        return NO_REFERENCE
    if MISSING_COUNT in example.meta:
        return LOST_EVIDENCE
    if not spans:
        return NO_EVIDENCE
    text = text_without(example.document.text, spans)
    if not text.strip():
        return ALL_EVIDENCE
    answers = [normal_answer(answer, "unicode") for answer in (*example.references, *example.meta.get("aliases", ()))]
    remains = contains_tokens(normal_answer(f"{example.document.title} {text}", "unicode"), answers)
    return REMAINING if remains else ""


def text_without(text: str, spans: Sequence[Span]) -> str:
    """The text without merged spans. Of the white space on both sides of a span, that with more line breaks stays."""
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    pieces = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    return reduce(_joined, pieces)


def _joined(before: str, after: str) -> str:
    """Two pieces with the white space of one of them between, that with more line breaks."""
    head, tail = before.rstrip(), after.lstrip()
    spaces = before[len(head) :], after[: len(after) - len(tail)]
    if not head or not tail:
        return head + tail
    return head + max(spaces, key=lambda space: (space.count("\n"), len(space))) + tail


def _twin(example: Example, spans: Sequence[Span]) -> Row:
    text = text_without(example.document.text, spans)
    fields: Row = {"id": f"{example.id}{SUFFIX}", "unanswerable": True}
    refusals = [option for option in example.options if is_refusal_label(option)]
    fields |= {"answer": refusals[0]} if refusals else {}
    metadata = {"taken_out": [list(span) for span in spans], "references": list(example.references)}
    return _row(example, text, fields, metadata)


def _original(example: Example) -> Row:
    evidence = [list(span) for span in example.evidence]
    fields = {"id": example.id, "answers": list(example.references), "evidence": evidence}
    return _row(example, example.document.text, fields, {})


def _row(example: Example, text: str, fields: Row, metadata: Row) -> Row:
    row = {**fields, "question": example.query, "document": text}
    row |= {"title": example.document.title} if example.document.title else {}
    row |= {"options": list(example.options)} if example.options else {}
    return row | {"metadata": {"question": example.id, "document": example.document.id, **metadata}}
