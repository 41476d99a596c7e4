"""By which reader and retriever a file of predictions was made, as far as the run beside it says."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from longdoc.volatile_fields import without_volatile
from pipelines.evaluation.predictions import place
from pipelines.results.run_folders.record import read_run, reader_name


def readers_of_runs(paths: Iterable[str | Path]) -> tuple[str, ...]:
    """The names of the readers of the runs in whose folders these files are, each once; empty for published files."""
    return tuple(dict.fromkeys(reader_name(spec["model"]) for spec in _specs(paths)))


def retrievers_of_runs(paths: Iterable[str | Path]) -> tuple[dict[str, Any], ...]:
    """The descriptions of the retrievers of these runs, each once."""
    return _distinct(spec["retriever"] for spec in _specs(paths))


def second_retrievers_of_runs(paths: Iterable[str | Path]) -> tuple[dict[str, Any], ...]:
    """The descriptions of the retrievers that these runs compared selections with (`route:second=`), each once."""
    records = [spec["strategy"].get("second") for spec in _specs(paths) if spec["strategy"]["name"] == "route"]
    return _distinct(without_volatile(record) for record in records if record is not None)


def _distinct(records: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    return tuple({json.dumps(record, sort_keys=True): record for record in records}.values())


def _specs(paths: Iterable[str | Path]) -> list[dict[str, Any]]:
    records = [read_run(place(path)[0].parent) for path in paths]
    return [record["spec"] for record in records if record is not None]
