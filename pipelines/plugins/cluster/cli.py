"""The command that joins the shards of a run: merge."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import lists
from pipelines.cli.shared.options import Details, option, show, show_result
from pipelines.cli.shared.run_options import typer_option
from pipelines.cli.shared.shared_options import Json


def merge(
    shards: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="The folders of all shards of a run, or of an ablation.")
    ],
    out: Annotated[
        Path | None, option("The merged run's folder; default: that of the run without --shard.", "FOLDER")
    ] = None,
    metrics: Annotated[
        list[str] | None,
        option("A metric of the run that is your own code, or several.", "METRIC[,…]", flags=("--metric",)),
    ] = None,
    report: Annotated[bool, typer_option("report")] = True,
    details: Details = False,
    as_json: Json = False,
) -> None:
    """Join the shards of a run or an ablation.

    They were made with --shard. The merged run has the predictions, scores and report of the run without shards, and is
    a run like any other. Shards that are missing, given twice, not finished or of another run are named.

    Example: longdoc runs merge runs/qasper-94429586-shard-* --out runs/qasper

    Example: longdoc runs merge runs/1 runs/2 runs/3 --out runs/whole --no-report
    """
    from pipelines.display.table_display import show_view
    from pipelines.plugins.cluster.shards import merge as merge_shards
    from pipelines.results.result import Result

    merged = merge_shards(*shards, out=out, metrics=lists.components("metrics", metrics or []), report=report)
    if isinstance(merged, Result):
        show_result(merged, as_json, details)
        failed = bool(merged.failures)
    else:
        failed = any(cell.error is not None or cell.failures for cell in merged.cells)
        show(merged, True) if as_json else show_view(merged)
    if failed:
        raise typer.Exit(1)
