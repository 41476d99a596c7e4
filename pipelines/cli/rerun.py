"""The command `rerun`: a run again, with its own arguments or changed ones."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from pipelines.cli.shared.options import Details, option, recorded_command, show_result
from pipelines.cli.shared.run_options import takes_run_options
from pipelines.cli.shared.shared_options import Json
from pipelines.display import terminal


@takes_run_options("rerun")
def rerun(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, or of one run of an ablation.")],
    arguments: Mapping[str, Any],
    print_config: Annotated[
        bool, option("Only print the arguments, as a file for run --config.", flags=("--print-config",))
    ] = False,
    details: Details = False,
    as_json: Json = False,
) -> None:
    """Make a run again, with its own arguments or changed ones.

    Resumes an unfinished run. Prints a finished one without asking the model again, unless --out names another folder.
    Options that you leave out stay as they were. With changed options it is a new run in a folder of its own, and the
    differences are printed.

    Example: longdoc rerun runs/first --retriever bm25 --out runs/second

    Example: longdoc rerun runs/first --print-config
    """
    from pipelines import api
    from pipelines.engine.replay.rerun import Rerun, config_text

    if print_config:
        settings = Rerun.of(run, arguments).arguments
        print(terminal.to_json(settings) if as_json else terminal.visible(config_text(settings)))
        return
    with recorded_command():
        result = api.rerun(run, **arguments)
    show_result(result, as_json, details)
    if result.failures or result.judging.get("failures"):
        raise typer.Exit(1)
