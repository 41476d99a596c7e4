"""Tables of scores: CSV, TSV, JSON Lines or Parquet with a row for each sample (and repeat), a column for each score.

The id stands in a column `id` (or `sample_id`, `example_id`, `question_id`, `doc_id`), a repeat's number in `epoch`
(or `repeat`, `run`, `seed`), the document in a column such as `document`. Every other column whose values are numbers
is a score; an empty cell, `nan` or null is none. Rows are read one by one.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from math import isinf, nan
from pathlib import Path
from sys import float_info
from typing import Any

from longdoc.errors import UserError
from pipelines.plugins.study.logs.sample_text import SampleText, sample_text, text_of
from pipelines.plugins.study.logs.score_log import CLUSTER_FIELDS, ScoreLog, cluster_fields, label
from pipelines.sources.tables import Row

ID_COLUMNS = ("id", "sample_id", "example_id", "question_id", "doc_id", "qid")
EPOCH_COLUMNS = ("epoch", "repeat", "run", "seed")
REFERENCE_COLUMNS = ("references", "reference", "answers", "answer", "target", "ground_truth")
OUTPUT_COLUMNS = ("prediction", "output", "response", "pred")
PROMPT_COLUMNS = ("prompt",)
NO_SCORE = ("", "nan", "null", "none", "na", "n/a")


def read(rows: Iterator[Row], path: Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
    """The scores of rows. Raises `UserError` for rows without an id or without numbers, and for a broken one."""
    log = ScoreLog(path, "table of scores", path.stem, keeps_texts=keeps_texts)
    id_column = epoch_column = None
    text_columns: set[str] = set()
    for row in rows:
        if id_column is None:
            id_column = _id_column(row)
            epoch_column = next((name for name in EPOCH_COLUMNS if name in row.fields), None)
            log.field_names = [name for name in row.fields if name != id_column]
            text_columns = {id_column, *CLUSTER_FIELDS, *EPOCH_COLUMNS, *([cluster] if cluster else [])}
        if row.fields.get(id_column) in (None, ""):
            raise UserError(f"{row.location}: {id_column} is empty: give each sample its id")
        sample_id = label(row.fields[id_column])
        epoch = _epoch(row, epoch_column)
        scores = _scores(row, text_columns, log)
        fields = cluster_fields(_without_empty(row.fields), cluster)
        log.add(sample_id, scores, epoch, fields, text=partial(_text, row.fields))
    if not log.scores:
        raise UserError(f"{path} has no column of numbers: each score is a column, with a number in each row")
    return log


def _id_column(row: Row) -> str:
    """The column with the samples' ids. Raises `UserError` where there is none."""
    for name in ID_COLUMNS:
        if name in row.fields:
            return name
    raise row.refusal(f"no column with the samples' ids ({', '.join(ID_COLUMNS)})")


def _epoch(row: Row, column: str | None) -> int:
    if column is None:
        return 1
    try:
        return int(row.fields[column])
    except (ValueError, TypeError, KeyError):
        raise UserError(f"{row.location}: {column} must be a whole number, the number of the repeat") from None


def _scores(row: Row, text_columns: set[str], log: ScoreLog) -> dict[str, float]:
    """The scores of a row. A column whose first value is text joins `text_columns`; text among numbers is an error."""
    scores: dict[str, float] = {}
    for name, value in row.fields.items():
        if name in text_columns:
            continue
        number = _number(value)
        if number is not None:
            scores[name] = number
        elif name in log.scores:
            raise UserError(
                f"{row.location}: {name} is {str(value)[:40]!r} where the rows before have numbers: leave it empty "
                "where there is no score"
            )
        else:
            text_columns.add(name)
    return {name: number for name, number in scores.items() if name in log.scores or number == number}


def _text(fields: Mapping[str, Any]) -> SampleText:
    """The texts of a row, from columns with the usual names."""
    references, output, prompt = (
        next((fields[name] for name in names if fields.get(name) not in (None, "")), "")
        for names in (REFERENCE_COLUMNS, OUTPUT_COLUMNS, PROMPT_COLUMNS)
    )
    return sample_text(references or [], output, text_of(prompt), fields)


def _number(value: Any) -> float | None:
    """The number of a cell, NaN for an empty one, None for one that is not a number."""
    if value is None or (isinstance(value, str) and value.strip().lower() in NO_SCORE):
        return nan
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return None
        return float_info.max if isinf(number) and value.strip()[-1].isdigit() else number  # "9e999" is out of bounds
    return value if isinstance(value, (int, float)) else None


def _without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in ("", None)}
