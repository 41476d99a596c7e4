"""The command that trains."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from longdoc.errors import UserError
from pipelines.cli.shared import set_option
from pipelines.cli.shared.options import Task, option, show
from pipelines.cli.shared.run_options import REPEATED, converted, pair, takes_run_options
from pipelines.cli.shared.shared_options import Json
from pipelines.engine.planning.options import command_line_options


@takes_run_options(
    "train",
    before={"split": "limit", "validation": "limit", "recipe": "seed", "set_": "seed"},
    keys={
        "task": str,
        "model": str | Mapping[str, Any],
        "out": str,
        "split": str,
        "validation": str,
        "recipe": str | Mapping[str, Any],
        "set_": Mapping[str, Any],
    },
)
def train(
    task: Task,
    model: Annotated[
        str, option("What to start from: a hub id, a folder, a reader.", "MODEL", "Reader", ("--model", "-m"))
    ],
    out: Annotated[Path, option("A folder for the trained reader.", "FOLDER")],
    arguments: Mapping[str, Any],
    split: Annotated[str | None, option("The split to train on; default: train.", "SPLIT", "Data")] = None,
    validation: Annotated[str | None, option("The split that decides when to stop.", "SPLIT", "Data")] = None,
    recipe: Annotated[str | None, option("How it learns; default: by the kind of reader.", "RECIPE")] = None,
    set_: Annotated[
        list[str] | None,
        option(
            "A field of the recipe, or a rare setting of a run, as order=score; may be given again.",
            "FIELD=VALUE",
            flags=("--set",),
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Train a reader on a task, or a retriever on its gold evidence.

    `longdoc run TASK --model FOLDER` uses a reader, `--retriever FOLDER` a retriever.

    Example: longdoc train style_change --model bi_encoder --data mix --out trained --set epochs=2
    """
    from pipelines.plugins.training.shared import ranks
    from pipelines.plugins.training.train import train as train_reader

    run_settings = [text for text in set_ or [] if text.partition("=")[0] in set_option.names_of("train")]
    arguments = {**arguments, **converted(set_option.settings(run_settings, "train", REPEATED))}
    hyperparameters = dict(pair(text, "--set") for text in set_ or [] if text not in run_settings)
    options = {"task", "model", "out", "split", "validation", "recipe", *command_line_options("train")}
    if misplaced := sorted(hyperparameters.keys() & options):
        raise UserError(f"--set is for the recipe's fields; give {', '.join(misplaced)} without --set")
    trained = train_reader(
        task, model=model, out=out, split=split, validation=validation, recipe=recipe, **arguments, **hyperparameters
    )
    if ranks.is_main():
        show(trained, as_json)
