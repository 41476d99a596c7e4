"""The reader of a run, made and checked: strategy, chunker and output length have to go with it.

What does not is a `UserError`.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

import chunkers
import models
from longdoc.errors import UserError
from longdoc.registry import name_of
from models.likelihood import adapt
from models.requests import Classify, Compare, Generate, Score
from pipelines import strategies, tasks
from pipelines.engine.planning.argument_types import ReaderSpec
from pipelines.engine.planning.files.price_file import with_prices
from pipelines.engine.planning.run_arguments import PlanArguments
from pipelines.strategies.label import Label

NO_READER = "none"  # passages are selected and measured, and no model is asked


def reader_of(
    options: PlanArguments,
    model: ReaderSpec,
    strategy: strategies.Strategy,
    revision: str | None,
    labels: tuple[str, ...],
) -> tuple[models.Reader, strategies.Strategy]:
    """The reader with the run's fields, and the strategy that suits it.

    Where the strategy needs other answers than the reader gives, a reader that scores is adapted.
    """
    fields = {
        name: value
        for name, value in {
            "device": options["device"],
            "dtype": options["dtype"],
            "max_input_tokens": options["max_input_tokens"],
            "revision": revision,
            "options": options["model_options"] or None,
        }.items()
        if value is not None
    }
    reader = models.get(model, **fields)
    if options["deterministic"]:
        reader = _deterministic(model, reader, fields)
    reader = with_prices(reader, options["prices_from"])
    if reader.reads and not strategy.needs:
        raise UserError(f"the strategy {name_of(strategy)} asks no model: model='none'")
    other = strategy.suited(reader)
    if _may_replace(strategy, other, reader, options["strategy"] is not None):
        strategy = other
    lacking_entries = strategy.needs - reader.supports
    if lacking_entries and lacking_entries <= {Classify, Compare} and Score in reader.supports:
        reader, lacking_entries = adapt(reader, labels), frozenset()
    if lacking_entries:
        kinds_text = ", ".join(sorted(kind.__name__ for kind in lacking_entries))
        problem = f"this strategy makes {kinds_text} requests, which the reader {name_of(reader)!r} does not answer"
        fits = [f"strategy={name!r}" for name in _that_fit(strategy, other, reader)]
        raise UserError(f"{problem}; choose one that fits: {' or '.join(fits)}" if fits else problem)
    if Classify in strategy.needs and labels and reader.output_labels and set(reader.output_labels) != set(labels):
        problem = f"the reader tells {', '.join(reader.output_labels)} apart, the task {', '.join(labels)}"
        raise UserError(f"{problem}: train a reader on the task's labels, or rename them in its config.json (id2label)")
    return reader, strategy


def _may_replace(
    strategy: strategies.Strategy, other: strategies.Strategy, reader: models.Reader, is_given: bool
) -> bool:
    """Whether the strategy that suits a reader takes the place of the one of the run.

    One of another name does not where a strategy was given; only a chat model is asked in words to write what others
    classify or compare.
    """
    writes = Generate in other.needs - strategy.needs
    return (type(other) is type(strategy) or not is_given) and (reader.is_chat or not writes)


def _that_fit(strategy: strategies.Strategy, other: strategies.Strategy, reader: models.Reader) -> list[str]:
    """What to give in place of a strategy that a reader does not go with: what finds the same, else all that fit."""
    if isinstance(strategy, Label) and Generate in reader.supports:
        return [f"{name_of(strategy)}:by=generation"]
    if other.needs <= reader.supports:
        return [name_of(other)]
    return [name for name in strategies.names() if strategies.get(name).needs <= reader.supports]


def _deterministic(model: Any, reader: models.Reader, fields: dict[str, Any]) -> models.Reader:
    """Readers without weights are deterministic as they are; the others take it as a field."""
    if not (dataclasses.is_dataclass(reader) and "deterministic" in reader.__dataclass_fields__):
        return reader
    return models.get(model, **fields, deterministic=True)


def length_of(
    wanted_count: int | None,
    task: tasks.Task,
    reader: models.Reader,
    strategy: strategies.Strategy,
    labels: Sequence[str],
) -> int:
    """The output length: the given one, or the strategy's for the task, lowered to the longest that the reader writes.

    `labels` are those that the strategy decides between.
    """
    longest = reader.max_output_tokens
    usual_count = (task.chat.max_new_tokens if task.chat and reader.is_chat else 0) or task.max_new_tokens
    usual_count = usual_count if wanted_count else strategy.output_length(usual_count, labels, reader.count)
    if longest is None:
        return wanted_count or usual_count
    if wanted_count is not None and wanted_count > longest:
        raise UserError(f"max_new_tokens={wanted_count} is over the reader's longest output: give at most {longest}")
    return wanted_count or min(usual_count, longest)


def longest_output(strategy: strategies.Strategy, length: int, reader: models.Reader) -> int:
    """The longest output that a strategy asks for. Raises `UserError` for one that the reader does not write."""
    wanted_count, longest = strategy.longest_output(length), reader.max_output_tokens
    if longest is not None and wanted_count > longest:
        raise UserError(
            f"the strategy {name_of(strategy)} asks for up to {wanted_count:,} tokens, and the reader's "
            "longest output are "
            f"{longest:,}: give the strategy reasoning_tokens={longest}, or max_new_tokens={max(1, longest // 8)}"
        )
    return wanted_count


def check_whole_documents(reader: models.Reader, chunker: chunkers.Chunker, budget: int | None) -> None:
    """Refuse parts of documents where the reader makes sense of whole ones only."""
    if reader.needs_whole_document and (
        not chunker.single_chunk or chunker.max_input_tokens is not None or budget is not None
    ):
        raise UserError(f"{name_of(reader)} reads whole documents: chunker='whole', and no budget")


def check_window(reader: models.Reader, length: int) -> None:
    """Refuse an output that leaves no room for a prompt, where both share one window."""
    window = reader.prompt_limit(length)
    if window is not None and window < 1:
        raise UserError(reader.no_room_message(length))
