"""The arguments of a run, declared once: name, type, default, and what the command line says of each.

`pipelines.run` and all functions that take some of them have them from here, the commands of `longdoc` their options,
and an ablation what can vary. Types that components are needed for stand in quotes: so the command line starts quickly.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, get_type_hints

if TYPE_CHECKING:
    from pipelines.engine.planning.argument_types import (
        ChunkerSpec,
        DataSpec,
        EngineSpec,
        Fill,
        MetricsSpec,
        Order,
        Query,
        ReaderSpec,
        RetrieverSpec,
        Revision,
        Select,
        StrategySpec,
        TaskSpec,
    )


@dataclass(frozen=True, slots=True)
class CommandLineOption:
    """How the command line offers an argument: under a heading (`group`) of `--help`, its value called `metavar`.

    `commands` take it beside `run`, `rerun` and `ablate`. `axis_help` is its text where `ablate` takes several values
    of it, and None where it takes one. `flags` are `--NAME` where none are given. `kind` is the plural of the kind of
    component that a value names, "words" for values that never hold a comma, "" for others. `default` is the
    argument's, in Python too.
    """

    group: str | None
    metavar: str | None
    help: str
    commands: frozenset[str]
    axis_help: str | None
    flags: tuple[str, ...]
    kind: str
    default: Any


def option(
    group: str | None,
    metavar: str | None,
    help: str,
    commands: str = "",
    *,
    axis: bool = True,
    axis_help: str | None = None,
    flags: tuple[str, ...] = (),
    kind: str = "",
    default: Any = None,
) -> CommandLineOption:
    """What is said of an argument. `axis_help` is `help` without its full stop where it is not given."""
    text = (axis_help or help.removesuffix(".")) if axis else None
    return CommandLineOption(group, metavar, help, frozenset(commands.split()), text, flags, kind, default)


class DataArgument(TypedDict, total=False):
    """Which data are read."""

    data: Annotated["DataSpec | None", option(
        "Data", "PATH", '"sample", or a local file or folder; default: the published files.',
        "prompt train agreement", axis_help='"sample", or a local file or folder',
    )]  # fmt: skip


class SplitArguments(TypedDict, total=False):
    """Which part of the data is run, by which words."""

    split: Annotated[str | None, option(
        "Data", "SPLIT", "Default: the task's scored split.", "prompt agreement", kind="words",
    )]  # fmt: skip
    prompts_from: Annotated[str | Path | None, option(
        "Data", "FILE", "The benchmark's own file of prompts, in place of our words; or FILE::GROUP.", "prompt",
        axis=False,
    )]  # fmt: skip
    limit: Annotated[int | None, option("Data", "N", "The first N examples.", "train agreement")]
    sample: Annotated[int | None, option(
        "Data", "N", "N examples drawn over the documents.", "train agreement",
    )]  # fmt: skip
    shard: Annotated[str | None, option(
        "Data", "I/N", "Of N shards the I-th: every N-th document; `longdoc runs merge` joins them.", axis=False,
    )]  # fmt: skip


class PassageArguments(TypedDict, total=False):
    """How documents are split and ranked, and how much is selected."""

    chunker: Annotated["ChunkerSpec | None", option(
        "Passages", "CHUNKER", '"tokens:size=100", "sentences", "truncate:512" …',
        "ask index cost prompt train", axis_help='"tokens:size=100", "sentences" …', kind="chunkers",
    )]  # fmt: skip
    retriever: Annotated["RetrieverSpec | None", option(
        "Passages", "RETRIEVER", '"best", "bm25", "dense", "hybrid:[bm25,dense]", "first" …',
        "ask index cost prompt train", axis_help='"best", "bm25", "dense" …', kind="retrievers",
    )]  # fmt: skip
    k: Annotated[int | None, option(
        "Passages", "N", "How many chunks are selected; default: the task's k, else as many as fit.",
        "ask prompt train", axis_help="How many chunks are selected", flags=("--k", "-k"),
    )]  # fmt: skip
    budget: Annotated[int | None, option(
        "Passages", "TOKENS", "Instead of k: prompt tokens, as the reader counts.", "ask prompt train",
        axis_help="Instead of k: prompt tokens",
    )]  # fmt: skip
    select: Annotated["Select | None", option(
        "Passages", "WORDS", 'Instead of k: words of selected text, headings counted; or "300 tokens".',
        "ask prompt train", axis_help='Words of selected text, or "300 tokens"', kind="words",
    )]  # fmt: skip


class FillArgument(TypedDict, total=False):
    """What happens to the first passage that does not fit."""

    fill: Annotated["Fill | None", option(
        "Passages", "FILL", 'The first passage over --select: "cut" (default), "skip" or "stop".',
        "ask prompt train evidence",
        axis_help='"cut", "skip" or "stop" at the first passage over --select', kind="words",
    )]  # fmt: skip


class RankingArguments(TypedDict, total=False):
    """By what chunks are ranked, and in which order they are shown."""

    query: Annotated["Query | None", option(
        "Passages", "QUERY", '"centroid": rank chunks by the document itself, not by a question.', "prompt",
        axis_help='"centroid" ranks by the document itself', kind="words",
    )]  # fmt: skip
    order: Annotated["Order | None", option(
        "Passages", "ORDER", '"score" or "document".', "ask prompt train", kind="words",
    )]  # fmt: skip


class ReaderArguments(TypedDict, total=False):
    """Who reads, and what it is asked."""

    strategy: Annotated["StrategySpec | None", option(
        "Reader", "STRATEGY", 'How chunks become one output: "stuff", "map_reduce", "refine" …', "ask prompt train",
        axis_help="How chunks become one output", kind="strategies",
    )]  # fmt: skip
    model: Annotated["ReaderSpec | None", option(
        "Reader", "MODEL", 'A hub id, a folder, a GGUF file, "extractive", "floor" …', "ask index prompt",
        axis_help='A hub id, a folder, a GGUF file, "extractive" …', flags=("--model", "-m"), kind="readers",
    )]  # fmt: skip
    server: Annotated[str | None, option(
        "Reader", "URL", "A model server in place of --model: llama.cpp, vLLM or Ollama.", "ask index prompt",
        axis=False,
    )]  # fmt: skip
    prompt: Annotated[str | None, option(
        "Reader", "PROMPT", 'A template: "{query} {document}"; or "row", "chat", "tags", "t5", "flan" …',
        "ask cost prompt train", axis_help='A template, or "chat", "row" …',
    )]  # fmt: skip


class MetricsArgument(TypedDict, total=False):
    """What is scored."""

    metrics: Annotated["MetricsSpec | None", option(
        None, "METRIC", "A metric, or several.", "agreement", axis=False, flags=("--metric",), kind="metrics",
    )]  # fmt: skip


class ComputingArguments(TypedDict, total=False):
    """How the reader computes."""

    max_new_tokens: Annotated[int | None, option("Reader", "TOKENS", "Output length.", "ask cost train")]
    max_input_tokens: Annotated[int | None, option(
        "Reader", "TOKENS", "Bound on the prompt.", "ask cost prompt train",
    )]  # fmt: skip
    device: Annotated[str | None, option(
        "Reader", "DEVICE", '"cpu", "cuda", "cuda:1" …', "ask train", axis=False,
    )]  # fmt: skip
    dtype: Annotated[str | None, option(
        "Reader", "DTYPE", '"bf16", "fp32" …', axis_help='"bf16", "fp32"', kind="words",
    )]  # fmt: skip
    deterministic: Annotated[bool, option(
        "Reader", None, "fp32, one request per batch.", axis=False,
        flags=("--deterministic/--no-deterministic", ), default=False,
    )]  # fmt: skip
    revision: Annotated["Revision | None", option(
        "Reader", "REV", "The model's revision; or model=REV, data=REV.", "prompt train", axis=False,
    )]  # fmt: skip


class OutputArguments(TypedDict, total=False):
    """How a run is made, and what it writes."""

    out: Annotated[str | Path | None, option(
        None, "FOLDER", "The run's folder; the same run again resumes it.", axis=False,
    )]  # fmt: skip
    engine: Annotated["EngineSpec", option(
        None, "ENGINE", '"local:processes=4", "ray:address=auto,readers=4,gpus=1", "batch:FOLDER".', axis=False,
        default="local",
    )]  # fmt: skip
    go_on: Annotated[bool, option(
        None, None, "Send all requests, though first outputs are empty or a server cuts prompts.", axis=False,
        flags=("--go-on/--no-go-on", ), default=False,
    )]  # fmt: skip
    report: Annotated[bool, option(
        None, None, "Write no page (report.html); `longdoc report` does later.", axis=False,
        flags=("--report/--no-report", ), default=True,
    )]  # fmt: skip


class SeedArgument(TypedDict, total=False):
    """The random choices."""

    seed: Annotated[int, option(
        None, "N", "Seed of every random choice.", "prompt train agreement", default=0,
    )]  # fmt: skip


class ModelArguments(TypedDict, total=False):
    """What `from_pretrained` takes."""

    model_options: Annotated[Mapping[str, Any] | None, option(
        "Reader", "KEY=VALUE", "For from_pretrained; may be given again.", axis=False,
        flags=("--model-option", ),
    )]  # fmt: skip


class PricesArgument(TypedDict, total=False):
    """The prices of tokens."""

    prices_from: Annotated[str | Path | None, option(
        None, "FILE", "Prices of models behind APIs: YAML, JSON, TOML or CSV.", "cost", axis=False, flags=("--prices",
        ),
    )]  # fmt: skip


class JudgeArguments(TypedDict, total=False):
    """Who judges the predictions when the run is finished."""

    judge: Annotated["ReaderSpec | None", option(
        "Judge", "MODEL", 'A model that says which predictions are right: "openai:MODEL", any that generates.',
        axis=False, kind="readers",
    )]  # fmt: skip
    judge_prompts_from: Annotated[str | Path | None, option(
        "Judge", "FILE", "The file with the judge's prompt, in place of our words; or FILE::WORD.", axis=False,
    )]  # fmt: skip


class AskArguments(
    PassageArguments, FillArgument, RankingArguments, ReaderArguments, ComputingArguments,
    SeedArgument, ModelArguments, total=False,
):  # fmt: skip
    """The arguments of a run that questions about documents take: how passages are selected and read."""


class RecipeArguments(
    SplitArguments, PassageArguments, FillArgument, RankingArguments, ReaderArguments,
    MetricsArgument, ComputingArguments, SeedArgument, ModelArguments, PricesArgument, total=False,
):  # fmt: skip
    """The arguments of a run that decide its numbers, save task and data."""


class PlanArguments(
    DataArgument, SplitArguments, PassageArguments, FillArgument, RankingArguments, ReaderArguments,
    MetricsArgument, ComputingArguments, SeedArgument, ModelArguments, PricesArgument, total=False,
):  # fmt: skip
    """The arguments that decide what is run: all but the task and those of `OutputArguments` and `JudgeArguments`."""


class RunChanges(
    DataArgument, SplitArguments, PassageArguments, FillArgument, RankingArguments, ReaderArguments,
    MetricsArgument, ComputingArguments, OutputArguments, SeedArgument, ModelArguments, PricesArgument, JudgeArguments,
    total=False,
):  # fmt: skip
    """What `run` takes besides the task, whose docstring explains them. None is the task's own recipe."""


class RunArguments(RunChanges):
    """What `run` takes."""

    task: "TaskSpec"


def types_of(arguments: type) -> dict[str, Any]:
    """The types of the arguments that a dictionary type declares."""
    from pipelines.engine.planning import argument_types

    return get_type_hints(arguments, localns=vars(argument_types))
