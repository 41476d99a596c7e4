"""The command that makes data."""

from pathlib import Path
from typing import Annotated

import typer

from longdoc.errors import UserError
from pipelines.cli.shared.options import option, show
from pipelines.cli.shared.run_options import pair
from pipelines.cli.shared.shared_options import Json


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
    from pipelines.plugins.builders.build import build as make

    if manifest is not None and source is None:
        builder, source = None, Path(builder) if builder else None
    parameters = dict(pair(text, "--set") for text in fields or [])
    if misplaced := parameters.keys() & {"builder", "source", "out", "seed", "manifest"}:
        raise UserError(f"--set is for the builder's parameters; give {', '.join(sorted(misplaced))} without --set")
    show(make(builder, source, out=out, seed=seed, manifest=manifest, **parameters), as_json)
