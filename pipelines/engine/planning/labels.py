"""The labels that a run decides between: the task's, those of the strategy, or those of the training split.

Never those of the rows that are scored: a prompt that lists them says which answers occur.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import models
from longdoc.errors import UserError
from models.likelihood import Likelihood
from pipelines import sources, strategies, tasks
from pipelines.strategies.label import Label

HINT = "strategy='label:labels=[A,B]'"


def declared_labels(task: tasks.Task, strategy: strategies.Strategy) -> tuple[str, ...]:
    """The labels of the task, else those of the strategy. Raises `UserError` where both have labels and they differ."""
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
    """The labels of the training split, sorted, for a reader whose prompt lists them.

    Empty where no prompt lists them: a classifier knows its labels, and rows may have options. Raises `UserError` where
    there is no training split apart from the rows that are scored.
    """
    if not isinstance(strategy, Label) or not (strategy.by == "generation" or isinstance(reader, Likelihood)):
        return ()
    if row_options(strategy, data):
        return ()
    remedy = f"give data= a folder with train and test files, or {HINT}"
    try:
        training = open_split("train")
    except UserError as error:
        problem = f"{task.name}: the prompt lists the labels of a training split, and there is none ({error})"
        raise UserError(f"{problem}; {remedy}") from None
    if split != "train" and training.fingerprint == data.fingerprint:
        raise UserError(
            f"{task.name}: the prompt lists the labels of a training split, and there is only the scored one; {remedy}"
        )
    labels = sorted({label for example in training.examples() for label in example.references if label.strip()})
    if not labels:
        raise UserError(f"{task.name}: no row of the training split has a label; {remedy}")
    return tuple(labels)


def row_options(strategy: strategies.Strategy, data: sources.Dataset) -> tuple[str, ...]:
    """The options of the first row, where the strategy asks for one of a row's options; empty for other strategies."""
    if not (isinstance(strategy, Label) and strategy.by == "generation"):
        return ()
    first = next(iter(data.examples()), None)
    return () if first is None else tuple(first.options)


def with_labels(reader: models.Reader, labels: tuple[str, ...]) -> models.Reader:
    """The reader with these labels, if it is one that scores each label (`Likelihood`); else the reader as it is."""
    return replace(reader, labels=labels) if isinstance(reader, Likelihood) else reader


def check_labels(
    strategy: strategies.Strategy, reader: models.Reader, labels: Sequence[str], limit: int | None
) -> None:
    """Raise `UserError` where the prompt lists labels and they leave no room for the document in `limit` tokens."""
    ending = strategy.ending(labels)
    if limit is not None and ending and (tokens := reader.count([ending])[0]) >= limit:
        raise UserError(
            f"the list of {len(labels):,} labels takes {tokens:,} tokens, and the prompt has at most {limit:,}: "
            f"give a model with a larger window, or fewer labels, {HINT}"
        )
