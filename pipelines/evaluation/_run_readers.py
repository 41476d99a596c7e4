"""Whose answers a file of predictions holds, as far as the run beside it says."""

from collections.abc import Iterable
from pathlib import Path

from pipelines.evaluation.predictions import place
from pipelines.results.run_folders.record import read_run, reader_name


def readers_of_runs(paths: Iterable[str | Path]) -> tuple[str, ...]:
    """The names of the readers of the runs in whose folders these files are, each once; empty for published files."""
    records = [read_run(place(path)[0].parent) for path in paths]
    return tuple(dict.fromkeys(reader_name(record["spec"]["model"]) for record in records if record is not None))
