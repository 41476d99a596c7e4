"""Commands that make data and readers, and evaluations without a run: agreement, fetch, build, train."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines.cli.shared import set_option
from pipelines.cli.shared.options import Task, option, show
from pipelines.cli.shared.run_options import REPEATED, converted, pair, takes_run_options, typer_option
from pipelines.cli.shared.shared_options import Json
from pipelines.display import terminal
from pipelines.engine.planning.options import command_line_options


@takes_run_options("agreement", keys={"task": str})
def agreement(task: Task, arguments: Mapping[str, Any], as_json: Json = False) -> None:
    """Score references against each other: how far people agree.

    Each reference of an example against its others.

    Example: longdoc analyze agreement zero_scrolls/squality --data dev.jsonl --split validation
    """
    from pipelines.evaluation.agreement import agreement as compare

    show(compare(task, **arguments), as_json)


def fetch(
    names: Annotated[list[str], typer.Argument(metavar="TASK|MODEL…", help="Tasks and models.")],
    split: Annotated[str | None, typer_option("split")] = None,
    revision: Annotated[str | None, option("A hub revision.", "REV")] = None,
    as_json: Json = False,
) -> None:
    """Fill the hub cache, for a machine without network.

    With the published files of tasks and with models.

    Example: longdoc data fetch narrativeqa google-t5/t5-base
    """
    from pipelines import api

    paths = api.fetch(*names, split=split, revision=revision)
    lines = "\n".join(f"{name}: {path}" for name, path in paths.items())
    print(json.dumps(paths, indent=2) if as_json else terminal.visible(lines))


def build(
    builder: Annotated[str | None, typer.Argument(help="A builder; with --manifest, the source.")] = None,
    source: Annotated[Path | None, typer.Argument(help="Its file or folder.")] = None,
    out: Annotated[Path, option("A new or empty folder for the set.", "FOLDER")] = ...,  # type: ignore[assignment]
    fields: Annotated[
        list[str] | None, option("A parameter; may be given again.", "FIELD=VALUE", flags=("--set",))
    ] = None,
    seed: Annotated[int | None, option("Seed of every random choice; default: 0.", "N")] = None,
    manifest: Annotated[Path | None, option("Make the set of this manifest.json again.", "FILE")] = None,
    as_json: Json = False,
) -> None:
    """Make long-document data out of short, or a benchmark's form.

    Out of short: length_filter, style_mix, extend_multihop, character_set. A benchmark's published form out of
    original releases: scrolls, zero_scrolls, space_digest, book_sum_sort. Out of nothing, at any length: ruler_like,
    graphwalks_like, mrcr_like, counting. Unanswerable twins of questions: without_evidence.

    Example: longdoc data build style_mix stories.jsonl --out mix --set low=2000 --set high=4000
    """
    from pipelines import api

    if manifest is not None and source is None:
        builder, source = None, Path(builder) if builder else None
    chosen_fields = dict(pair(option, "--set") for option in fields or [])
    if taken_names := chosen_fields.keys() & {"builder", "source", "out", "seed", "manifest"}:
        raise UserError(f"--set is for the builder's parameters; {', '.join(sorted(taken_names))} is given apart")
    show(api.build(builder, source, out=out, seed=seed, manifest=manifest, **chosen_fields), as_json)


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
    split: Annotated[str | None, option("Default: train.", "SPLIT", "Data")] = None,
    validation: Annotated[str | None, option("The split that decides when to stop.", "SPLIT", "Data")] = None,
    recipe: Annotated[str | None, option("How it learns; default: by the kind of reader.", "RECIPE")] = None,
    set_: Annotated[
        list[str] | None,
        option(
            "Of the recipe, or seldom given of a run, as order=score; may be given again.",
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
    from pipelines import api

    of_runs = [text for text in set_ or [] if text.partition("=")[0] in set_option.names_of("train")]
    arguments = {**arguments, **converted(set_option.settings(of_runs, "train", REPEATED))}
    hyperparameters = dict(pair(option, "--set") for option in set_ or [] if option not in of_runs)
    options = {"task", "model", "out", "split", "validation", "recipe", *command_line_options("train")}
    if taken_names := sorted(hyperparameters.keys() & options):
        raise UserError(f"--set is for the recipe's fields; {', '.join(taken_names)} is given apart")
    own_fields: dict[str, Any] = {"split": split, "validation": validation, "recipe": recipe}
    trained = api.train(task, model=model, out=out, **own_fields, **arguments, **hyperparameters)
    from pipelines.training.shared import ranks

    if ranks.is_main():
        show(trained, as_json)
