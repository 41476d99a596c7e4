"""A finished run scored again with further metrics, when its data have gone."""

import json
from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError

ROW = {"id": "1", "document": "Anna kept a lamp. The ship left.", "question": "Who kept a lamp?", "answers": ["Anna"]}


def test_a_metric_that_needs_the_documents_is_refused_where_they_are_gone_and_others_are_added(tmp_path: Path) -> None:
    data, folder = tmp_path / "data.jsonl", tmp_path / "run"
    data.write_text(json.dumps(ROW), encoding="utf-8")
    pipelines.run("qa", data=data, model="lead", retriever="bm25", metrics=["f1"], out=folder)
    data.unlink()
    with pytest.raises(
        UserError, match=r"^answer_recall is not computed: it needs the examples with their documents: "
    ):
        pipelines.rescore(folder, metrics=["answer_recall"])
    assert set(pipelines.rescore(folder, metrics=["exact_match"])["scores"]) == {"f1", "exact_match"}
