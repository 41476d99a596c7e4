"""The arguments of a run, declared once: name, type, default, and what the command line says of each.

`pipelines.run` writes them out for editors, the commands of `longdoc` get their options from here, and an ablation
takes from here what can vary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from longdoc.arguments import unknown_argument
from longdoc.errors import UserError
from longdoc.whole_numbers import check_whole
from pipelines.engine.planning.shard import Shard

if TYPE_CHECKING:
    from pathlib import Path

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

COUNTS = ("k", "budget", "limit", "sample", "max_new_tokens", "max_input_tokens")
TEXTS = ("split", "prompt", "device", "dtype")
JUDGE = ("judge", "judge_prompts_from")  # asked when a run is finished
UNPLANNED = frozenset({"out", "engine", "reply_cache", "go_on", "report", *JUDGE})  # how a run is made, not what it is
ALTERNATIVES = (
    ("k", "budget"), ("k", "select"), ("budget", "select"), ("limit", "sample"), ("prompt", "prompts_from"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CommandLineOption:
    """How the command line offers an argument: under a heading (`group`) of `--help`, its value called `metavar`.

    `commands` take it beside `run`, `rerun` and `ablate`. `axis_help` is its text where `ablate` takes several values
    of it, and None where it takes one. `flags` are `--NAME` where none are given. `kind` is the plural of the kind of
    component that a value names, "words" for values that never hold a comma, "" for others.
    """

    group: str | None
    metavar: str | None
    help: str
    commands: frozenset[str]
    axis_help: str | None
    flags: tuple[str, ...]
    kind: str


def _option(
    group: str | None,
    metavar: str | None,
    help: str,
    commands: str = "",
    *,
    axis: bool = True,
    axis_help: str | None = None,
    flags: tuple[str, ...] = (),
    kind: str = "",
) -> dict[str, CommandLineOption]:
    """The metadata of a field of `RunOptions`. `axis_help` is `help` without its full stop where it is not given."""
    text = (axis_help or help.removesuffix(".")) if axis else None
    return {"option": CommandLineOption(group, metavar, help, frozenset(commands.split()), text, flags, kind)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The arguments of `pipelines.run`, whose docstring explains them. None is the task's own recipe."""

    task: TaskSpec
    data: DataSpec | None = field(default=None, metadata=_option(
        "Data", "PATH", '"sample", or a local file or folder; default: the published files.',
        "prompt train contrapro agreement", axis_help='"sample", or a local file or folder',
    ))  # fmt: skip
    split: str | None = field(default=None, metadata=_option(
        "Data", "SPLIT", "Default: the task's scored split.", "prompt contrapro agreement", kind="words",
    ))  # fmt: skip
    prompts_from: str | Path | None = field(default=None, metadata=_option(
        "Data", "FILE", "The benchmark's own file of prompts, in place of our words; or FILE::GROUP.",
        "prompt", axis=False,
    ))  # fmt: skip
    limit: int | None = field(
        default=None, metadata=_option("Data", "N", "The first N examples.", "train agreement contrapro")
    )
    sample: int | None = field(default=None, metadata=_option(
        "Data", "N", "N examples drawn over the documents.", "train agreement contrapro",
    ))  # fmt: skip
    shard: str | None = field(default=None, metadata=_option(
        "Data", "I/N", "Of N shards the I-th: every N-th document; `longdoc runs merge` joins them.", axis=False,
    ))  # fmt: skip
    chunker: ChunkerSpec | None = field(default=None, metadata=_option(
        "Passages", "CHUNKER", '"tokens:size=100", "sentences", "truncate:512" …',
        "ask index cost prompt train contrapro", axis_help='"tokens:size=100", "sentences" …', kind="chunkers",
    ))  # fmt: skip
    retriever: RetrieverSpec | None = field(default=None, metadata=_option(
        "Passages", "RETRIEVER", '"best", "bm25", "dense", "hybrid:[bm25,dense]", "first" …',
        "ask index cost prompt train", axis_help='"best", "bm25", "dense" …', kind="retrievers",
    ))  # fmt: skip
    k: int | None = field(default=None, metadata=_option(
        "Passages", "N", "How many chunks are selected; default: the task's k, else as many as fit.",
        "ask prompt train", axis_help="How many chunks are selected", flags=("--k", "-k"),
    ))  # fmt: skip
    budget: int | None = field(default=None, metadata=_option(
        "Passages", "TOKENS", "Instead of k: prompt tokens, as the reader counts.",
        "ask prompt train", axis_help="Instead of k: prompt tokens",
    ))  # fmt: skip
    select: Select | None = field(default=None, metadata=_option(
        "Passages", "WORDS", 'Instead of k: words of selected text, headings counted; or "300 tokens".',
        "ask prompt train", axis_help='Words of selected text, or "300 tokens"', kind="words",
    ))  # fmt: skip
    fill: Fill | None = field(default=None, metadata=_option(
        "Passages", "FILL", 'The first passage over --select: "cut" (default), "skip" or "stop".',
        "ask prompt train", axis_help='"cut", "skip" or "stop" at the first passage over --select', kind="words",
    ))  # fmt: skip
    query: Query | None = field(default=None, metadata=_option(
        "Passages", "QUERY", '"centroid": rank chunks by the document itself, not by a question.',
        "prompt", axis_help='"centroid" ranks by the document itself', kind="words",
    ))  # fmt: skip
    order: Order | None = field(default=None, metadata=_option(
        "Passages", "ORDER", '"score" or "document".', "ask prompt train", kind="words",
    ))  # fmt: skip
    strategy: StrategySpec | None = field(default=None, metadata=_option(
        "Reader", "STRATEGY", 'How chunks become one output: "stuff", "map_reduce", "refine" …',
        "ask prompt train", axis_help="How chunks become one output", kind="strategies",
    ))  # fmt: skip
    model: ReaderSpec | None = field(default=None, metadata=_option(
        "Reader", "MODEL", 'A hub id, a folder, "extractive", "floor" …',
        "ask index prompt contrapro", axis_help='A hub id, a folder, "extractive" …', flags=("--model", "-m"),
        kind="readers",
    ))  # fmt: skip
    prompt: str | None = field(default=None, metadata=_option(
        "Reader", "PROMPT", 'A template: "{query} {document}"; or "row", "chat", "tags", "t5", "flan" …',
        "ask cost prompt train contrapro", axis_help='A template, or "chat", "row" …',
    ))  # fmt: skip
    metrics: MetricsSpec | None = field(default=None, metadata=_option(
        None, "METRIC", "A metric, or several.", "agreement",
        axis=False, flags=("--metric",), kind="metrics",
    ))  # fmt: skip
    max_new_tokens: int | None = field(default=None, metadata=_option(
        "Reader", "TOKENS", "Output length.", "ask cost train",
    ))  # fmt: skip
    max_input_tokens: int | None = field(default=None, metadata=_option(
        "Reader", "TOKENS", "Bound on the prompt.", "ask cost prompt train contrapro",
    ))  # fmt: skip
    device: str | None = field(default=None, metadata=_option(
        "Reader", "DEVICE", '"cpu", "cuda", "cuda:1" …', "ask train contrapro", axis=False,
    ))  # fmt: skip
    dtype: str | None = field(default=None, metadata=_option(
        "Reader", "DTYPE", '"bf16", "fp32" …', "contrapro", axis_help='"bf16", "fp32"', kind="words",
    ))  # fmt: skip
    deterministic: bool = field(default=False, metadata=_option(
        "Reader", None, "fp32, one request per batch.", "contrapro", axis=False,
        flags=("--deterministic/--no-deterministic",),
    ))  # fmt: skip
    revision: Revision | None = field(default=None, metadata=_option(
        "Reader", "REV", "The model's revision; or model=REV, data=REV.", "prompt train contrapro", axis=False,
    ))  # fmt: skip
    out: str | Path | None = field(default=None, metadata=_option(
        None, "FOLDER", "The run's folder; the same run again resumes it.", axis=False,
    ))  # fmt: skip
    engine: EngineSpec = field(default="local", metadata=_option(
        None, "ENGINE", '"local:processes=4", "ray:address=auto,readers=4,gpus=1", "batch:FOLDER".', axis=False,
    ))  # fmt: skip
    reply_cache: bool = field(default=False, metadata=_option(
        None, None, "Share replies with other runs of the same reader (LONGDOC_CACHE).", axis=False,
        flags=("--reply-cache/--no-reply-cache",),
    ))  # fmt: skip
    go_on: bool = field(default=False, metadata=_option(
        None, None, "Send all requests, though first outputs are empty or a server cuts prompts.", axis=False,
        flags=("--go-on/--no-go-on",),
    ))  # fmt: skip
    report: bool = field(default=True, metadata=_option(
        None, None, "Write no page (report.html); `longdoc report` does later.", axis=False,
        flags=("--report/--no-report",),
    ))  # fmt: skip
    seed: int = field(default=0, metadata=_option(
        None, "N", "Seed of every random choice.", "prompt train contrapro agreement",
    ))  # fmt: skip
    model_options: Mapping[str, Any] | None = field(default=None, metadata=_option(
        "Reader", "KEY=VALUE", "For from_pretrained; may be given again.", "contrapro",
        axis=False, flags=("--model-option",),
    ))  # fmt: skip
    prices_from: str | Path | None = field(default=None, metadata=_option(
        None, "FILE", "Prices of models behind APIs: YAML, JSON, TOML or CSV.", "cost", axis=False, flags=("--prices",),
    ))  # fmt: skip
    judge: ReaderSpec | None = field(default=None, metadata=_option(
        "Judge", "MODEL", 'A model that says which predictions are right: "openai:MODEL", any that generates.',
        axis=False, kind="readers",
    ))  # fmt: skip
    judge_prompts_from: str | Path | None = field(default=None, metadata=_option(
        "Judge", "FILE", "The file with the judge's prompt, in place of our words; or FILE::WORD.", axis=False,
    ))  # fmt: skip

    @classmethod
    def of(cls, task: Any, arguments: Mapping[str, Any]) -> RunOptions:
        """The options of a task with these arguments. Raises `UserError` for a name that is no argument of a plan."""
        for name in arguments:
            if name not in planned_arguments():
                raise unknown_argument(name, planned_arguments())
            _check_single(name, arguments[name])
        return cls(task=task, **arguments)

    def check_counts(self) -> None:
        """Refuse values of other types, counts below one or beyond any use, and a pair that contradicts itself.

        Raises `UserError`.
        """
        for run_field in fields(self):
            value = getattr(self, run_field.name)
            if isinstance(value, str) and not value.strip() and run_field.name != "shard":  # which says what it takes
                raise UserError(f"{run_field.name} is empty: leave it out, or give it a value")
        for name in COUNTS:
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise UserError(f"{name} must be a whole number of at least 1, got {value!r}")
            check_whole(name, value)
        check_whole("seed", self.seed)
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise UserError(f"seed must be a whole number of at least 0, got {self.seed!r}")
        if self.shard is not None:
            Shard.of(self.shard)
        for name in TEXTS:
            if not isinstance(getattr(self, name), str | None):
                raise UserError(f"{name} must be a text, got {getattr(self, name)!r}")
        if not isinstance(self.revision, str | Mapping | None):
            raise UserError(f"revision must be a text, or a mapping with model and data, got {self.revision!r}")
        if not isinstance(self.deterministic, bool):
            raise UserError(f"deterministic must be True or False, got {self.deterministic!r}")
        for first, second in ALTERNATIVES:
            if getattr(self, first) is not None and getattr(self, second) is not None:
                raise UserError(f"{first} and {second} cannot be given together: choose one")

    def filled(self, **values: Any) -> RunOptions:
        """The same with these values where nothing was given."""
        return replace(self, **{name: value for name, value in values.items() if getattr(self, name) is None})

    def revisions(self) -> tuple[str | None, str | None]:
        """The model's and the data's revision: a string is the model's, a mapping says which is whose."""
        revision = self.revision
        if revision is None or isinstance(revision, str):
            return revision, None
        if set(revision) - {"model", "data"}:
            raise UserError(f"revision takes a string (the model's) or a mapping with model and data, got {revision!r}")
        return revision.get("model"), revision.get("data")


