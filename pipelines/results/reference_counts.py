"""What is said wherever scores are: how many examples have no reference, how many are unanswerable, and how many
answers depend on the order of the options.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from longdoc.plurals import counted
from models.refusals import UNANSWERABLE, is_refusal_label, refuses
from pipelines.display import numbers
from pipelines.records import ORDERS, Prediction, is_unanswerable


def missing(examples: int, scored: int) -> str:
    """How many of the examples have a reference, `10 of 20 scored: 10 have no reference`; empty where all have."""
    unscored_count = examples - scored
    verb = "has" if unscored_count == 1 else "have"
    return f"{scored:,} of {examples:,} scored: {unscored_count:,} {verb} no reference" if unscored_count else ""


def unanswerable(predictions: Sequence[Prediction]) -> str:
    """How many questions have no answer, what their scores are, and how many were answered anyway; empty without any.

    Such a question is marked, or all its references are labels of refusal, such as "Not mentioned".
    """
    scored_predictions = [prediction for prediction in predictions if prediction.references]
    without_answer = [
        prediction for prediction in scored_predictions if all(map(is_refusal_label, prediction.references))
    ]
    if not without_answer:
        return ""
    questions = counted(len(scored_predictions), "question")
    line = f"{len(without_answer):,} of {questions} unanswerable: {_right_output(without_answer)}"
    share = numbers.percent(answers_anyway(predictions))
    return f"{line}{_unscored_metrics(scored_predictions)}; answered anyway: {share}"


def rotated(predictions: Sequence[Prediction]) -> str:
    """How many answers change with the order of the options, where several orders were asked; else empty."""
    rows = [row for row in map(_answers_by_order, predictions) if row]
    if not rows:
        return ""
    answers = [row for row in rows if len(row) > 1]
    changed = sum(len(set(row)) > 1 for row in answers)
    verb = "changes" if changed == 1 else "change"
    line = f"With the options rotated, {changed:,} of {counted(len(answers), 'answer')} {verb}."
    unrotated = len(rows) - len(answers)
    return line + (f" {counted(unrotated, 'prompt')} could not be rotated." if unrotated else "")


def _answers_by_order(prediction: Prediction) -> list[str]:
    """The answers to the orders of the options; none where the note is not there, or not of this form."""
    try:
        value = json.loads(prediction.notes.get(ORDERS, "null"))
    except (ValueError, RecursionError):
        return []
    return value if isinstance(value, list) and all(isinstance(answer, str) for answer in value) else []


def answers_anyway(predictions: Sequence[Prediction]) -> float | None:
    """The share of unanswerable questions that were answered, 0–100; None where all questions have an answer."""
    answers = [
        not refuses(prediction.prediction)
        for prediction in predictions
        if prediction.references and all(map(is_refusal_label, prediction.references))
    ]
    return 100 * sum(answers) / len(answers) if answers else None


def _right_output(predictions: Sequence[Prediction]) -> str:
    """What is right for unanswerable questions."""
    if all(is_unanswerable(prediction.references) for prediction in predictions):
        return f"right is {UNANSWERABLE!r}"
    return "right is to say so"


def _unscored_metrics(predictions: Sequence[Prediction]) -> str:
    """The metrics that have no rule for questions that are marked as unanswerable; empty where none is."""
    unanswerable_predictions = [prediction for prediction in predictions if is_unanswerable(prediction.references)]
    if not unanswerable_predictions:
        return ""
    present_rows = {name for prediction in unanswerable_predictions for name in prediction.statistics}
    absent_rows = dict.fromkeys(
        name for prediction in predictions for name in prediction.statistics if name not in present_rows
    )
    absent_metrics = [name.partition(":")[0] for name in absent_rows]
    return f"; left out of {', '.join(absent_metrics)}" if absent_metrics else ""


def notes(predictions: Sequence[Prediction]) -> list[str]:
    """The lines on a run's examples without a reference, on unanswerable ones and on rotated options, if any."""
    scored = sum(bool(prediction.references) for prediction in predictions)
    return [*filter(None, (missing(len(predictions), scored), unanswerable(predictions), rotated(predictions)))]


def reference_notes(scored: Mapping[str, Any]) -> list[str]:
    """The same lines from the content of `scores.json`, of earlier versions too."""
    examples = scored.get("examples", 0)
    lines = (missing(examples, scored.get("scored", examples)), scored.get("unanswerable", ""), scored.get(ORDERS, ""))
    return [*filter(None, lines)]
