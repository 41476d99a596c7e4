"""The command `ablate`: options may be given several times, which makes them axes."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines._cli_options import Data, Device, Json, Options, Revision, Split, given, show

AGAIN = "; several values make an axis"
LIST = "N[,N…]"


Texts = list[str] | None
Numbers = list[str] | None  # "1,2,5" is three of them
Chunkers = Annotated[Texts, typer.Option(help=f'"tokens:size=100", "sentences" …{AGAIN}')]
Retrievers = Annotated[Texts, typer.Option(help=f'"tfidf", "bm25", "dense" …{AGAIN}')]
Ks = Annotated[Numbers, typer.Option("--k", "-k", metavar=LIST, help=f"How many chunks the reader sees{AGAIN}")]
Budgets = Annotated[Numbers, typer.Option(metavar=LIST, help=f"Instead of k: prompt tokens{AGAIN}")]
Queries = Annotated[Texts, typer.Option(help=f'"centroid" ranks by the document itself{AGAIN}')]
Orders = Annotated[Texts, typer.Option(help=f'"score" or "document"{AGAIN}')]
Strategies = Annotated[Texts, typer.Option(help=f"How chunks become one output{AGAIN}")]
Models = Annotated[Texts, typer.Option("--model", "-m", help=f'A hub id, a folder, "extractive" …{AGAIN}')]
Prompts = Annotated[Texts, typer.Option(help=f"A template, or a form of rows' prompts{AGAIN}")]
Dtypes = Annotated[Texts, typer.Option(help=f'"bf16", "fp32"{AGAIN}')]
Lengths = Annotated[Numbers, typer.Option("--max-new-tokens", metavar=LIST, help=f"Output length{AGAIN}")]
Limits = Annotated[Numbers, typer.Option("--max-input-tokens", metavar=LIST, help=f"Bound on the prompt{AGAIN}")]
Seeds = Annotated[Numbers, typer.Option(metavar=LIST, help=f"Seed of every random choice{AGAIN}")]

NUMBERS = ("k", "budget", "max_new_tokens", "max_input_tokens", "seed")
TEXTS = ("chunker", "retriever", "query", "order", "strategy", "model", "prompt", "dtype")


def ablate(
    task: Annotated[str | None, typer.Argument(help="A task of `longdoc tasks`; may stand in the grid's file.")] = None,
    grid: Annotated[Path | None, typer.Option(help="A YAML file: arguments, lists among them, and `variants`.")] = None,
    data: Data = None,
    split: Split = None,
    limit: Annotated[int | None, typer.Option(help="The first N examples.")] = None,
    sample: Annotated[int | None, typer.Option(help="N examples drawn over the documents.")] = None,
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
    metrics: Annotated[
        list[str] | None, typer.Option("--metrics", help="A metric to compute; may be given again.")
    ] = None,
    metric: Annotated[str | None, typer.Option(help="The figure to lead with.")] = None,
    baseline: Annotated[
        str | None, typer.Option(help='A cell, as in "k=10, retriever=tfidf"; default: the first.')
    ] = None,
    deterministic: Annotated[bool, typer.Option("--deterministic", help="fp32, one request a batch.")] = False,
    device: Device = None,
    revision: Revision = None,
    model_option: Options = None,
    out: Annotated[
        Path | None, typer.Option(help="The ablation's folder; the same again computes what is new.")
    ] = None,
    engine: Annotated[str, typer.Option(help='"local", "local:workers=4".')] = "local",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Start a large grid without asking.")] = False,
    as_json: Json = False,
) -> None:
    """Run a task many ways at once and compare them with a baseline.

    Example: longdoc ablate narrativeqa --data sample --model extractive -k 1,2,5 --retriever tfidf --retriever bm25
    """
    from pipelines import verbs

    apart = ("task", "dry_run", "yes", "as_json", *NUMBERS, *TEXTS)
    arguments: dict[str, Any] = {**given(locals(), *apart, "apart"), "task": task, "yes": yes}
    for name in TEXTS:
        arguments |= _axis(name, locals()[name])
    for name in NUMBERS:
        arguments |= _axis(name, _counted(name, locals()[name]))
    if dry_run:
        show(verbs.plan_ablation(**{name: value for name, value in arguments.items() if name != "engine"}), as_json)
        return
    arguments["yes"] = yes or _confirmed(arguments)
    ablation = verbs.ablate(**arguments)
    show(ablation, as_json)
    if len(ablation.finished) < len(ablation.cells):
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
    from pipelines import verbs
    from pipelines.ablations.planned import MANY

    laid = verbs.lay_out(**{name: value for name, value in arguments.items() if name not in ("yes", "engine", "out")})
    if laid.size <= MANY or not sys.stdin.isatty():
        return False
    return typer.confirm(f"{laid}. Start?", abort=True, err=True)


COMMANDS = (ablate,)
