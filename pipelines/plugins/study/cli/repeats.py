"""The command `analyze repeats`: how a score varies between runs."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared.options import option, show_table
from pipelines.cli.shared.shared_options import Json


def repeats(
    logs: Annotated[
        list[Path], typer.Argument(metavar="LOG…", help="Runs or logs of one system, or one log with epochs.")
    ],
    cluster: Annotated[
        str | None, option("Of logs: the field that says which samples belong together.", "FIELD")
    ] = None,
    as_json: Json = False,
) -> None:
    """How a score varies between runs, and between documents.

    The runs are of one system over the same samples, with other seeds or trainings; of inspect_ai, epochs are runs.

    Example: longdoc analyze repeats runs/seed1 runs/seed2 runs/seed3

    Example: longdoc analyze repeats logs/five_epochs.eval --cluster document
    """
    from pipelines.plugins.study.repeats.repeats import repeats as measure

    show_table(measure(logs, cluster=cluster), as_json)
