"""The command `benchmark leaderboard`: all files of predictions and runs on a disk, scored, as tables and pages."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared.options import option, show_table
from pipelines.cli.shared.shared_options import Json


def leaderboard(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER…", help="Folders of files of predictions, and of runs.")
    ],
    out: Annotated[Path | None, option("A folder for the pages: leaderboard.html, and the examples.", "FOLDER")] = None,
    as_json: Json = False,
) -> None:
    """Score all files of predictions in folders, beside the runs there.

    Each file is scored as longdoc score does whose benchmark is recognized by its rows: systems and tasks, with
    coverage and intervals, curves where files name lengths; on the pages every number leads to its examples.

    Example: longdoc benchmark leaderboard published runs --out board
    """
    from pipelines.evaluation.leaderboard.leaderboard import leaderboard as score_all

    show_table(score_all(*folders, out=out), as_json)
