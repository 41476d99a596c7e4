"""Notes beside scores: the numbers of examples without a reference, of unanswerable questions, and of answers that
depend on the order of the options.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from longdoc.messages import counted
from models.refusals import UNANSWERABLE, is_refusal_label, refuses
from pipelines.records import ORDERS, Prediction, is_unanswerable


def missing(examples: int, scored: int) -> str:
    """The note `10 of 20 scored: 10 have no reference`; empty if all have one."""
    unscored = examples - scored
    verb = "has" if unscored == 1 else "have"
    return f"{scored:,} of {examples:,} scored: {unscored:,} {verb} no reference" if unscored else ""


def unanswerable(predictions: Sequence[Prediction]) -> str:
    """The note on unanswerable questions: their number, how many were answered, and which metrics skip them.

    Such a question is marked, or all its references are labels of refusal, such as "Not mentioned".
    """
    scored_predictions = [prediction for prediction in predictions if prediction.references]
    without_answer = _without_answer(predictions)
    if not without_answer:
        return ""
    count, questions = len(without_answer), counted(len(scored_predictions), "question")
    answered_count = sum(not refuses(prediction.prediction) for prediction in without_answer)
    line = f"{count:,} of {questions} {'has' if count == 1 else 'have'} no answer ({_right_output(without_answer)})"
    share = "all" if answered_count == count else f"{answered_count:,}" if answered_count else "none"
    outcome = f"answered {share} of them" if count > 1 else "answered it" if answered_count else "did not answer it"
    return f"{line}; the model {outcome}{_unscored_metrics(scored_predictions)}"


def rotated(predictions: Sequence[Prediction]) -> str:
    """The note on answers that change with the order of the options; empty unless several orders were asked."""
    rows = [row for row in map(_answers_by_order, predictions) if row]
    if not rows:
        return ""
    rotated_answers = [row for row in rows if len(row) > 1]
    changed = sum(len(set(row)) > 1 for row in rotated_answers)
    verb = "changes" if changed == 1 else "change"
    line = f"With the options rotated, {changed:,} of {counted(len(rotated_answers), 'answer')} {verb}."
    unrotated = len(rows) - len(rotated_answers)
    return line + (f" {counted(unrotated, 'prompt')} could not be rotated." if unrotated else "")


def _answers_by_order(prediction: Prediction) -> list[str]:
    """An example's answers to the orders of its options; none without a valid note of them."""
    try:
        value = json.loads(prediction.notes.get(ORDERS, "null"))
    except (ValueError, RecursionError):
        return []
    return value if isinstance(value, list) and all(isinstance(answer, str) for answer in value) else []


def answers_anyway(predictions: Sequence[Prediction]) -> float | None:
    """The share of unanswerable questions that were answered, 0–100; None without such questions."""
    answers = [not refuses(prediction.prediction) for prediction in _without_answer(predictions)]
    return 100 * sum(answers) / len(answers) if answers else None


def _without_answer(predictions: Sequence[Prediction]) -> list[Prediction]:
    """The predictions whose references all say that the question has no answer."""
    return [
        prediction
        for prediction in predictions
        if prediction.references and all(map(is_refusal_label, prediction.references))
    ]


def _right_output(predictions: Sequence[Prediction]) -> str:
    """What a right output for these unanswerable questions is, in words."""
    if all(is_unanswerable(prediction.references) for prediction in predictions):
        return f"right: {UNANSWERABLE!r}"
    return "right: to say so"


def _unscored_metrics(predictions: Sequence[Prediction]) -> str:
    """The end of the note: the metrics that skip questions marked as unanswerable; empty without any."""
    unanswerable_predictions = [prediction for prediction in predictions if is_unanswerable(prediction.references)]
    if not unanswerable_predictions:
        return ""
    scoring_metrics = {name for prediction in unanswerable_predictions for name in prediction.statistics}
    skipping_metrics = dict.fromkeys(
        name for prediction in predictions for name in prediction.statistics if name not in scoring_metrics
    )
    metrics = [name.partition(":")[0] for name in skipping_metrics]
    return f"; skipped by {', '.join(metrics)}" if metrics else ""


def notes(predictions: Sequence[Prediction]) -> list[str]:
    """The notes of this module that apply to predictions."""
    scored = sum(bool(prediction.references) for prediction in predictions)
    return [*filter(None, (missing(len(predictions), scored), unanswerable(predictions), rotated(predictions)))]


def reference_notes(scored: Mapping[str, Any]) -> list[str]:
    """The same notes from the content of `scores.json`, of earlier versions too."""
    examples = scored.get("examples", 0)
    lines = (missing(examples, scored.get("scored", examples)), scored.get("unanswerable", ""), scored.get(ORDERS, ""))
    return [*filter(None, lines)]
