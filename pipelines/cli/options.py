"""The options that commands share, and how their values become the verbs' arguments."""

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longdoc import plain_json
from longdoc.allowed_code import allow_code
from longdoc.errors import UserError
from pipelines.results.display import terminal

if TYPE_CHECKING:
    from rich.console import RenderableType


def option(help: str, metavar: str | None = None, group: str | None = None, flags: tuple[str, ...] = ()) -> Any:
    """An option under a heading of `--help` (`_cli_help.GROUPS`), its value called `metavar`."""
    return typer.Option(*flags, help=help, metavar=metavar, rich_help_panel=group)


Data = Annotated[
    str | None, option('"sample", or a local file or folder; default: the published files.', "PATH", "Data")
]
Split = Annotated[str | None, option("Default: the task's scored split.", "SPLIT", "Data")]
Limit = Annotated[int | None, option("The first N examples.", "N", "Data")]
Sample = Annotated[int | None, option("N examples drawn over the documents.", "N", "Data")]
Chunker = Annotated[str | None, option('"tokens:size=100", "sentences", "truncate:512" …', "CHUNKER", "Passages")]
Retriever = Annotated[
    str | None, option('"tfidf", "bm25", "dense", "hybrid:[bm25,dense]", "first" …', "RETRIEVER", "Passages")
]
K = Annotated[int | None, option("How many chunks the reader sees.", "N", "Passages", ("--k", "-k"))]
Budget = Annotated[int | None, option("Instead of k: prompt tokens, as the reader counts.", "TOKENS", "Passages")]
Query = Annotated[
    str | None,
    option('"centroid": rank chunks by the document itself, not by a question.', "QUERY", "Passages"),
]
Order = Annotated[str | None, option('"score" or "document".', "ORDER", "Passages")]
Strategy = Annotated[
    str | None, option('How chunks become one output: "stuff", "map_reduce", "refine" …', "STRATEGY", "Reader")
]
Model = Annotated[
    str | None, option('A hub id, a folder, "extractive", "floor" …', "MODEL", "Reader", ("--model", "-m"))
]
PromptText = Annotated[
    str | None,
    option('A template: "{query} {document}"; or "row", "chat", "tags".', "PROMPT", "Reader", ("--prompt",)),
]
MaxNew = Annotated[int | None, option("Output length.", "TOKENS", "Reader", ("--max-new-tokens",))]
MaxIn = Annotated[int | None, option("Bound on the prompt.", "TOKENS", "Reader", ("--max-input-tokens",))]
Device = Annotated[str | None, option('"cpu", "cuda", "cuda:1" …', "DEVICE", "Reader")]
Dtype = Annotated[str | None, option('"bf16", "fp32" …', "DTYPE", "Reader")]
Deterministic = Annotated[bool, option("fp32, one request a batch.", None, "Reader", ("--deterministic",))]
Revision = Annotated[list[str] | None, option("The model's revision; or model=REV, data=REV.", "REV", "Reader")]
Options = Annotated[
    list[str] | None, option("For from_pretrained; may be given again.", "KEY=VALUE", "Reader", ("--model-option",))
]
Metric = Annotated[list[str] | None, option("A metric; may be given again.", "METRIC")]
Seed = Annotated[int, option("Seed of every random choice.", "N")]


def _allowed(context: typer.Context, modules: list[str] | None) -> list[str] | None:
    """Allow the modules until the command ends."""
    if modules:
        context.with_resource(allow_code(*modules))
    return modules


AllowCode = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-code",
        callback=_allowed,
        metavar="MODULE",
        help="Let reader.json or run.json name code of this module; may be given again.",
    ),
]
Json = Annotated[bool, option("Print JSON.", flags=("--json",))]


def given(arguments: Mapping[str, Any], *apart: str) -> dict[str, Any]:
    """The options that were given, under the verbs' names."""
    apart = (*apart, "api", "allow_code")
    options = {key: value for key, value in arguments.items() if value is not None and key not in apart}
    if "metric" in options:
        options["metrics"] = options.pop("metric")
    if "revision" in options:
        options["revision"] = _revision(options["revision"])
    if "model_option" in options:
        options["model_options"] = dict(pair(option) for option in options.pop("model_option"))
    return options


def _revision(values: list[str]) -> str | dict[str, str]:
    named = dict(value.split("=", 1) for value in values if "=" in value)
    plain = [value for value in values if "=" not in value]
    if plain and (named or len(plain) > 1):
        raise UserError("give --revision once, or as --revision model=REV --revision data=REV")
    return plain[0] if plain else named


def pair(option: str, flag: str = "--model-option") -> tuple[str, Any]:
    """KEY=VALUE, the value being JSON or else a string."""
    key, equals, value = option.partition("=")
    if not equals:
        raise UserError(f"{flag} takes KEY=VALUE, got {option!r}")
    try:
        return key, plain_json.loads(value)
    except plain_json.NotJSON:
        return key, value


def show(
    record: Any, as_json: bool, draw: Callable[[Any], "RenderableType"] | None = None, exact: bool = False
) -> None:
    """Print a record: as JSON, as `draw` makes it on a terminal, else as text.

    `exact`: what is not for a terminal is the text to the letter.
    """
    if as_json:
        print(terminal.to_json(record.to_dict()))
    elif draw is not None and not terminal.plain():
        terminal.draw(draw(record))
    else:
        say(str(record), exact)


def say(text: str, exact: bool = False) -> None:
    """Print text: on a terminal with its lines broken between words, elsewhere as it is.

    `exact`: to the letter, but for what would command a terminal.
    """
    if exact and not sys.stdout.isatty():
        print(text)
    elif exact or terminal.plain():
        print(terminal.visible(text))
    else:
        from rich.text import Text

        terminal.draw(Text(terminal.visible(text)))


def show_answer(answer: Any, full: bool) -> None:
    """Print an answer: wrapped, bold and coloured on a terminal (no colours under NO_COLOR), else plain."""
    if terminal.plain():
        print(terminal.visible(answer.plain(full)))
    else:
        terminal.draw(answer.rich(full))


def drawn(name: str) -> Callable[[Any], "RenderableType"]:
    """A drawing of `pipelines.cli.render`, imported when something is drawn."""

    def draw(record: Any) -> "RenderableType":
        from pipelines.cli import render

        made: RenderableType = getattr(render, name)(record)
        return made

    return draw
