"""Predictions of a file joined to the examples of their benchmark's data."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from longdoc.errors import UserError, listed
from longdoc.messages import counted
from pipelines import sources, tasks
from pipelines.engine.planning.metric_names import with_number_warning
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
from pipelines.records import Example
from pipelines.sources.layouts import reads_by_document

MISSING = "missing from the file"


def joined(
    prediction_file: PredictionFile, task: tasks.Task, data: Any, split: str, metrics: Mapping[str, Any]
) -> Iterator[GivenPrediction]:
    """A prediction for every example of the data, in their order, with the labels of the data.

    Rows without ids are matched by order. Examples that are missing from the file are yielded without a prediction. At
    the end `prediction_file.expected` is the number of examples, and its warnings say how many labels differ. Raises
    `UserError` for ids that are not in the data, and for rows without ids that differ from the data in number or order.
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
    if prediction_file.by_order and reads_by_document(dataset.layout) and 1 < len(documents) < number:
        raise UserError(
            f"predictions without ids are matched by order, but {data} is read document by document: give each "
            "prediction the id of its example"
        )
    if prediction_file.by_order and 2 * changed > compared:
        problem = f"{changed:,} of {compared:,} labels in the file differ from those of {data}"
        raise UserError(
            f"{problem}: the rows, which have no ids, seem to have another order; score them without --data"
        )
    if reworded:
        prediction_file.warnings.append(
            f"{reworded:,} of {number:,} questions in the file differ from the data's: predictions without ids are "
            "matched by order, and only their labels are compared"
        )
    if changed:
        prediction_file.warnings.append(
            f"{changed:,} of {compared:,} labels in the file differ from the data's: the data's are used; without "
            "--data the file's are, as its authors did"
        )


def _is_reworded(query: str, other: str) -> bool:
    """Whether two questions differ; one that contains the other, with more text around it, counts as the same."""
    return bool(query) and query.strip() not in other and other.strip() not in query


def _with_labels(example: Example, labels: tuple[str, ...]) -> Example:
    """The example with the file's labels where the data have none."""
    return example if example.references else replace(example, references=labels)


def _check(prediction_file: PredictionFile, unused: dict[str, GivenPrediction], number: int, data: Any) -> None:
    """Raise `UserError` for predictions that no example took, and for another number of rows without ids."""
    prediction_count = sum(prediction.prediction is not None for prediction in prediction_file.given)
    if prediction_file.by_order and len(prediction_file.given) != number:
        outputs = counted(len(prediction_file.given), "prediction")
        problem = f"{outputs} without ids for {counted(number, 'example')} of {data}"
        raise UserError(f"{problem}: without ids there must be one for each example; give each an id")
    if unused and len(unused) == prediction_count:
        raise UserError(
            f"none of the {prediction_count:,} ids ({listed(unused, 3)}) is in {data}: "
            "the predictions are for other data"
        )
    if unused:
        problem = (
            f"{counted(len(unused), 'prediction')} {'is' if len(unused) == 1 else 'are'} for ids that {data} does not"
        )
        raise UserError(f"{problem} have ({listed(unused, 3)}): leave them out, or give the data of their version")
