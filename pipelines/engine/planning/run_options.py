"""The arguments of a run, declared once: name, type, default, and help on the command line.

`pipelines.run(task, **options: Unpack[RunOptions])` and all functions that take some of them have them from here, so
that an editor leads from `k=` to this file; so do the commands of `longdoc`, ablations, settings files and the docs.
They are dictionary types, since Python unpacks no others into keyword arguments (PEP 692). Types that components are
needed for stand in quotes: so the command line starts quickly.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, get_type_hints

from longdoc.extensions import plugins
from pipelines.engine.planning.command_line_option import option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.engine.planning.argument_types import (
        ChunkerSpec,
        DataSpec,
        EngineSpec,
        MetricsSpec,
        Order,
        Query,
        ReaderSpec,
        RetrieverSpec,
        StrategySpec,
    )


class AskOptions(TypedDict, total=False):
    """The arguments that say how passages are selected and read; `ask` takes them too."""

    chunker: Annotated["ChunkerSpec | None", option(
        "Passages", "CHUNKER", 'How to split: "tokens:size=100", "sentences" …',
        "ask index cost prompt train", axis_help='"tokens:size=100", "sentences" …', kind="chunkers",
    )]  # fmt: skip
    retriever: Annotated["RetrieverSpec | None", option(
        "Passages", "RETRIEVER", 'How to rank: "bm25", "dense", "best" …',
        "ask index cost prompt train", axis_help='"best", "bm25", "dense" …', kind="retrievers",
    )]  # fmt: skip
    k: Annotated[int | None, option(
        "Passages", "N", "How many passages are selected.",
        "ask prompt train", axis_help="How many passages are selected", flags=("--k", "-k"),
    )]  # fmt: skip
    budget: Annotated[str | None, option(
        "Passages", "BUDGET", 'Instead of k: "300 words" or "2000 tokens".',
        "ask prompt train", axis_help='Instead of k: "300 words" or "2000 tokens"', kind="words",
    )]  # fmt: skip
    query: Annotated["Query | None", option(
        "Passages", "QUERY", '"centroid": rank by the document, not by the question.', "prompt",
        axis_help='"centroid" ranks by the document itself', kind="words",
    )]  # fmt: skip
    order: Annotated["Order | None", option(
        "Passages", "ORDER", 'Order of the passages: "score" or "document".', "ask prompt train", kind="words",
    )]  # fmt: skip
    strategy: Annotated["StrategySpec | None", option(
        "Reader", "STRATEGY", 'How passages are read: "stuff", "map_reduce" …', "ask prompt train",
        axis_help="How passages are read", kind="strategies",
    )]  # fmt: skip
    model: Annotated["ReaderSpec | None", option(
        "Reader", "MODEL", 'Hub id, FILE.gguf, "openai:NAME", "ID,device=cpu"',
        "ask index prompt",
        axis_help='A hub id, a .gguf file, "extractive" …', flags=("--model", "-m"), kind="readers",
    )]  # fmt: skip
    server: Annotated[str | None, option(
        "Reader", "URL", "Model server instead: llama.cpp, vLLM or Ollama.", "ask index prompt",
        axis=False,
    )]  # fmt: skip
    prompt: Annotated[str | None, option(
        "Reader", "PROMPT", '"{query} {document}", or a name: "chat", "t5" …',
        "ask cost prompt train", axis_help='A template, or "chat", "row" …',
    )]  # fmt: skip
    max_new_tokens: Annotated[int | None, option("Reader", "TOKENS", "Longest output, in tokens.", "ask cost train")]
    seed: Annotated[int, option(
        None, "N", "Seed of all random choices.", "prompt train agreement", default=0,
    )]  # fmt: skip


class PlanOptions(AskOptions, total=False):
    """The arguments that decide a run's numbers: also which data are read, and what is scored."""

    data: Annotated["DataSpec | Mapping[str, DataSpec] | None", option(
        "Data", "PATH", '"sample" or a path; default: the published data.',
        "prompt train agreement", axis_help='"sample", a file or a folder',
    )]  # fmt: skip
    data_revision: Annotated[str | None, option(
        "Data", "REV", "The commit of the published files; default: the newest.", "prompt train", axis=False,
    )]  # fmt: skip
    split: Annotated[str | None, option(
        "Data", "SPLIT", "Which split is scored; default: the task's own.", "prompt agreement", kind="words",
    )]  # fmt: skip
    prompts_from: Annotated[str | Path | None, option(
        "Data", "FILE", "The benchmark's own file of prompts, or FILE::GROUP of it.", "prompt",
        axis=False,
    )]  # fmt: skip
    limit: Annotated[int | None, option("Data", "N", "Only the first N examples.", "train agreement")]
    sample: Annotated[int | None, option(
        "Data", "N", "N random examples, spread over the documents.", "train agreement",
    )]  # fmt: skip
    shard: Annotated[str | None, option(
        "Data", "I/N", "Run part I of N; `longdoc runs merge` joins the parts.", axis=False,
    )]  # fmt: skip
    metrics: Annotated["MetricsSpec | None", option(
        None, "METRIC", "Scores to compute.", "agreement", axis=False, flags=("--metric",), kind="metrics",
    )]  # fmt: skip


if TYPE_CHECKING:
    from pipelines.plugins.judging.arguments import JudgeArguments

    class PluginOptions(JudgeArguments, total=False):
        """The arguments that plugins add, as far as type checkers can know them: those of ours."""
else:
    ANNOTATIONS = {name: annotation for plugin in plugins().values() for name, annotation in plugin.arguments.items()}
    PluginOptions = TypedDict("PluginOptions", ANNOTATIONS, total=False)


class RunOptions(PlanOptions, PluginOptions, total=False):
    """All arguments of a run but the task: also how it is made, and what it writes."""

    out: Annotated[str | Path | None, option(
        None, "FOLDER", "The run's folder; the same command resumes the run.", axis=False,
    )]  # fmt: skip
    engine: Annotated["EngineSpec", option(
        None, "ENGINE", 'Where it runs: "local:processes=4", "batch:FOLDER" …', axis=False,
        default="local",
    )]  # fmt: skip
    go_on: Annotated[bool, option(
        None, None, "Send all requests, even if the first outputs are empty.", axis=False,
        flags=("--go-on/--no-go-on", ), default=False,
    )]  # fmt: skip
    report: Annotated[bool, option(
        None, None, "Write no report.html; `longdoc report` can later.", axis=False,
        flags=("--report/--no-report", ), default=True,
    )]  # fmt: skip


def types_of(options: type) -> dict[str, Any]:
    """The types of the arguments that a dictionary type declares."""
    from pipelines.engine.planning import argument_types

    return get_type_hints(options, localns=vars(argument_types))
