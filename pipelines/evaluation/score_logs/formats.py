"""Which harness wrote a log, by its name and its first row, and its scores."""

from itertools import chain
from pathlib import Path

from longdoc import foreign_files
from longdoc.errors import UserError
from longdoc.folders import expanded
from pipelines.evaluation.predictions import longbench as longbench_predictions
from pipelines.evaluation.score_logs import (
    every_eval_ever,
    helmet,
    inspect_log,
    lm_eval,
    longbench,
    run_scores,
    score_table,
)
from pipelines.evaluation.score_logs.score_log import ScoreLog
from pipelines.sources import json_rows, tables

RUN_FILE = "run.json"
FILE_PATTERNS = ("*.eval", "samples_*.jsonl", "*_samples.jsonl")  # logs that stand alone in a folder
INSPECT_FIELDS = ("version", "status", "eval")  # the first field of a JSON log is one of these
LOG_FORMATS = (
    "logs of inspect_ai (.eval, .json), samples_*.jsonl of lm-evaluation-harness, HELMET's outputs (.json), "
    "LongBench's predictions (.jsonl), Every Eval Ever's rows (.jsonl), tables of scores (.csv, .tsv, .jsonl, .parquet)"
)


def is_log(path: str | Path) -> bool:
    """Whether it is a file, or a folder with a log, and not a run's folder."""
    place = expanded(str(path))
    return place.is_file() or (place.is_dir() and not (place / RUN_FILE).exists() and bool(_logs_in(place)))


def read(path: str | Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
    """The scores of a log in any of the formats, or of a run's folder, and its texts, too. Raises `UserError`."""
    file = expanded(str(path))
    with foreign_files.parsing(file):
        log = _read(file, cluster, keeps_texts)
        log.bound()
    return log


def _read(file: Path, cluster: str | None, keeps_texts: bool) -> ScoreLog:
    if file.is_dir() and ((file / RUN_FILE).exists() or not _logs_in(file)):
        return run_scores.read(file, cluster, keeps_texts)
    if file.is_dir():
        logs = _logs_in(file)
        if len(logs) > 1:
            raise UserError(f"{file} has {len(logs):,} logs: give one of them, as {logs[0]}")
        file = logs[0]
    if (file.parent / RUN_FILE).exists():
        raise UserError(f"{file} is a file of a run: give the run's folder, {file.parent}")
    if file.suffix == ".eval":
        return inspect_log.read(file, cluster, keeps_texts)
    if not tables.is_table(file):
        raise UserError(f"{file} is no log that is read here: {LOG_FORMATS}")
    return _read_json_object(file, cluster, keeps_texts) or _read_rows(file, cluster, keeps_texts)


def _logs_in(folder: Path) -> list[Path]:
    return sorted({file for pattern in FILE_PATTERNS for file in folder.glob(pattern)})


def _read_json_object(file: Path, cluster: str | None, keeps_texts: bool) -> ScoreLog | None:
    """The scores of a file that is one JSON object; None for other files."""
    if tables.kind(file) != ".json" or json_rows.is_list(file):
        return None
    name = next((name for name, _ in json_rows.members(file)), "")
    if name in INSPECT_FIELDS:
        return inspect_log.read(file, cluster, keeps_texts)
    if name == helmet.FIRST_FIELD:
        return helmet.read(file, cluster, keeps_texts)
    if name in every_eval_ever.FIELDS:
        raise UserError(
            f"{file} has the scores over all samples: give the file that its detailed_evaluation_results names"
        )
    return None


def _read_rows(file: Path, cluster: str | None, keeps_texts: bool) -> ScoreLog:
    """The scores of a file of rows, by the fields of the first."""
    rows = tables.Files((file,)).rows()
    first = next(rows, None)
    if first is None:
        raise UserError(f"{file} is empty")
    if longbench_predictions.recognizes(first.fields):
        return longbench.read(file, cluster, keeps_texts)
    all_rows = chain([first], rows)
    if lm_eval.recognizes(first.fields):
        return lm_eval.read(all_rows, file, cluster, keeps_texts)
    if every_eval_ever.recognizes(first.fields):
        return every_eval_ever.read(all_rows, file, cluster, keeps_texts)
    return score_table.read(all_rows, file, cluster, keeps_texts)
