"""One example of a finished run: its query, its prediction, and the passages that the reader saw, in their document.

A run's folder does not contain the documents: they are read again from the data. If these are gone, everything else is
shown, and why the text is missing.
"""

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from pipelines import documents
from pipelines.metrics.shared.gold_spans import merged
from pipelines.records import Document, Example, Prediction, Span
from pipelines.results import judge_record
from pipelines.results.headings import unselected_spans
from pipelines.results.run_folders.example_view import AROUND, ExampleList, InspectedExample, InspectedPassage, between
from pipelines.results.run_folders.matches import matches
from pipelines.results.run_folders.run import Run, examples_of, finished_run
from pipelines.sources import DataSpec


@checks_names
def show(
    run: str | Path | Run, id: str | None = None, *, data: DataSpec | None = None
) -> InspectedExample | ExampleList:
    """The example `id` of a finished run, or without `id` the list of its examples.

    `data` says where the data are now, by default where the run had them. Raises `UserError` for a folder without a
    finished run, and for an unknown id, with the most similar ones.
    """
    run = run if isinstance(run, Run) else finished_run(run)
    predictions = {prediction.id: prediction for prediction in run.predictions}
    if id is None:
        rows = [(prediction.id, prediction.query, prediction.prediction) for prediction in run.predictions]
        failed_rows = [(name, "", f"failed: {reason}") for name, reason in run.failures.items()]
        return ExampleList(run.folder, run.task, [*rows, *failed_rows])
    if id not in predictions and id not in run.failures:
        similar_ids = get_close_matches(id, [*predictions, *run.failures], n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(similar_ids)}?" if similar_ids else f"longdoc show {run.folder} lists them"
        raise UserError(f"unknown example {id!r}; {hint}")
    example, missing = _example(run, id, data)
    if id not in predictions:
        return _failed(run, id, example, missing)
    return _inspected(run, predictions[id], example, missing)


def _example(run: Run, id: str, data: Any) -> tuple[Example | None, str]:
    """The example with its document, or why it cannot be read. Raises `UserError` only where `data` was passed."""
    try:
        for example in examples_of(run, data).examples():
            if example.id == id:
                return example, ""
    except (UserError, OSError) as error:
        if data is not None:
            raise
        return None, str(error) if "data=" in str(error) else f"{error}; if the data were moved, give data=PATH"
    return None, "the data no longer contain this example"


def _inspected(run: Run, prediction: Prediction, example: Example | None, missing: str) -> InspectedExample:
    text = example.document.text if example else None
    answers = matches(text, [prediction.references])[0] if text is not None else []
    evidence = merged(example.evidence) if example else []
    return InspectedExample(
        run.folder,
        run.task,
        prediction,
        _scores(run, prediction),
        _passages(prediction, example.document if example else None, answers, evidence),
        answers,
        evidence,
        len(text) if text is not None else None,
        missing,
        judge=judge_record.verdict_line(run.folder, prediction.id) if run.judging else "",
    )


def _failed(run: Run, id: str, example: Example | None, missing: str) -> InspectedExample:
    document, query, references = (example.document.id, example.query, example.references) if example else ("?", "", ())
    prediction = Prediction(id, document, query, references, "", (), (), 0, 0, 0, 0)
    length = len(example.document.text) if example else None
    return InspectedExample(
        run.folder, run.task, prediction, characters=length, missing=missing, failure=run.failures[id]
    )


def _passages(
    prediction: Prediction, document: Document | None, answers: Sequence[Span], evidence: Sequence[Span]
) -> list[InspectedPassage]:
    """The selected spans in the order of the prompt, then those that only a further search found."""
    order = sorted(range(len(prediction.selected)), key=lambda index: -prediction.selected[index][2])
    ranks = {index: rank for rank, index in enumerate(order, 1)}
    spans: list[tuple[int, int, float | None, int | None]] = [
        (start, end, score, ranks[index]) for index, (start, end, score) in enumerate(prediction.selected)
    ]
    unselected = unselected_spans(prediction)
    spans += [(start, end, None, None) for start, end in unselected.search_spans]
    passages = []
    for position, (start, end, score, rank) in enumerate(spans, 1):
        shown_spans = (
            [(s, e) for s, e in prediction.shown_spans if start <= s and e <= end]
            if prediction.shown_spans
            else [(start, end)]
        )
        heading = unselected.headings.get(position - 1)
        passage = InspectedPassage(position, rank, score, start, end, merged(shown_spans), heading_span=heading)
        passages.append(passage if document is None else _located_passage(passage, document, answers, evidence))
    return passages


def _located_passage(
    passage: InspectedPassage, document: Document, answers: Sequence[Span], evidence: Sequence[Span]
) -> InspectedPassage:
    """The passage with its text from the document, and the text, answers and evidence around it."""
    text, layout = document.text, document.meta
    low, high = max(passage.start - AROUND, 0), min(passage.end + AROUND, len(text))
    return replace(
        passage,
        text=text[passage.start : passage.end],
        before=text[low : passage.start],
        after=text[passage.end : high],
        answers=between(answers, low, high),
        evidence=between(evidence, low, high),
        location=documents.location(layout, text, passage.start, passage.end) if layout.get("kind") else "",
        heading=text[slice(*passage.heading_span)] if passage.heading_span else "",
    )


def _scores(run: Run, prediction: Prediction) -> dict[str, float]:
    """The example's own scores."""
    row = run.predictions.index(prediction)
    scores = {name: values[row] for name, values in run.example_scores.items()}
    return {name: value for name, value in scores.items() if value is not None}
