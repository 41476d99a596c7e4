"""HELMET's files of outputs (Yen et al. 2025): `{args, data, metrics, averaged_metrics}`, a row of `data` an example.

A row has its example's fields, the output and each metric's value, 0 to 1; `metrics` names the metrics. In some data
sets examples have an id. Others are called by a digest of question and answer, with a number where the digest comes
again, as with the same question at several depths. Rows are read one by one: they hold prompts of 128k tokens.
"""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.plugins.study.logs.sample_text import sample_text, text_of
from pipelines.plugins.study.logs.score_log import ScoreLog, cluster_fields, digest, label
from pipelines.sources import json_rows

FIRST_FIELD = "args"  # of the file
ID_FIELDS = ("id", "_id", "qid", "question_id", "example_id")
PROMPT = "input_text"  # the field of what the model read
LENGTHS = ("input_len", "output_len")  # metrics that are no scores


def read(path: Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
    """The scores of a file of outputs. Raises `UserError` for one that is cut off, or without scores by example."""
    log = ScoreLog(path, "HELMET", keeps_texts=keeps_texts)
    metrics: dict[str, None] = {}
    counts: Counter[str] = Counter()
    for name, value in json_rows.members(path):
        if name == FIRST_FIELD and isinstance(value, dict):
            log.task, log.system = (str(value.get(key) or "") for key in ("datasets", "model_name_or_path"))
        elif name == "data":
            _add(log, value, cluster, counts)
        elif name == "metrics" and isinstance(value, dict):
            metrics |= dict.fromkeys(key for key in value if key not in LENGTHS)
    log.scores = {name: log.scores[name] for name in metrics if name in log.scores}
    if not log.scores:
        raise UserError(
            f"{path} has no score by example: HELMET scores some of its data sets (those of ALCE) in files of their own"
        )
    return log


def _add(log: ScoreLog, row: Any, cluster: str | None, counts: Counter[str]) -> None:
    """Add a row's scores to the log; `counts` are the rows of each id so far."""
    if not isinstance(row, Mapping):
        raise UserError(f"{log.path}: a row of data must be an object, as in HELMET's files")
    log.field_names = log.field_names or sorted(map(str, row))
    question_digest = digest(*(label(row.get(name, "")) for name in ("question", "answer")))
    sample_id = next((label(row[name]) for name in ID_FIELDS if row.get(name) not in (None, "")), question_digest)
    counts[sample_id] += 1
    if counts[sample_id] > 1:
        sample_id = f"{sample_id} {counts[sample_id]}"
    scores = {str(name): value for name, value in row.items() if isinstance(value, (bool, int, float))}
    text = partial(sample_text, row.get("answer", []), row.get("output"), text_of(row.get(PROMPT)), row)
    log.add(sample_id, scores, fields=cluster_fields(row, cluster), digest=question_digest, text=text)
