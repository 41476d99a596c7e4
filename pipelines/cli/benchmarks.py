"""Commands about benchmarks: the scores of runs, and those that papers print."""

from pathlib import Path
from typing import Annotated

import typer

from longdoc.errors import UserError
from pipelines.cli.shared.options import option, say, show, show_table
from pipelines.cli.shared.shared_options import Json


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

    Each row is a system: all runs of one recipe. The papers' scores are added where they are comparable, and the mean
    where the benchmark defines one.

    Example: longdoc benchmark scores scrolls runs

    Example: longdoc benchmark scores muld runs/floor runs/t5 --out muld.html
    """
    from pipelines.display.table_display import show_view
    from pipelines.results.overviews.benchmark import benchmark as overview_of
    from pipelines.results.reports.write import TEXTS, format_kind, write

    if as_json and (out is not None or format is not None):
        raise UserError("--json means --format json: leave one of them out")
    overview = overview_of(name, runs or ["runs"])
    if as_json:
        show(overview, True)
    elif out is not None or format is not None:
        kind = format_kind(out, format, TEXTS, "format of an overview of several tasks")
        say(str(write(overview, out, kind)), exact=True)
    else:
        show_view(overview)


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

    show_table(published.published(task), as_json)
