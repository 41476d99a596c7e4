"""What functions on finished runs' folders share. Thin: make a plan, hand it to the engine, give back a record."""

from contextlib import suppress
from pathlib import Path

from longdoc.errors import UserError
from pipelines.engine.planning.argument_types import (
    DataSpec,
)
from pipelines.results.run_folders.run import examples_of, finished_run
from pipelines.sources import Dataset


def readable_data(folder: Path, data: DataSpec | None = None) -> Dataset | None:
    """The data of a finished run, None where they are not at `data`, or where the run had them."""
    with suppress(UserError):
        return examples_of(finished_run(folder), data)
    return None
