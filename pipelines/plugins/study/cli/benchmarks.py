"""Commands about submissions, data and outputs: submit, spread, lengths, outputs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines.cli.shared.options import Task, option, show_table
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
    split: Annotated[str | None, option("With --check: the data's split; default: test.", "SPLIT")] = None,
    partial: Annotated[bool, option("Allow tasks to be missing.", flags=("--partial",))] = False,
    as_json: Json = False,
) -> None:
    """Write a submission from finished runs, or check one.

    Example: longdoc benchmark submit scrolls runs/* --out submission
    """
    from pipelines.plugins.study.submissions import submission

    if check is not None:
        if runs or out is not None:
            raise UserError("--check checks one file; leave runs and --out out")
        checked = submission.check_submission(
            check, benchmark=benchmark, data=_data(data), partial=partial, split=split
        )
        show_table(checked, as_json)
        return
    if benchmark is None or not runs or out is None:
        raise UserError(
            "type longdoc benchmark submit scrolls|zero_scrolls RUN… --out FOLDER, "
            "or longdoc benchmark submit --check FILE"
        )
    if split is not None:
        raise UserError("--split needs --check: a run has its own split")
    show_table(submission.submit(benchmark, runs, out=out, data=_data(data), partial=partial), as_json)


def spread(task: Task, data: Data = None, split: Split = None, as_json: Json = False) -> None:
    """Measure how far apart in the document an output's words are.

    In one place, or spread over all of it.

    Example: longdoc analyze spread scrolls/qmsum --data val.jsonl
    """
    from pipelines.plugins.study.analysis.spread import spread as measure

    show_table(measure(task, data=data, split=split), as_json)


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
    from pipelines.plugins.study.analysis.lengths import lengths as measure

    show_table(measure(task, data=data, split=split, tokenizer=tokenizer), as_json)


def outputs(
    run: Annotated[Path, typer.Argument(help="The folder of a finished run.")],
    as_json: Json = False,
) -> None:
    """Count a run's outputs: lengths, malformed, "no answer".

    Example: longdoc analyze outputs runs/scrolls-qasper-1a2b3c4d
    """
    from pipelines.plugins.study.analysis.outputs import outputs as measure

    show_table(measure(run), as_json)


def _data(options: list[str] | None) -> Any:
    """The options --data as one path for all tasks, or as a mapping from task to path."""
    if not options:
        return None
    if len(options) == 1 and ("=" not in options[0] or Path(options[0]).exists()):
        return options[0]
    pairs = [text.split("=", 1) for text in options]
    if any(len(pair) == 1 for pair in pairs) or len({task for task, *_ in pairs}) < len(pairs):
        raise UserError("give --data once as a path, or as --data TASK=PATH for each of several tasks")
    return dict(pairs)
