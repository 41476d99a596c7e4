"""The commands that look at runs: `runs list`, `show`, `blame` and `view`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.messages import counted, note
from pipelines.cli.shared.options import option, renderer, say_path, show_table
from pipelines.cli.shared.options import show as print_record
from pipelines.cli.shared.shared_options import Json


def runs(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="FOLDER…", help="Folders to search for runs; default: runs.")
    ] = None,
    task: Annotated[str | None, option("Only runs of this task.", "TASK")] = None,
    sort: Annotated[
        str, option('Order within a task: "score" (best first) or "time" (latest first).', "ORDER")
    ] = "score",
    all: Annotated[bool, option("List the cells of ablations too.", flags=("--all",))] = False,
    as_json: Json = False,
) -> None:
    """List runs with recipe, progress and scores.

    An ablation is one line. Unfinished runs come with the command that resumes them.

    Example: longdoc runs list

    Example: longdoc runs list experiments --task narrativeqa --sort time
    """
    from pipelines.results.run_folders import listing

    order: Any = sort  # `listing.runs` checks it
    record = listing.runs(*(folders or [Path("runs")]), task=task, all=all, sort=order)
    print_record(record, as_json, renderer("listing"))


def show(
    run: Annotated[Path, typer.Argument(help="The folder of a finished run.")],
    example: Annotated[
        str | None, typer.Argument(metavar="ID", help="An example's id; without one, all are listed.")
    ] = None,
    data: Annotated[str | None, option("Where the data are now, if they were moved.", "PATH", "Data")] = None,
    as_json: Json = False,
) -> None:
    """Show one example: question, output, what the model saw.

    Each passage is shown in its document, with the answer and the gold evidence marked.

    Example: longdoc show runs/narrativeqa-94429586 sample-01
    """
    from pipelines.results.run_folders import inspect

    record = inspect.show(run, example, data=data)
    if example is None:
        show_table(record, as_json)
    else:
        print_record(record, as_json, renderer("example"))


def blame(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="The folders of finished runs, or logs of scores.")
    ],
    stage: Annotated[
        str | None,
        option("Only examples lost at: document, chunks, budget, ranked, selected, shown, answered, text.", "STAGE"),
    ] = None,
    limit: Annotated[int, option("How many examples to list for each stage.", "N")] = 5,
    primary_metric: Annotated[str | None, option('The score of an answer: "f1", "rouge1" …', "SCORE")] = None,
    as_json: Json = False,
) -> None:
    """Show where wrong answers come from.

    Follows the gold evidence: is it in the document, in its chunks, ranked high enough, selected, shown after
    truncation, and then answered? Lists the examples lost at each stage. For logs of other harnesses it checks whether
    the prompts contain the answers.

    Example: longdoc blame runs/hotpotqa-94429586

    Example: longdoc blame runs/tfidf runs/bm25 --stage ranked --limit 20
    """
    from pipelines.api.blaming import blame as blame_all

    show_table(blame_all(*runs, stage=stage, limit=limit, primary_metric=primary_metric), as_json)


def view(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FOLDER…", help="Folders to search; the page is in the first. Default: runs."),
    ] = None,
    once: Annotated[bool, option("Write it once, even while runs are in progress.", flags=("--once",))] = False,
    no_open: Annotated[bool, option("Do not open it in a browser.", flags=("--no-open",))] = False,
) -> None:
    """Open a page of all runs: state, scores, links.

    The page is index.html in the folder. While runs are in progress it is updated every few seconds, in the browser
    too, until they end or you press Ctrl-C. Machines without a screen only print its path.

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
        note(f"{counted(index.running, 'run')} in progress; the page is updated until all have ended, or until Ctrl-C")
        index.follow()
