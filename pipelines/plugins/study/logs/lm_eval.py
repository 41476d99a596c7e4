"""lm-evaluation-harness' `samples_TASK_DATE.jsonl` (`--log_samples`), with the model of `results_DATE.json` beside it.

A row has `doc_id`, the row of the data (`doc`), `doc_hash`, a `filter`, the names of its `metrics`, and their values. A
score of another filter than "none" is called as in the harness' table, `exact_match,strict-match`. Metrics whose values
are no numbers by sample, as those of perplexities or of a corpus, are left out, and named.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError, listed
from pipelines.plugins.study.logs.sample_text import SampleText, sample_text, text_of
from pipelines.plugins.study.logs.score_log import SHOWN, ScoreLog, cluster_fields, label
from pipelines.sources.tables import Row

FIELDS = ("doc_id", "doc")
NO_FILTER = "none"
MAX_RESULTS = 1 << 26  # bytes of the file of results
NOT_METRICS = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash", "schema_version",
}  # fmt: skip
_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)")


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is one of the harness' samples."""
    return all(name in fields for name in FIELDS) and isinstance(fields["doc"], Mapping)


def read(rows: Iterator[Row], path: Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
    """The scores of the rows of samples. Raises `UserError` for a sample that has one twice."""
    match = _NAME.fullmatch(path.stem)
    task = match["task"] if match else path.stem
    log = ScoreLog(path, "lm-evaluation-harness", task, _model(path, match), keeps_texts=keeps_texts)
    without_numbers: dict[str, None] = {}
    for row in rows:
        if not recognizes(row.fields):
            raise row.refusal("expected a sample of lm-evaluation-harness (doc_id, doc)")
        document = {str(name): value for name, value in row.fields["doc"].items()}
        log.field_names = log.field_names or sorted(document)
        scores = _scores(row.fields, without_numbers)
        question_digest = str(row.fields.get("doc_hash") or "")
        text = partial(_text, row.fields)
        log.merge(label(row.fields["doc_id"]), scores, cluster_fields(document, cluster), question_digest, text)
    if without_numbers:
        log.notes.append(f"{path}: {listed(without_numbers, SHOWN)} left out: not a number for each sample")
    if not log.scores:
        raise UserError(f"{path} has no metric with a number for each sample")
    return log


def _text(fields: Mapping[str, Any]) -> SampleText:
    """The texts of a sample; its prompt is that of its first request. Several requests are a choice of options."""
    requests = fields.get("arguments")
    requests = list(requests.values()) if isinstance(requests, Mapping) else requests
    requests = requests if isinstance(requests, list) else []
    first = requests[0] if requests else []
    prompt = next(iter(first.values()), "") if isinstance(first, Mapping) else text_of(first)
    prompt = prompt if isinstance(prompt, str) else ""
    is_open = len(requests) == 1 and isinstance(fields.get("target"), (str, list))
    return sample_text(fields.get("target"), fields.get("resps"), prompt, fields["doc"], is_open=is_open)


def _scores(fields: Mapping[str, Any], without_numbers: dict[str, None]) -> dict[str, float]:
    """The numbers among a sample's metrics; the names of others are added to `without_numbers`."""
    names = fields.get("metrics")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):  # of older versions
        names = [name for name in fields if name not in NOT_METRICS]
    filter_name = str(fields.get("filter", NO_FILTER))
    scores = {}
    for name in names:
        value = fields.get(name)
        score_name = name if filter_name == NO_FILTER else f"{name},{filter_name}"
        if isinstance(value, (bool, int, float)):
            scores[score_name] = value
        else:
            without_numbers[score_name] = None
    return scores


def _model(path: Path, match: re.Match[str] | None) -> str:
    """The model that the file of results names; the folder's name where there is none."""
    results = path.with_name(f"results_{match['date']}.json") if match else path
    if match is None or not results.is_file():
        return path.absolute().parent.name
    try:
        record = plain_json.load(results, MAX_RESULTS)
    except ValueError as error:
        raise UserError(f"{results} is not a file of results ({error}): copy it again, or move it away") from None
    name = record.get("model_name") if isinstance(record, dict) else None
    return name if isinstance(name, str) and name else path.absolute().parent.name
