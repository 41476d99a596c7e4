"""Which harness wrote a log, by its name and its first row, and its scores."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.folders import expanded
from pipelines.evaluation.score_logs import inspect_log, run_scores, score_table
from pipelines.evaluation.score_logs.score_log import ScoreLog
from pipelines.sources import tables

LOG_FORMATS = ".eval or .json of inspect_ai, or a table of scores (.csv, .tsv, .jsonl, .parquet)"


def is_log(path: str | Path) -> bool:
    """Whether it is a file, and not a run's folder."""
    return expanded(str(path)).is_file()


def read(path: str | Path, cluster: str | None = None) -> ScoreLog:
    """The scores of a log in any of the formats. Raises `UserError`."""
    file = expanded(str(path))
    if file.is_dir():
        return run_scores.read(file, cluster)
    if file.suffix == ".eval":
        return inspect_log.read(file, cluster)
    if not tables.is_table(file):
        raise UserError(f"{file} is no log that is read here: {LOG_FORMATS}")
    fields = _first_row(file)
    if {"status", "eval"} <= fields.keys():
        return inspect_log.read(file, cluster)
    return score_table.read(file, cluster)


def _first_row(file: Path) -> Mapping[str, Any]:
    """The fields of the first row; of a JSON object, which may be a whole log, all of them."""
    for row in tables.Files((file,)).rows():
        return row.fields
    raise UserError(f"{file} is empty")
