"""The data of finished runs, for functions that write their pages again."""

from contextlib import suppress
from pathlib import Path

from longdoc.errors import UserError
from pipelines.engine.planning.argument_types import (
    DataSpec,
)
from pipelines.results.run_folders.run import examples_of, finished_run
from pipelines.sources import Dataset


def readable_data(folder: Path, data: DataSpec | None = None) -> Dataset | None:
    """The data of a finished run, at `data` or where the run had them; None where they cannot be read."""
    with suppress(UserError):
        return examples_of(finished_run(folder), data)
    return None
