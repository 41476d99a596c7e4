"""Commands that look at runs: view, runs, show, blame."""

from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.visible import note
from pipelines.cli.shared.options import option, renderer, say_path
from pipelines.cli.shared.options import show as print_record
from pipelines.cli.shared.shared_options import Json


def runs(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="FOLDER…", help="Where to look, and below; default: runs.")
    ] = None,
    task: Annotated[str | None, option("Only this task's.", "TASK")] = None,
    sort: Annotated[str, option('Within a task: "score", the best first; or "time", the latest.', "ORDER")] = "score",
    all: Annotated[bool, option("List the cells of ablations too.", flags=("--all",))] = False,
    as_json: Json = False,
) -> None:
    """List runs: what each ran, how far it is, what it scored.

    An ablation is one line with its cells counted; what is unfinished comes with the command that resumes it.

    Example: longdoc runs list

    Example: longdoc runs list experiments --task narrativeqa --sort time
    """
    from pipelines.results.run_folders import listing

    given_value: Any = {"sort": sort}
    print_record(
        listing.runs(*(folders or [Path("runs")]), task=task, all=all, **given_value), as_json, renderer("listing")
    )


def show(
    run: Annotated[Path, typer.Argument(help="The folder of a finished run.")],
    example: Annotated[
        str | None, typer.Argument(metavar="ID", help="An example's id; without one, all are listed.")
    ] = None,
    data: Annotated[str | None, option("Where the data are now; default: where they were.", "PATH", "Data")] = None,
    as_json: Json = False,
) -> None:
    """Show one example: question, output, what the model saw.

    Each passage is shown in its document, with the answer and the gold evidence marked.

    Example: longdoc show runs/narrativeqa-94429586 sample-01
    """
    from pipelines.results.run_folders import inspect

    value = inspect.show(run, example, data=data)
    print_record(value, as_json, renderer("example" if example is not None else "ids"))


def blame(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="The folders of finished runs, or logs of scores.")
    ],
    stage: Annotated[
        str | None,
        option("Only its examples: document, chunks, budget, ranked, selected, shown, answered, text.", "STAGE"),
    ] = None,
    limit: Annotated[int, option("How many examples to list behind each stage.", "N")] = 5,
    primary_metric: Annotated[str | None, option('The score of an answer: "f1", "rouge1" …', "SCORE")] = None,
    as_json: Json = False,
) -> None:
    """Show where wrong answers come from.

    How much gold evidence is in the document, in its chunks, ranked high enough, selected, and shown after truncation;
    how well it was then answered; and the examples behind each loss. Of logs of other harnesses: whether the answers'
    texts were in the prompts.

    Example: longdoc blame runs/hotpotqa-94429586

    Example: longdoc blame runs/tfidf runs/bm25 --stage ranked --limit 20
    """
    from pipelines.evaluation.blame import blame as blame_all

    print_record(blame_all(*runs, stage=stage, limit=limit, primary_metric=primary_metric), as_json)


def view(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FOLDER…", help="Where to look, and below; the page is in the first. Default: runs."),
    ] = None,
    once: Annotated[bool, option("Write it once, also while runs go on.", flags=("--once",))] = False,
    no_open: Annotated[bool, option("Do not open it in a browser.", flags=("--no-open",))] = False,
) -> None:
    """Open a page of all runs: state, scores, links.

    It is index.html in the folder. While runs go on it is written again every few seconds, and the open page follows;
    Ctrl-C ends that. Machines without a screen print its path only.

    Example: longdoc view

    Example: longdoc view runs experiments --once --no-open
    """
    from pipelines.results.index_page import browser
    from pipelines.results.index_page.view import IndexPage

    index = IndexPage(folders or [Path("runs")])
    index.write(live=not once)
    say_path(index.file)
    if not no_open:
        browser.open_page(index.file)
    if index.running and not once:
        running_text = "1 run goes" if index.running == 1 else f"{index.running:,} runs go"
        until = "the page is kept up to date until nothing runs any more, or Ctrl-C"
        note(f"{running_text} on; {until}")
        index.follow()
