"""Which harness wrote a log, by its name and its first row, and its scores."""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from longdoc import errors, extensions
from longdoc.errors import UserError
from longdoc.files import expanded
from pipelines.plugins.study.logs import every_eval_ever, helmet, inspect_log, lm_eval, run_scores, score_table
from pipelines.plugins.study.logs.score_log import ScoreLog
from pipelines.sources import json_rows, tables

RUN_FILE = "run.json"
FILE_PATTERNS = ("*.eval", "samples_*.jsonl", "*_samples.jsonl")  # logs that stand alone in a folder
INSPECT_FIELDS = ("version", "status", "eval")  # the first field of a JSON log is one of these
LOG_FORMATS = (
    "logs of inspect_ai (.eval, .json), samples_*.jsonl of lm-evaluation-harness, HELMET's outputs (.json), "
    "LongBench's predictions (.jsonl), Every Eval Ever's rows (.jsonl), tables of scores (.csv, .tsv, .jsonl, .parquet)"
)


@runtime_checkable
class LogFormat(Protocol):
    """A benchmark's module `score_log`, which reads files of its predictions as logs."""

    def recognizes(self, fields: Mapping[str, Any]) -> bool:
        """Whether a first row is of this format."""
        ...

    def read(self, path: Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
        """The scores of a file."""
        ...


def is_log(path: str | Path) -> bool:
    """Whether a path is a file, or a folder with a log that is not a run's folder."""
    file = expanded(str(path))
    return file.is_file() or (file.is_dir() and not (file / RUN_FILE).exists() and bool(_logs_in(file)))


def read(path: str | Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
    """The log in a file or folder of any of the formats, a run's folder among them. Raises `UserError`."""
    file = expanded(str(path))
    with errors.parsing(file):
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
        raise UserError(f"{file} is not a log that longdoc reads: give {LOG_FORMATS}")
    return _read_json_object(file, cluster, keeps_texts) or _read_rows(file, cluster, keeps_texts)


def _logs_in(folder: Path) -> list[Path]:
    return sorted({file for pattern in FILE_PATTERNS for file in folder.glob(pattern)})


def _read_json_object(file: Path, cluster: str | None, keeps_texts: bool) -> ScoreLog | None:
    """The scores of a file that is one JSON object; None for other files."""
    if tables.kind(file) != ".json" or json_rows.is_list(file):
        return None
    first_field = next((name for name, _ in json_rows.members(file)), "")
    if first_field in INSPECT_FIELDS:
        return inspect_log.read(file, cluster, keeps_texts)
    if first_field == helmet.FIRST_FIELD:
        return helmet.read(file, cluster, keeps_texts)
    if first_field in every_eval_ever.FIELDS:
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
    for module in extensions.parts("score_log"):
        if isinstance(module, LogFormat) and module.recognizes(first.fields):
            log: ScoreLog = module.read(file, cluster, keeps_texts)
            return log
    all_rows = chain([first], rows)
    if lm_eval.recognizes(first.fields):
        return lm_eval.read(all_rows, file, cluster, keeps_texts)
    if every_eval_ever.recognizes(first.fields):
        return every_eval_ever.read(all_rows, file, cluster, keeps_texts)
    return score_table.read(all_rows, file, cluster, keeps_texts)
