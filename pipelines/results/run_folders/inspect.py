"""One example of a finished run: what was asked, what came out, and the passages the reader saw, in their document.

The document is not kept in a run's folder: it is read again from where the data lie. Where they are not there any more,
everything else is shown, and why the text is missing.
"""

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines import documents
from pipelines.metrics.evidence_recall import merged
from pipelines.records import Document, Example, Prediction, Span
from pipelines.results.run_folders.finished import FinishedRun, examples_of, finished_run
from pipelines.results.run_folders.inspected import AROUND, SeenPassage, ShownExample, ShownIds, between
from pipelines.results.run_folders.matches import lowered, occurrences


def show(run: str | Path | FinishedRun, id: str | None = None, *, data: Any = None) -> ShownExample | ShownIds:
    """The example `id` of a finished run, or without `id` what there is to show.

    `data` says where its data are now, by default where they were. Raises `UserError` for a folder without a finished
    run and for an id that it does not have, with the nearest.
    """
    finished = run if isinstance(run, FinishedRun) else finished_run(run)
    predictions = {prediction.id: prediction for prediction in finished.predictions}
    if id is None:
        rows = [(one.id, one.query, one.prediction) for one in finished.predictions]
        failed = [(name, "", f"failed: {reason}") for name, reason in finished.failures.items()]
        return ShownIds(finished.folder, finished.task, [*rows, *failed])
    if id not in predictions and id not in finished.failures:
        near = get_close_matches(id, [*predictions, *finished.failures], n=3, cutoff=0.4)
        told = f"did you mean {' or '.join(near)}?" if near else f"longdoc show {finished.folder} lists them"
        raise UserError(f"unknown example {id!r}; {told}")
    example, missing = _example(finished, id, data)
    if id not in predictions:
        return _failed(finished, id, example, missing)
    return _shown(finished, predictions[id], example, missing)


def _example(run: FinishedRun, id: str, data: Any) -> tuple[Example | None, str]:
    """The example with its document, or why it cannot be read. What was given and is wrong is the person's to mend."""
    try:
        for example in examples_of(run, data).examples():
            if example.id == id:
                return example, ""
    except (UserError, OSError) as error:
        if data is not None:
            raise
        return None, str(error) if "data=" in str(error) else f"{error}; data=PATH says where they are now"
    return None, "the data hold no such example any more"


def _shown(run: FinishedRun, one: Prediction, example: Example | None, missing: str) -> ShownExample:
    text = example.document.text if example else None
    answers = occurrences(lowered(text), one.references) if text is not None else []
    evidence = merged(example.evidence) if example else []
    return ShownExample(
        run.folder,
        run.task,
        one.id,
        one.document,
        one.query,
        one.prediction,
        one.references,
        _figures(run, one),
        {name: note for name, note in one.notes.items() if name != "spans"},
        one.requests,
        one.tokens_in,
        one.tokens_out,
        one.truncated_tokens,
        _passages(one, example.document if example else None, answers, evidence),
        answers,
        evidence,
        len(text) if text is not None else None,
        missing,
        outputs=one.outputs,
    )


def _failed(run: FinishedRun, id: str, example: Example | None, missing: str) -> ShownExample:
    told = (example.document.id, example.query, "", example.references) if example else ("?", "", "", ())
    length = len(example.document.text) if example else None
    failure = run.failures[id]
    return ShownExample(run.folder, run.task, id, *told, characters=length, missing=missing, failure=failure)


def _passages(
    one: Prediction, document: Document | None, answers: Sequence[Span], evidence: Sequence[Span]
) -> list[SeenPassage]:
    """The selected spans in the order shown, then what only a further search found."""
    ranked = sorted(range(len(one.selected)), key=lambda place: -one.selected[place][2])
    ranks = {place: rank for rank, place in enumerate(ranked, 1)}
    chosen: list[tuple[int, int, float | None, int | None]] = [
        (start, end, score, ranks[place]) for place, (start, end, score) in enumerate(one.selected)
    ]
    beyond = [span for span in one.shown_spans if not any(s <= span[0] and span[1] <= e for s, e, *_ in one.selected)]
    chosen += [(start, end, None, None) for start, end in beyond]
    found = []
    for place, (start, end, score, rank) in enumerate(chosen, 1):
        seen = [(s, e) for s, e in one.shown_spans if start <= s and e <= end] if one.shown_spans else [(start, end)]
        passage = SeenPassage(place, rank, score, start, end, merged(seen))
        found.append(passage if document is None else _in_document(passage, document, answers, evidence))
    return found


def _in_document(
    passage: SeenPassage, document: Document, answers: Sequence[Span], evidence: Sequence[Span]
) -> SeenPassage:
    text, places = document.text, document.meta
    low, high = max(passage.start - AROUND, 0), min(passage.end + AROUND, len(text))
    return replace(
        passage,
        text=text[passage.start : passage.end],
        before=text[low : passage.start],
        after=text[passage.end : high],
        answers=between(answers, low, high),
        evidence=between(evidence, low, high),
        where=documents.location(places, text, passage.start, passage.end) if places.get("kind") else "",
    )


def _figures(run: FinishedRun, one: Prediction) -> dict[str, float]:
    """The figures that this example has by itself."""
    place = run.predictions.index(one)
    found = {name: values[place] for name, values in run.figures.items()}
    return {name: value for name, value in found.items() if value is not None}
