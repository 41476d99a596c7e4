"""Builds a data set: long documents out of short ones, or texts of any length."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.files import output_folder
from pipelines.plugins.builders import _folder as sets
from pipelines.plugins.builders import builder as builders
from pipelines.plugins.builders.builder import Built


def build(
    builder: str | Mapping[str, Any] | builders.Builder | None = None,
    source: str | Path | None = None,
    *,
    out: str | Path,
    seed: int | None = None,
    manifest: str | Path | None = None,
    **fields: Any,
) -> Built:
    """Make long-document data out of short: rows of MuLD's layout, one JSON Lines file per split, and `manifest.json`.

    - `builder`: a name (`pipelines.builders.names()`), `NAME:ARGS`, a mapping or an object; `fields` its parameters.
    - `source`: a file or folder; the builder's page says what has to be in it. None for builders that make their texts
      themselves.
    - `out`: a new or empty folder, or one that holds the very same set.
    - `seed`: that of every random choice, 0 by default.
    - `manifest`: instead of builder and seed, to make a set again byte for byte. `source` and `fields` then only say
      where its data are now.

    Raises `UserError` for a source that the builder cannot read, and for a folder with other content.
    """
    source_path = None if source is None else Path(source)
    if manifest is not None:
        if builder is not None or seed is not None:
            raise UserError("the manifest says builder and seed: leave them out, or leave the manifest out")
        return sets.remake(Path(manifest), output_folder(out), source_path, fields)
    if builder is None:
        raise UserError("name a builder and its source, as in: longdoc data build style_mix STORIES --out FOLDER")
    chosen_builder = builders.get(builder, **fields)
    if (source_path is not None) != chosen_builder.needs_source:
        raise UserError(_source_hint(builder, source_path))
    return sets.make(chosen_builder, source_path, output_folder(out), seed or 0)


def _source_hint(builder: Any, source: Path | None) -> str:
    """What to type where a source is missing, or given to a builder that makes its texts itself."""
    name = builder if isinstance(builder, str) else "BUILDER"
    if source is None:
        return f"name a builder and its source, as in: longdoc data build {name} SOURCE --out FOLDER"
    return f"{name} makes its texts itself: leave {source} out, as in: longdoc data build {name} --out FOLDER"
