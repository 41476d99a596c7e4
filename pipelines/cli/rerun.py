"""The command that makes a run again by the arguments it was given: rerun."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from pipelines.cli.shared.options import option, recorded_command, show_result
from pipelines.cli.shared.run_options import takes_run_options
from pipelines.cli.shared.shared_options import Json
from pipelines.display import terminal


@takes_run_options("rerun")
def rerun(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder; one of an ablation's, too.")],
    arguments: Mapping[str, Any],
    print_config: Annotated[
        bool, option("Only print the arguments, as the YAML of `longdoc run --config`.", flags=("--print-config",))
    ] = False,
    signatures: Annotated[bool, option("Print what decides each score.", flags=("--signatures",))] = False,
    as_json: Json = False,
) -> None:
    """Make a run again, with its own arguments or changed ones.

    An unfinished run goes on; of a finished one nothing is asked again, and --out makes it anew. Options that are not
    given are as they were, whatever default they show. With one that makes it another run it gets a folder of its own,
    and what differs is printed.

    Example: longdoc rerun runs/first --retriever bm25 --out runs/second

    Example: longdoc rerun runs/first --print-config
    """
    from pipelines import api
    from pipelines.engine.replay.rerun import Rerun, config_text

    if print_config:
        fields = Rerun.of(run, arguments).arguments
        print(terminal.to_json(fields) if as_json else terminal.visible(config_text(fields)))
        return
    with recorded_command():
        result = api.rerun(run, **arguments)
    show_result(result, as_json, signatures)
    if result.failures or result.judging.get("failures"):
        raise typer.Exit(1)
