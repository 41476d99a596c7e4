"""Commands about benchmarks and data: submit, benchmark, published, spread, lengths, outputs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines.cli.shared.options import Task, option, renderer, say, show
from pipelines.cli.shared.run_options import typer_option
from pipelines.cli.shared.shared_options import Json

Data = Annotated[str | None, option("A local file or folder; default: the published files.", "PATH", "Data")]
Split = Annotated[str | None, typer_option("split")]
Runs = Annotated[list[Path] | None, typer.Argument(metavar="RUN…", help="Folders of finished runs, one per task.")]


def submit(
    benchmark: Annotated[str | None, typer.Argument(help="scrolls or zero_scrolls.")] = None,
    runs: Runs = None,
    out: Annotated[Path | None, option("A folder for the files.", "FOLDER")] = None,
    data: Annotated[list[str] | None, option("PATH, or TASK=PATH: data to compare the ids with.", "PATH")] = None,
    check: Annotated[Path | None, option("Instead: check this CSV, or a task's JSON.", "FILE")] = None,
    split: Annotated[str | None, option("With --check: of the data; default: test.", "SPLIT")] = None,
    partial: Annotated[bool, option("Allow tasks to be missing.", flags=("--partial",))] = False,
    as_json: Json = False,
) -> None:
    """Write a submission from finished runs, or check one.

    Example: longdoc benchmark submit scrolls runs/* --out submission
    """
    from pipelines.results.leaderboards import submission

    if check is not None:
        if runs or out is not None:
            raise UserError("--check checks one file; leave runs and --out out")
        record = submission.check_submission(check, benchmark=benchmark, data=_data(data), partial=partial, split=split)
        show(record, as_json)
        return
    if benchmark is None or not runs or out is None:
        raise UserError(
            "type longdoc benchmark submit scrolls|zero_scrolls RUN… --out FOLDER, "
            "or longdoc benchmark submit --check FILE"
        )
    if split is not None:
        raise UserError("--split goes with --check; a run says its own split")
    show(submission.submit(benchmark, runs, out=out, data=_data(data), partial=partial), as_json)


def benchmark(
    name: Annotated[
        str, typer.Argument(metavar="BENCHMARK", help="muld, scrolls, zero_scrolls, longbench or infinitebench.")
    ],
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="RUN…", help="Folders of runs, or folders of these; default: runs.")
    ] = None,
    out: Annotated[Path | None, option("The file to write; its ending says what it is.", "FILE")] = None,
    format: Annotated[str | None, option("markdown, latex, csv, json, html.", "FORMAT")] = None,
    as_json: Json = False,
) -> None:
    """Print runs' scores on a benchmark's tasks, and the mean.

    A row for each system, that is, the runs of one recipe; the papers' scores beside where they are comparable, and the
    mean where the benchmark has one.

    Example: longdoc benchmark scores scrolls runs

    Example: longdoc benchmark scores muld runs/floor runs/t5 --out muld.html
    """
    from pipelines.display.table_display import show_view
    from pipelines.results.overviews.benchmark import benchmark as read
    from pipelines.results.reports.write import TEXTS, format_kind, write

    if as_json and (out is not None or format is not None):
        raise UserError("--json is --format json: leave one of them out")
    found_overview = read(name, runs or ["runs"])
    if as_json:
        show(found_overview, True)
    elif out is not None or format is not None:
        kind = format_kind(out, format, TEXTS, "format of an overview of several tasks")
        say(str(write(found_overview, out, kind)), exact=True)
    else:
        show_view(found_overview)


def published(
    task: Annotated[
        str,
        typer.Argument(
            help="A task, or a benchmark: muld, scrolls, zero_scrolls, longbench, longbench_v2, infinitebench, loogle, "
            "leval."
        ),
    ],
    as_json: Json = False,
) -> None:
    """Print the papers' scores for a task or a benchmark.

    Example: longdoc benchmark published scrolls/qmsum
    """
    from pipelines.results.leaderboards import published

    show(published.published(task), as_json, renderer("published"))


def spread(task: Task, data: Data = None, split: Split = None, as_json: Json = False) -> None:
    """Measure how far apart in the document an output's words are.

    In one place, or spread over all of it.

    Example: longdoc analyze spread scrolls/qmsum --data val.jsonl
    """
    from pipelines.results.analysis import spread as analysis

    show(analysis.spread(task, data=data, split=split), as_json)


def lengths(
    task: Task,
    data: Data = None,
    split: Split = None,
    tokenizer: Annotated[str, option("A model whose tokens are counted too.", "MODEL")] = "white-space",
    as_json: Json = False,
) -> None:
    """Measure inputs, outputs, duplicates, evidence out of reach.

    Example: longdoc analyze lengths scrolls/qasper --data dev.json --tokenizer google/flan-t5-base
    """
    from pipelines.results.analysis import lengths as analysis

    show(analysis.lengths(task, data=data, split=split, tokenizer=tokenizer), as_json)


def outputs(
    run: Annotated[Path, typer.Argument(help="The folder of a finished run.")],
    as_json: Json = False,
) -> None:
    """Count a run's outputs: lengths, malformed, "no answer".

    Example: longdoc analyze outputs runs/scrolls-qasper-1a2b3c4d
    """
    from pipelines.results.analysis import outputs as analysis

    show(analysis.outputs(run), as_json)


def _data(options: list[str] | None) -> Any:
    """One path for all tasks, or a mapping from task to path."""
    if not options:
        return None
    if len(options) == 1 and ("=" not in options[0] or Path(options[0]).exists()):
        return options[0]
    pairs = [option.split("=", 1) for option in options]
    if any(len(pair) == 1 for pair in pairs) or len({task for task, *_ in pairs}) < len(pairs):
        raise UserError("give --data once as a path, or as --data TASK=PATH for each of several tasks")
    return dict(pairs)
