"""How many examples have no reference, and how many are unanswerable: said wherever scores are."""

from collections.abc import Mapping, Sequence
from typing import Any

from longdoc.plurals import counted
from pipelines.records import UNANSWERABLE, Prediction, is_unanswerable


def missing(examples: int, scored: int) -> str:
    """How many of the examples have a reference, `10 of 20 scored: 10 have no reference`; empty where all have."""
    unscored_count = examples - scored
    verb = "has" if unscored_count == 1 else "have"
    return f"{scored:,} of {examples:,} scored: {unscored_count:,} {verb} no reference" if unscored_count else ""


def unanswerable(predictions: Sequence[Prediction]) -> str:
    """How many questions have no answer, and what their scores are; empty where all have one."""
    scored_predictions = [prediction for prediction in predictions if prediction.references]
    unanswerable_predictions = [
        prediction for prediction in scored_predictions if is_unanswerable(prediction.references)
    ]
    if not unanswerable_predictions:
        return ""
    present_rows = {name for prediction in unanswerable_predictions for name in prediction.statistics}
    absent_rows = dict.fromkeys(
        name for prediction in scored_predictions for name in prediction.statistics if name not in present_rows
    )
    absent_metrics = [name.partition(":")[0] for name in absent_rows]
    questions = counted(len(scored_predictions), "question")
    line = f"{len(unanswerable_predictions):,} of {questions} unanswerable: right is no output, or {UNANSWERABLE!r}"
    return f"{line}; left out of {', '.join(absent_metrics)}" if absent_metrics else line


def notes(predictions: Sequence[Prediction]) -> list[str]:
    """The lines on a run's examples without a reference, and on unanswerable ones; none where there are neither."""
    scored = sum(bool(prediction.references) for prediction in predictions)
    return [*filter(None, (missing(len(predictions), scored), unanswerable(predictions)))]


def reference_notes(scored: Mapping[str, Any]) -> list[str]:
    """The same lines from the content of `scores.json`, of earlier versions too."""
    examples = scored.get("examples", 0)
    return [*filter(None, (missing(examples, scored.get("scored", examples)), scored.get("unanswerable", "")))]
