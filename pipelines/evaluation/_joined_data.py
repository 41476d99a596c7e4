"""Predictions of a file joined to the examples of their benchmark's data."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from longdoc.errors import UserError
from longdoc.plurals import counted
from pipelines import sources, tasks
from pipelines.engine.planning.metric_names import with_number_warning
from pipelines.evaluation.predictions import GivenPrediction, PredictionFile, first_names
from pipelines.records import Example

MISSING = "missing from the file"
REORDERED = (
    "nocha",
    "financebench",
    "aa_lcr",
    "narrativeqa",
    "quality",
    "rows",
    "",
)  # layouts whose reading puts a document's rows together


def joined(
    prediction_file: PredictionFile, task: tasks.Task, data: Any, split: str, metrics: Mapping[str, Any]
) -> Iterator[GivenPrediction]:
    """A prediction for every example of the data, in their order, with the labels of the data.

    Rows without ids go by order. Examples that the file does not have are yielded without a prediction. At the end
    `found.expected` is the number of examples, and `found.warnings` say how many labels differ. Raises `UserError` for
    predictions whose ids the data do not have, and for another number of rows without ids, or another order of them.
    """
    if prediction_file.not_joined:
        raise UserError(
            f"the predictions cannot be joined to {data}: {prediction_file.not_joined}; score them without --data"
        )
    dataset = with_number_warning(sources.load(task.name, task.dataset, data, split, has_texts=False), metrics)
    predictions = {
        str(number) if prediction_file.by_order else prediction.example.id: prediction
        for number, prediction in enumerate(prediction_file.given)
    }
    number = compared = changed = reworded = 0
    documents = set[str]()
    for number, example in enumerate(dataset.examples(), 1):
        documents.add(example.document.id)
        prediction = predictions.pop(str(number - 1) if prediction_file.by_order else example.id, None)
        if prediction is None:
            yield GivenPrediction(example, None, MISSING)
            continue
        labels = prediction.example.references
        compared += bool(labels and example.references)
        changed += bool(labels and example.references) and set(labels) != set(example.references)
        reworded += prediction_file.by_order and _is_reworded(prediction.example.query, example.query)
        yield replace(prediction, example=_with_labels(example, labels))
    prediction_file.expected = number
    prediction_file.warnings += dataset.warnings
    _check(
        prediction_file,
        {name: prediction for name, prediction in predictions.items() if prediction.prediction is not None},
        number,
        data,
    )
    if prediction_file.by_order and dataset.layout in REORDERED and 1 < len(documents) < number:
        raise UserError(
            f"predictions without ids go by order, and {data} is read document by document, not row by row: give each "
            "prediction the id of its example"
        )
    if prediction_file.by_order and 2 * changed > compared:
        problem = f"{changed:,} of {compared:,} labels in the file are not those of the examples in their places"
        raise UserError(f"{problem} of {data}: the rows, whose ids do not say, have another order; score them alone")
    if reworded:
        prediction_file.warnings.append(
            f"{reworded:,} of {number:,} questions in the file are worded otherwise than the data's in their places: "
            f"predictions go by order, and labels are compared"
        )
    if changed:
        prediction_file.warnings.append(
            f"{changed:,} of {compared:,} labels in the file are not the data's: the data's are scored; without --data "
            f"the file's are, as its authors did"
        )


def _is_reworded(query: str, other: str) -> bool:
    """Whether two wordings are given and differ; one that holds the other, with more around it, is the same."""
    return bool(query) and query.strip() not in other and other.strip() not in query


def _with_labels(example: Example, labels: tuple[str, ...]) -> Example:
    """The example with the file's labels where the data have none."""
    return example if example.references else replace(example, references=labels)


def _check(prediction_file: PredictionFile, left: dict[str, GivenPrediction], number: int, data: Any) -> None:
    given_count = sum(prediction.prediction is not None for prediction in prediction_file.given)
    if prediction_file.by_order and len(prediction_file.given) != number:
        outputs = counted(len(prediction_file.given), "prediction")
        problem = f"{outputs} without ids for {counted(number, 'example')} of {data}"
        raise UserError(f"{problem}: rows go by order only where there are as many; give each an id")
    if left and len(left) == given_count:
        raise UserError(
            f"none of the {given_count:,} ids ({first_names(left)}) is in {data}: the predictions are for other data"
        )
    if left:
        problem = f"{counted(len(left), 'prediction')} {'is' if len(left) == 1 else 'are'} for ids that {data} does not"
        raise UserError(f"{problem} have ({first_names(left)}): leave them out, or give the data of their version")
