"""The command `data fetch`, which fills the hub's cache."""

import json
from typing import Annotated

import typer

from pipelines.cli.shared.options import option
from pipelines.cli.shared.run_options import typer_option
from pipelines.cli.shared.shared_options import Json
from pipelines.display import terminal


def fetch(
    names: Annotated[list[str], typer.Argument(metavar="TASK|MODEL…", help="Tasks and models.")],
    split: Annotated[str | None, typer_option("split")] = None,
    revision: Annotated[str | None, option("A hub revision.", "REV")] = None,
    as_json: Json = False,
) -> None:
    """Fill the hub cache, for a machine without network.

    Downloads the published files of tasks, and models.

    Example: longdoc data fetch narrativeqa google-t5/t5-base
    """
    from pipelines import api

    paths = api.fetch(*names, split=split, revision=revision)
    lines = "\n".join(f"{name}: {path}" for name, path in paths.items())
    print(json.dumps(paths, indent=2) if as_json else terminal.visible(lines))
