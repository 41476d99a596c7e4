"""Score lists of predictions against references, by one metric or by all metrics of a task."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from longdoc.arguments import checks_names
from longdoc.errors import UserError, listed
from pipelines import metrics, tasks


@checks_names
def score(task_or_metric: str, predictions: Sequence[str] | Mapping[str, str], references: Any) -> dict[str, float]:
    """Score predictions against lists of references with a metric, or with all metrics of a task.

    Lists go by position, mappings by id. Raises `UserError`; metrics of a task that cannot be computed here, or that
    measure the selection, are left out.
    """
    hypotheses, golds = _aligned(predictions, references)
    _check_texts(hypotheses, golds)
    known_tasks, task_or_metric = tasks.all_tasks(), tasks.full_name(task_or_metric)
    if task_or_metric not in known_tasks:
        scorer = metrics.get(task_or_metric)
        return _or_user_error(lambda: scorer.score(hypotheses, golds))
    scores: dict[str, float] = {}
    for name in known_tasks[task_or_metric].metrics:
        metric = metrics.get(name)
        try:
            scores |= metric.score(hypotheses, golds) if metric.target == "prediction" else {}
        except metrics.NotComputable:
            continue
    return scores


def _aligned(predictions: Any, references: Any) -> tuple[list[str], list[Sequence[str]]]:
    """Predictions and their references in the same order. Raises `UserError` where their ids differ."""
    if isinstance(predictions, Mapping) != isinstance(references, Mapping):
        raise UserError(
            "predictions and references must both be lists, or both be mappings by id: write both files in one form"
        )
    if not isinstance(predictions, Mapping):
        return list(predictions), [[row] if isinstance(row, str) else row for row in references]
    missing, extra = references.keys() - predictions.keys(), predictions.keys() - references.keys()
    if missing or extra:
        problem = [f"without a prediction: {listed(sorted(missing), 3)}"] * bool(missing) + [
            f"unknown: {listed(sorted(extra), 3)}"
        ] * bool(extra)
        raise UserError(f"predictions and references have different ids; {'; '.join(problem)}")
    rows = [references[name] for name in references]
    return [predictions[name] for name in references], [[row] if isinstance(row, str) else row for row in rows]


def _check_texts(hypotheses: Sequence[Any], golds: Sequence[Any]) -> None:
    """Raise `UserError` for empty input, and for a value that is not a text, with its position."""
    if not hypotheses and not golds:
        raise UserError("there is nothing to score: predictions and references are empty; give the files of a run")
    for position, text in enumerate(hypotheses, 1):
        if not isinstance(text, str):
            raise UserError(
                f"prediction {position} is {text!r}, not a text: leave it out with its references, or fill it in"
            )
    for position, row in enumerate(golds, 1):
        if not isinstance(row, Sequence) or not all(isinstance(text, str) for text in row):
            raise UserError(f"the references of prediction {position} must be texts, got {row!r}")


def _or_user_error(compute: Callable[[], dict[str, float]]) -> dict[str, float]:
    try:
        return compute()
    except metrics.NotComputable as error:
        raise UserError(str(error)) from None
