"""The command that writes a run in the format of another harness: export."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared.options import DataNow, ReaderOfRun, option, show
from pipelines.cli.shared.shared_options import Json


def export(
    run: Annotated[Path, typer.Argument(help="The folder of a finished run.")],
    to: Annotated[str, option("inspect or every_eval_ever.", "HARNESS")] = "inspect",
    out: Annotated[Path | None, option("The file: .eval or .json, default: in logs/.", "FILE")] = None,
    data: DataNow = None,
    model: ReaderOfRun = None,
    as_json: Json = False,
) -> None:
    """Write a run as a log of another harness.

    Of inspect_ai: samples with prompts and replies, scores, tokens, and the spans of the document that were shown. Of
    Every Eval Ever: scores with intervals, and those of each sample.

    Example: longdoc bridge export runs/qasper-94429586 --to inspect

    Example: longdoc bridge export runs/qasper-94429586 --out logs/qasper.eval

    Example: longdoc bridge export runs/qasper-94429586 --to every_eval_ever
    """
    from pipelines.plugins.bridges.export import export as write

    show(write(run, to=to, out=out, data=data, model=model), as_json)  # type: ignore[arg-type]
