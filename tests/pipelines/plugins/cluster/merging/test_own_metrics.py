"""Shards with a metric of one's own are merged where the user names it, since no file may name code."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import pipelines
from longdoc import allowed_code
from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.records import Example
from tests.command_line import longdoc
from tests.pipelines.plugins.cluster.merging.test_merge import run
from tests.turns import for_each


class WordCount(Metric):
    """The number of words of an output."""

    signature = "words"

    def statistics(self, prediction: str, example: Example) -> Row:
        return {"words": float(len(prediction.split()))}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        return {"words": sum(row["words"] for row in rows) / len(rows)} if rows else {}


CODE = f"{__name__}:WordCount"


@for_each("metric", [CODE, WordCount()])
def test_a_merge_takes_the_metrics_that_a_record_may_not_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, metric: str | Metric
) -> None:
    shards = [run(tmp_path / f"{number}", shard=f"{number}/2", metrics=["f1", metric]) for number in (1, 2)]
    monkeypatch.setattr(allowed_code, "_typed_components", set())  # as in another process
    with pytest.raises(UserError, match=r"cannot be made here .* name it, longdoc runs merge RUN… --metric MODULE:CL"):
        pipelines.merge(*shards, out=tmp_path / "merged", report=False)
    merged = pipelines.merge(*shards, out=tmp_path / "merged", metrics=[metric], report=False)
    assert (list(merged.scores), merged.scores["words"]) == (["f1", "words"], 6.0)


def test_the_command_takes_such_metrics_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shards = [run(tmp_path / f"{number}", shard=f"{number}/2", metrics=[CODE]) for number in (1, 2)]
    monkeypatch.setattr(allowed_code, "_typed_components", set())
    command = ("runs", "merge", *shards, "--out", tmp_path / "merged", "--no-report")
    assert longdoc(capfd, *command)[0] == 2
    code, out, _ = longdoc(capfd, *command, "--metric", CODE)
    assert (code, "words" in out) == (0, True)
