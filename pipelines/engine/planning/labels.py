"""The labels that a run decides between: the task's, those that were given, or those of the training split.

Never those of the rows that are scored: a model that is told them knows which answers occur.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import models
from longdoc.errors import UserError
from models.likelihood import Likelihood
from pipelines import sources, strategies, tasks
from pipelines.strategies.label import Label

GIVE = "strategy='label:labels=[A,B]'"


def declared_labels(task: tasks.Task, strategy: strategies.Strategy) -> tuple[str, ...]:
    """The labels of the task, else the strategy's own. Raises `UserError` where label's were given and are others."""
    if isinstance(strategy, Label) and strategy.labels and task.labels and set(strategy.labels) != set(task.labels):
        raise UserError(f"{task.name} has its own labels, {', '.join(task.labels)}: leave labels= out")
    return task.labels or strategy.labels


def training_labels(
    task: tasks.Task,
    strategy: strategies.Strategy,
    reader: models.Reader,
    data: sources.Dataset,
    split: str,
    open_split: Callable[[str], sources.Dataset],
) -> tuple[str, ...]:
    """The labels of the training split's rows, sorted, for a reader that has to be told them.

    Empty where nothing has to be told: a classifier knows its own, and rows may have options. Raises `UserError` where
    there is no training split but the rows that are scored.
    """
    if not isinstance(strategy, Label) or not (strategy.by == "generation" or isinstance(reader, Likelihood)):
        return ()
    if row_options(strategy, data):
        return ()
    hint = f"give data= a folder with train and test files, or {GIVE}"
    try:
        training = open_split("train")
    except UserError as error:
        problem = f"{task.name}: the model is told the labels, and there is no training split ({error})"
        raise UserError(f"{problem}; {hint}") from None
    if split != "train" and training.fingerprint == data.fingerprint:
        raise UserError(f"{task.name}: the model is told the labels, and not from the rows that are scored; {hint}")
    labels = sorted({label for example in training.examples() for label in example.references if label.strip()})
    if not labels:
        raise UserError(f"{task.name}: no row of the training split has a label; {hint}")
    return tuple(labels)


def row_options(strategy: strategies.Strategy, data: sources.Dataset) -> tuple[str, ...]:
    """The options of the first row, where the reader writes one of those that each row has; empty elsewhere."""
    if not (isinstance(strategy, Label) and strategy.by == "generation"):
        return ()
    first = next(iter(data.examples()), None)
    return () if first is None else tuple(first.options)


def labelled(reader: models.Reader, labels: tuple[str, ...]) -> models.Reader:
    """The reader with labels that were not known when it was made."""
    return replace(reader, labels=labels) if isinstance(reader, Likelihood) else reader


def check_labels(
    strategy: strategies.Strategy, reader: models.Reader, labels: Sequence[str], limit: int | None
) -> None:
    """Refuse labels that leave a prompt of `limit` tokens no room for the document, where the prompt lists them."""
    ending = strategy.ending(labels)
    if limit is not None and ending and (tokens := reader.count([ending])[0]) >= limit:
        raise UserError(
            f"the prompt lists {len(labels):,} labels in {tokens:,} tokens, and it holds {limit:,}: "
            f"give a model with a larger window, or fewer labels, {GIVE}"
        )
