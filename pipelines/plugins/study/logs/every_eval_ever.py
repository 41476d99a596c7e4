"""Every Eval Ever's rows by sample (instance_level_eval.schema.json, 0.2.1): `NAME_samples.jsonl`.

A row has one score of one sample, called by its `evaluation_name`; `sample_hash` says what was asked, `metadata` may
say of which document. The other file of an evaluation, with its scores over all samples, has none by sample.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

from pipelines.plugins.study.logs.sample_text import SampleText, sample_text, text_of
from pipelines.plugins.study.logs.score_log import ScoreLog, cluster_fields, label
from pipelines.sources.tables import Row

FIELDS = ("schema_version", "evaluation_id", "sample_id", "evaluation")


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row has the form's fields."""
    return all(name in fields for name in FIELDS)


def read(rows: Iterator[Row], path: Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
    """The scores of rows. Raises `UserError` for a row of another form, and for a sample that has a score twice."""
    log = ScoreLog(path, "Every Eval Ever", path.stem.removesuffix("_samples"), keeps_texts=keeps_texts)
    for row in rows:
        fields = row.fields
        if not recognizes(fields) or not isinstance(fields["evaluation"], Mapping):
            raise row.refusal(f"expected a row of Every Eval Ever ({', '.join(FIELDS)})")
        metadata = fields.get("metadata") or {}
        if not isinstance(metadata, Mapping):
            raise row.refusal("metadata must be an object with fields")
        log.field_names = log.field_names or sorted(metadata)
        log.system = log.system or str(fields.get("model_id") or "")
        name = label(fields.get("evaluation_name") or "score")
        digest = str(fields.get("sample_hash") or "")
        text = partial(_text, fields)
        log.merge(label(fields["sample_id"]), {name: _score(row)}, cluster_fields(metadata, cluster), digest, text)
    return log


def _text(fields: Mapping[str, Any]) -> SampleText:
    question, output = (value if isinstance(value := fields.get(name), Mapping) else {} for name in ("input", "output"))
    return sample_text(question.get("reference") or [], output.get("raw"), text_of(question.get("raw")))


def _score(row: Row) -> float:
    value = row.fields["evaluation"].get("score")
    if value is None:
        return nan
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise row.refusal(f"evaluation.score must be a number, not {str(value)[:40]!r}")
    return value