def _check_single(name: str, value: Any) -> None:
    """Refuse several values where one is taken; `data` may be a list of examples."""
    is_many = isinstance(value, (list, tuple)) and len(value) > 1
    if is_many and name != "data" and command_line_options()[name].axis_help is not None:
        problem = f"{name} takes one value here, got a list of {len(value)}"
        raise UserError(f"{problem}: ablate({name}=…) compares several (longdoc ablate)")


@cache
def command_line_options(command: str = "run") -> Mapping[str, CommandLineOption]:
    """The options that a command takes by the name of the argument, in the order of `pipelines.run`."""
    options = {field.name: field.metadata["option"] for field in fields(RunOptions) if "option" in field.metadata}
    is_whole = command in ("run", "ablate", "rerun", "versus")
    left_out_names = {"ablate": JUDGE, "versus": (*JUDGE, "shard")}.get(command, ())
    return {
        n: option
        for n, option in options.items()
        if (is_whole and n not in left_out_names) or command in option.commands
    }


@cache
def planned_arguments() -> frozenset[str]:
    """The arguments that decide what is run: all but the task and those of `UNPLANNED`."""
    return frozenset(field.name for field in fields(RunOptions)) - {"task"} - UNPLANNED


def changed(arguments: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with changes, which also replace those that cannot be given together with them: `k` by `select`."""
    pairs = (*ALTERNATIVES, *((second, first) for first, second in ALTERNATIVES))
    replaced = {other for name, other in pairs if changes.get(name) is not None}
    if "select" in replaced:
        replaced.add("fill")
    return {name: value for name, value in arguments.items() if name not in replaced} | dict(changes)


def default_of(name: str) -> Any:
    """An argument's default."""
    return RunOptions.__dataclass_fields__[name].default


def value_type(name: str) -> type:
    """The type of one value as it is typed on the command line: int, bool, or str for everything else."""
    return {"int": int, "int | None": int, "bool": bool}.get(str(RunOptions.__dataclass_fields__[name].type), str)
