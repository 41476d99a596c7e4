"""The options that commands share, and how their values become the verbs' arguments."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from longdoc.errors import UserError

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Data = Annotated[str | None, typer.Option(help='"sample", or a local file or folder; default: the published files.')]
Split = Annotated[str | None, typer.Option(help="Default: the task's scored split.")]
Chunker = Annotated[str | None, typer.Option(help='"tokens:size=100", "sentences", "truncate:512" …')]
Retriever = Annotated[str | None, typer.Option(help='"tfidf", "bm25", "dense", "hybrid:[bm25,dense]", "first" …')]
K = Annotated[int | None, typer.Option("--k", "-k", help="How many chunks the reader sees.")]
Budget = Annotated[int | None, typer.Option(help="Instead of k: prompt tokens, as the reader counts.")]
Query = Annotated[str | None, typer.Option(help='"centroid": rank chunks by the document itself, not by a question.')]
Order = Annotated[str | None, typer.Option(help='"score" or "document".')]
Strategy = Annotated[str | None, typer.Option(help="How chunks become one output.")]
Model = Annotated[str | None, typer.Option("--model", "-m", help='A hub id, a folder, "extractive", "floor" …')]
PromptText = Annotated[
    str | None, typer.Option("--prompt", help='A template: "{query} {document}"; or "row", "chat", "tags".')
]
MaxNew = Annotated[int | None, typer.Option("--max-new-tokens", help="Output length.")]
MaxIn = Annotated[int | None, typer.Option("--max-input-tokens", help="Bound on the prompt.")]
Device = Annotated[str | None, typer.Option(help='"cpu", "cuda", "cuda:1" …')]
Dtype = Annotated[str | None, typer.Option(help='"bf16", "fp32" …')]
Revision = Annotated[list[str] | None, typer.Option(help="The model's revision; or model=REV, data=REV.")]
Options = Annotated[list[str] | None, typer.Option("--model-option", help="KEY=VALUE for from_pretrained.")]
Seed = Annotated[int, typer.Option(help="Seed of every random choice.")]


def given(arguments: Mapping[str, Any], *apart: str) -> dict[str, Any]:
    """The options that were given, under the verbs' names."""
    options = {key: value for key, value in arguments.items() if value is not None and key not in (*apart, "verbs")}
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
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value


def show(record: Any, as_json: bool) -> None:
    """Print a record for a person, or as JSON."""
    print(json.dumps(record.to_dict(), indent=2, ensure_ascii=False) if as_json else str(record))


def show_answer(answer: Any, full: bool) -> None:
    """Print an answer: wrapped, bold and coloured on a terminal (no colours under NO_COLOR), else plain."""
    from rich.console import Console

    console = Console(highlight=False)
    if console.is_terminal:
        console.print(answer.rich(full))
    else:
        print(answer.plain(full))
