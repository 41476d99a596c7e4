"""The command `ablate`: options may be given several times, which makes them axes."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines.cli.options import (
    AllowCode,
    Deterministic,
    Device,
    Json,
    Metric,
    Options,
    Revision,
    given,
    option,
    show,
)

AGAIN = " *"  # what the docstring of `ablate` explains
LIST = "N[,N…]"


Texts = list[str] | None
Numbers = list[str] | None  # "1,2,5" is three of them
Places = Annotated[Texts, option(f'"sample", or a local file or folder{AGAIN}', "PATH", "Data")]
Splits = Annotated[Texts, option(f"Default: the task's scored split{AGAIN}", "SPLIT", "Data")]
Firsts = Annotated[Numbers, option(f"The first N examples{AGAIN}", LIST, "Data")]
Samples = Annotated[Numbers, option(f"N examples drawn over the documents{AGAIN}", LIST, "Data")]
Chunkers = Annotated[Texts, option(f'"tokens:size=100", "sentences" …{AGAIN}', "CHUNKER", "Passages")]
Retrievers = Annotated[Texts, option(f'"tfidf", "bm25", "dense" …{AGAIN}', "RETRIEVER", "Passages")]
Ks = Annotated[
    Numbers,
    option(
        f"How many chunks the reader sees{AGAIN}",
        LIST,
        "Passages",
        flags=(
            "--k",
            "-k",
        ),
    ),
]
Budgets = Annotated[Numbers, option(f"Instead of k: prompt tokens{AGAIN}", LIST, "Passages")]
Queries = Annotated[Texts, option(f'"centroid" ranks by the document itself{AGAIN}', "QUERY", "Passages")]
Orders = Annotated[Texts, option(f'"score" or "document"{AGAIN}', "ORDER", "Passages")]
Strategies = Annotated[Texts, option(f"How chunks become one output{AGAIN}", "STRATEGY", "Reader")]
Models = Annotated[
    Texts,
    option(
        f'A hub id, a folder, "extractive" …{AGAIN}',
        "MODEL",
        "Reader",
        flags=(
            "--model",
            "-m",
        ),
    ),
]
Prompts = Annotated[Texts, option(f"A template, or a form of rows' prompts{AGAIN}", "PROMPT", "Reader")]
Dtypes = Annotated[Texts, option(f'"bf16", "fp32"{AGAIN}', "DTYPE", "Reader")]
Lengths = Annotated[Numbers, option(f"Output length{AGAIN}", LIST, "Reader", flags=("--max-new-tokens",))]
Limits = Annotated[Numbers, option(f"Bound on the prompt{AGAIN}", LIST, "Reader", flags=("--max-input-tokens",))]
Seeds = Annotated[Numbers, option(f"Seed of every random choice{AGAIN}", LIST)]

NUMBERS = ("limit", "sample", "k", "budget", "max_new_tokens", "max_input_tokens", "seed")
TEXTS = ("data", "split", "chunker", "retriever", "query", "order", "strategy", "model", "prompt", "dtype")


def ablate(
    task: Annotated[str | None, typer.Argument(help="A task of `longdoc tasks`; may stand in the grid's file.")] = None,
    grid: Annotated[Path | None, option("A YAML file: arguments, lists among them, and `variants`.", "FILE")] = None,
    data: Places = None,
    split: Splits = None,
    limit: Firsts = None,
    sample: Samples = None,
    chunker: Chunkers = None,
    retriever: Retrievers = None,
    k: Ks = None,
    budget: Budgets = None,
    query: Queries = None,
    order: Orders = None,
    strategy: Strategies = None,
    model: Models = None,
    prompt: Prompts = None,
    max_new_tokens: Lengths = None,
    max_input_tokens: Limits = None,
    dtype: Dtypes = None,
    seed: Seeds = None,
    metric: Metric = None,
    primary_metric: Annotated[
        str | None, option("The score that table and plots lead with; default: the first.", "SCORE")
    ] = None,
    baseline: Annotated[
        str | None, option('A cell, as in "k=10, retriever=tfidf"; default: the first.', "CELL")
    ] = None,
    deterministic: Deterministic = False,
    device: Device = None,
    revision: Revision = None,
    model_option: Options = None,
    out: Annotated[Path | None, option("The ablation's folder; the same again computes what is new.", "FOLDER")] = None,
    engine: Annotated[str, option('"local", "local:workers=4".', "ENGINE")] = "local",
    dry_run: Annotated[bool, option("Only show what would be done.", flags=("--dry-run",))] = False,
    yes: Annotated[bool, option("Start a large grid without asking.", flags=("--yes", "-y"))] = False,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Run a task many ways at once and compare them with a baseline.

    An option marked * is an axis if it is given again, numbers also as 1,2,5. Every combination is a run.

    Example: longdoc ablate narrativeqa --data sample --model extractive -k 1,2,5 --retriever tfidf --retriever bm25
    """
    from pipelines import api

    apart = ("task", "dry_run", "yes", "as_json", *NUMBERS, *TEXTS)
    arguments: dict[str, Any] = {**given(locals(), *apart, "apart"), "task": task, "yes": yes}
    for name in TEXTS:
        arguments |= _axis(name, locals()[name])
    for name in NUMBERS:
        arguments |= _axis(name, _counted(name, locals()[name]))
    if dry_run:
        show(api.plan_ablation(**arguments), as_json)
        return
    arguments["yes"] = yes or _confirmed(arguments)
    ablation = api.ablate(**arguments)
    if as_json:
        show(ablation, True)
    else:
        from pipelines.results.reports import terminal

        terminal.show_ablation(ablation)
    if any(cell.error is not None or cell.failures for cell in ablation.cells):
        raise typer.Exit(1)


def _axis(name: str, values: list[Any] | None) -> dict[str, Any]:
    """One value stays itself, several are an axis."""
    return {name: values[0] if len(values) == 1 else values} if values else {}


def _counted(name: str, values: list[str] | None) -> list[int] | None:
    pieces = [piece.strip() for value in values or () for piece in value.split(",")]
    try:
        return [int(piece) for piece in pieces] or None
    except ValueError:
        raise UserError(
            f"--{name.replace('_', '-')} takes whole numbers, as in 1,2,5; got {','.join(pieces)}"
        ) from None


def _confirmed(arguments: dict[str, Any]) -> bool:
    """Ask whether a large grid is meant, where somebody is there to say so."""
    from pipelines.ablations.planned import MANY
    from pipelines.ablations.request import lay_out

    laid = lay_out(**{name: value for name, value in arguments.items() if name not in ("yes", "engine", "out")})
    if laid.size <= MANY or not sys.stdin.isatty():
        return False
    return typer.confirm(f"{laid}. Start?", abort=True, err=True)


COMMANDS = (ablate,)
