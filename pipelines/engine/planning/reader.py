"""The reader of a run, and whether strategy, chunker and output length go with it."""

from collections.abc import Sequence

import chunkers
import models
from longdoc.errors import UserError
from longdoc.registry import name_of
from models.likelihood import adapt
from models.requests import Classify, Compare, Generate, Score
from pipelines import strategies, tasks
from pipelines.engine.planning.argument_types import ReaderSpec
from pipelines.engine.planning.files.price_file import priced_reader
from pipelines.engine.planning.run_options import PlanOptions
from pipelines.strategies.label import Label

NO_READER = "none"  # the value of `model` for a run that selects passages and asks no model

MODELS = (
    "extractive  copies words from the passages by rules, without a download",
    "FILE.gguf  a model file on this machine (needs llama.cpp)",
    "ollama:NAME  a model of Ollama",
    "openai:NAME  a model behind an API; a server of your own is openai:NAME,base_url=URL",
    "ORGANIZATION/NAME  a model of the Hugging Face hub, such as google/flan-t5-base",
)


def missing_model_error(task: tasks.Task) -> UserError:
    """The error where a task on people's own data has no model; its notes are the choices."""
    error = UserError(f"{task.name} needs a model: model=NAME, one of these")
    for line in MODELS:
        error.add_note(line)
    return error


def reader_of(
    options: PlanOptions,
    model: ReaderSpec,
    strategy: strategies.Strategy,
    labels: tuple[str, ...],
) -> tuple[models.Reader, strategies.Strategy]:
    """The reader, and the strategy that suits it. Raises `UserError` where they do not go together.

    A reader that scores continuations is adapted to a strategy that needs it to classify or compare.
    """
    reader = priced_reader(model)
    if reader.reads and not strategy.needs:
        raise UserError(f"the strategy {name_of(strategy)} asks no model: give model='none'")
    suitable = strategy.suited(reader)
    if _may_replace(strategy, suitable, reader, options["strategy"] is not None):
        strategy = suitable
    lacking = strategy.needs - reader.supports
    if lacking and lacking <= {Classify, Compare} and Score in reader.supports:
        reader, lacking = adapt(reader, labels), frozenset()
    if lacking:
        kinds = ", ".join(sorted(kind.__name__ for kind in lacking))
        problem = f"this strategy makes {kinds} requests, which the reader {name_of(reader)!r} does not answer"
        alternatives = [f"strategy={spec!r}" for spec in _fitting_strategies(strategy, suitable, reader)]
        raise UserError(f"{problem}; choose one that fits: {' or '.join(alternatives)}" if alternatives else problem)
    if Classify in strategy.needs and labels and reader.output_labels and set(reader.output_labels) != set(labels):
        problem = f"the reader's labels are {', '.join(reader.output_labels)}, the task's {', '.join(labels)}"
        raise UserError(f"{problem}: train a reader on the task's labels, or rename them in its config.json (id2label)")
    return reader, strategy


def _may_replace(
    strategy: strategies.Strategy, suitable: strategies.Strategy, reader: models.Reader, is_given: bool
) -> bool:
    """Whether the strategy that suits a reader takes the place of the run's strategy.

    Not where a strategy of another name was given, and not where a model that is not a chat model would have to write
    what it now classifies or compares.
    """
    writes = Generate in suitable.needs - strategy.needs
    return (type(suitable) is type(strategy) or not is_given) and (reader.is_chat or not writes)


def _fitting_strategies(
    strategy: strategies.Strategy, suitable: strategies.Strategy, reader: models.Reader
) -> list[str]:
    """Strategies that a reader can answer, to give in place of `strategy`: the nearest one, else all."""
    if isinstance(strategy, Label) and Generate in reader.supports:
        return [f"{name_of(strategy)}:by=generation"]
    if suitable.needs <= reader.supports:
        return [name_of(suitable)]
    return [name for name in strategies.names() if strategies.get(name).needs <= reader.supports]


def length_of(
    max_new_tokens: int | None,
    task: tasks.Task,
    reader: models.Reader,
    strategy: strategies.Strategy,
    labels: Sequence[str],
) -> int:
    """The output length in tokens: `max_new_tokens`, else the task's, but not over the reader's longest output.

    The strategy may change the task's length by the `labels` that it decides between. Raises `UserError` for a given
    length that is over the reader's.
    """
    longest = reader.max_output_tokens
    if max_new_tokens is None:
        default = (task.chat.max_new_tokens if task.chat and reader.is_chat else 0) or task.max_new_tokens
        default = strategy.output_length(default, labels, reader.count)
        return default if longest is None else min(default, longest)
    if longest is not None and max_new_tokens > longest:
        raise UserError(f"max_new_tokens={max_new_tokens} is over the reader's longest output: give at most {longest}")
    return max_new_tokens


def longest_output(strategy: strategies.Strategy, max_new_tokens: int, reader: models.Reader) -> int:
    """The longest output in tokens that a strategy asks for. Raises `UserError` where the reader cannot write it."""
    length, longest = strategy.longest_output(max_new_tokens), reader.max_output_tokens
    if longest is not None and length > longest:
        raise UserError(
            f"the strategy {name_of(strategy)} asks for up to {length:,} tokens, and the reader writes at most "
            f"{longest:,}: give the strategy reasoning_tokens={longest}, or max_new_tokens={max(1, longest // 8)}"
        )
    return length


def check_whole_documents(reader: models.Reader, chunker: chunkers.Chunker, budget: int | None) -> None:
    """Raise `UserError` for parts of documents where the reader needs whole ones."""
    if reader.needs_whole_document and (
        not chunker.single_chunk or chunker.max_input_tokens is not None or budget is not None
    ):
        raise UserError(f"{name_of(reader)} reads whole documents only: give chunker='whole' and no budget")


def check_window(reader: models.Reader, length: int) -> None:
    """Raise `UserError` for an output length that leaves no room for a prompt, where both share one window."""
    window = reader.prompt_limit(length)
    if window is not None and window < 1:
        raise UserError(reader.no_room_message(length))
