"""The command `runs verify`: computes a run's numbers again from its logs, and compares."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared.options import DataNow, ReaderOfRun, show_table
from pipelines.cli.shared.shared_options import Json


def verify(
    run: Annotated[Path, typer.Argument(help="The folder of a run, a shard, an ablation or a versus.")],
    data: DataNow = None,
    model: ReaderOfRun = None,
    as_json: Json = False,
) -> None:
    """Check that a run's numbers are what its logs and data give.

    Prompts, predictions and scores are made again from the data and the logged replies, and compared with the folder's
    files; versions that differ from today's are named. Nothing is asked and nothing is written. Exit code 1 where
    something differs.

    Example: longdoc runs verify runs/first
    """
    from pipelines.plugins.verify.verify import verify as verify_folder

    result = verify_folder(run, data=data, model=model)
    show_table(result, as_json)
    if not result.agrees:
        raise typer.Exit(1)
