"""A tiny encoder is fine-tuned on questions and evidence, and is then a dense retriever."""

import json

import pytest

import pipelines
import retrievers
from longdoc.errors import UserError

GIVEN = {"epochs": 2, "batch_size": 5, "learning_rate": 1e-3, "device": "cpu"}


def test_the_encoder_is_fine_tuned_and_its_folder_is_a_retriever(questions, base, tmp_path, monkeypatch):
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    model = f"bi_encoder:{base('bert_pairs')}"
    done = pipelines.train("qa", model=model, data=questions, out=tmp_path / "out", **GIVEN)
    assert (done.reader, done.validation) == ("dense", "validation")
    assert (done.metrics["train_samples"], done.metrics["eval_samples"], done.metrics["steps"]) == (10, 4, 4)
    history = [row["validation loss"] for row in done.metrics["history"] if "validation loss" in row]
    assert history[-1] < history[0]
    kept = {file.name for file in (tmp_path / "out").iterdir()}
    assert {"model.safetensors", "modules.json", "retriever.json", "README.md", "training.json"} <= kept
    assert not kept & {"checkpoints", "training_args.bin", "pytorch_model.bin"}
    assert json.loads((tmp_path / "out/retriever.json").read_text()) == {"name": "dense", "heading": True}
    retriever = retrievers.get(str(tmp_path / "out"))
    assert (retriever.model, retriever.heading) == (str(tmp_path / "out"), True)
    given = {"data": questions, "model": "none", "select": 12, "metrics": ["evidence_recall"]}
    result = pipelines.run("qa", retriever=str(tmp_path / "out"), out=tmp_path / "run", **given)
    assert 0 <= result.scores["evidence_recall"] <= 100


def test_negatives_are_needed():
    from pipelines import training

    with pytest.raises(UserError, match="negatives must be at least 1"):
        training.get("contrastive:negatives=0")
