"""The examples of a page, in blocks that are unpacked when one of their examples is opened.

A block holds whole documents, at least `BLOCK` examples, so that a document's text is in the page once.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import isfinite
from typing import Any

from pipelines.display.page import sound
from pipelines.records import Document, Example, Prediction, Span
from pipelines.results.headings import unselected_spans
from pipelines.results.reports.page.blocks import block
from pipelines.results.reports.page.excerpts import excerpts
from pipelines.results.reports.page.index import Index
from pipelines.results.run_folders.matches import matches
from pipelines.results.run_folders.run import Run
from pipelines.sources import Dataset

BLOCK = 200
BLOCK_CHARACTERS = 4_000_000  # of texts in a block, which a browser unpacks without noticeable delay
CHARACTERS = 100_000_000  # of texts in a page; a larger one would be slow to open and to send


def blocks(index: Index, dataset: Dataset | None, advance: Callable[[int], None]) -> Iterator[str]:
    """The blocks in order; the index is complete after the last one. Without a dataset they have no texts.

    `advance` is called with the number of examples after each document. Texts beyond `CHARACTERS` are left out, and the
    index counts their documents (`textless`).
    """
    details: list[Any] = []
    texts: dict[int, Any] = {}
    block_size = page_size = 0
    index.starts.append(0)
    for document, group in _documents(index, dataset):
        number = index.add_document(document)
        document_details, spans = _details(index, number, group)
        details += document_details
        if dataset is not None and page_size < CHARACTERS:
            windows = excerpts(document.text, spans)
            texts[number] = {"length": len(document.text), "excerpts": windows}
            size = sum(len(text) for _, text in windows)
            block_size, page_size = block_size + size, page_size + size
        elif dataset is not None:
            index.textless += 1
        advance(len(group))
        if len(details) >= BLOCK or block_size >= BLOCK_CHARACTERS:
            yield block(f"block-{len(index.starts) - 1}", {"examples": details, "documents": texts})
            details, texts, block_size = [], {}, 0
            index.starts.append(len(index.ids))
    yield block(f"block-{len(index.starts) - 1}", {"examples": details, "documents": texts})


def _documents(index: Index, dataset: Dataset | None) -> Iterator[tuple[Document, list[Example]]]:
    """The runs' examples by document, in the order of the data, or without a dataset of the predictions."""
    remaining = index.example_ids()
    examples = _from_predictions(index.runs) if dataset is None else dataset.examples()
    for _, document_examples in groupby(examples, key=lambda example: example.document.id):
        if group := [example for example in document_examples if example.id in remaining]:
            yield group[0].document, group
            remaining -= {example.id for example in group}
        if not remaining:
            return


def _from_predictions(runs: Sequence[Run]) -> Iterator[Example]:
    """The examples as predictions have them, documents without text; those without a prediction last."""
    predictions = {prediction.id: prediction for run in runs for prediction in run.predictions}
    groups: dict[str, list[Prediction]] = {}
    for prediction in predictions.values():
        groups.setdefault(prediction.document, []).append(prediction)
    for document, group in groups.items():
        yield from (
            Example(prediction.id, Document(document, ""), prediction.query, prediction.references)
            for prediction in group
        )
    for id in dict.fromkeys(id for run in runs for id in run.failures if id not in predictions):
        yield Example(id, Document("", ""))


def _details(index: Index, number: int, group: Sequence[Example]) -> tuple[list[Any], list[Span]]:
    """The details of a document's examples, and the spans whose text the page needs."""
    details: list[Any] = []
    spans: list[Span] = []
    answers = matches(group[0].document.text, [example.references for example in group])
    for example, answer_spans in zip(group, answers, strict=True):
        index.add(example, number)
        predictions = index.predictions(example.id)
        details.append(_detail(example, predictions, answer_spans))
        spans += example.evidence
        for prediction in predictions:
            if prediction is not None:
                spans += [*prediction.shown_spans, *((start, end) for start, end, _ in prediction.selected)]
    return details, spans


def _detail(example: Example, predictions: Sequence[Prediction | None], answers: Sequence[Span]) -> dict[str, Any]:
    return {
        "options": [sound(option) for option in example.options],
        "evidence": example.evidence,
        "answers": answers,
        "runs": [None if prediction is None else _run_values(prediction) for prediction in predictions],
    }


def _shown_spans(prediction: Prediction) -> Sequence[Span]:
    """The spans that the model saw; all selected ones if there were no prompts, as when passages are compared."""
    unprompted = not prediction.shown_spans and not prediction.truncated_tokens
    return [(start, end) for start, end, _ in prediction.selected] if unprompted else prediction.shown_spans


def _run_values(prediction: Prediction) -> dict[str, Any]:
    unselected = unselected_spans(prediction)
    return {
        "selected": [(a, b, score if isfinite(score) else None) for a, b, score in prediction.selected],
        "shown_spans": _shown_spans(prediction),
        "headings": unselected.headings,
        "others": unselected.search_spans,
        "notes": {sound(name): sound(str(note)) for name, note in prediction.notes.items()},
        "tokens": [prediction.tokens_in, prediction.tokens_out],
        "requests": prediction.requests,
    }
