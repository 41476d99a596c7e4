"""A tiny encoder is fine-tuned to tell evidence from other chunks, and then ranks the first chunks again."""

import json

import pytest

import pipelines
import retrievers

GIVEN = {"epochs": 3, "batch_size": 8, "learning_rate": 1e-3, "device": "cpu"}


@pytest.mark.slow
def test_the_cross_encoder_is_fine_tuned_and_its_folder_is_a_retriever(questions, base, tmp_path):
    model = f"cross_encoder:{base('bert_pairs')}"
    done = pipelines.train("qa", model=model, retriever="bm25", data=questions, out=tmp_path / "out", **GIVEN)
    assert (done.reader, done.validation) == ("rerank", "validation")
    assert (done.metrics["train_samples"], done.metrics["eval_samples"]) == (50, 20)
    assert done.metrics["best average precision"] > 20
    kept = {file.name for file in (tmp_path / "out").iterdir()}
    assert {"model.safetensors", "config.json", "retriever.json", "README.md", "training.json"} <= kept
    described = json.loads((tmp_path / "out/retriever.json").read_text())
    assert (described["name"], described["top"], described["retriever"]["name"]) == ("rerank", 50, "bm25")
    retriever = retrievers.get(str(tmp_path / "out"))
    assert retriever.retriever == retrievers.get("bm25")
    given = {"data": questions, "model": "none", "select": 12, "metrics": ["evidence_recall"]}
    result = pipelines.run("qa", retriever=str(tmp_path / "out"), out=tmp_path / "run", **given)
    assert 0 <= result.scores["evidence_recall"] <= 100
