"""Encoders learn labels and pairs: real architectures, a handful of steps."""

import json
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

import models
import pipelines
from longdoc.errors import UserError
from models import Compare
from models.author_pairs import best_threshold
from pipelines.plugins.training.recipes.classification import _average_precision, _loss, _macro_f1

LEARN = {"epochs": 8, "learning_rate": 3e-3, "batch_size": 4, "warmup": 0.0, "patience": 8, "dtype": "fp32"}


def test_a_base_model_learns_labels_that_words_tell_apart(films, base, tmp_path):
    training = pipelines.train("character_types", model=str(base("bert")), data=films, out=tmp_path / "out", **LEARN)
    assert (training.reader, training.validation) == ("sequence_classifier", "validation")
    assert (training.metrics["train_samples"], training.metrics["eval_samples"]) == (20, 8)
    reader = models.get(str(tmp_path / "out"))
    assert reader.output_labels == ("Hero/Protagonist", "Villain/Antagonist")
    result = pipelines.run("character_types", data=films, model=str(tmp_path / "out"), out=tmp_path / "run")
    assert result.scores["macro_f1"] > 85


def test_only_safetensors_and_text_files_are_left_and_no_checkpoint(films, base, tmp_path):
    pipelines.train("character_types", model=str(base("bert")), data=films, out=tmp_path / "out", epochs=1)
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        ".lock", "README.md", "config.json", "model.safetensors", "reader.json", "tokenizer.json", "training.json",
    }  # fmt: skip


def test_longformer_is_trained_with_global_attention_on_its_first_token(films, base, tmp_path, monkeypatch):
    from models.neural.shared.classifier_head import Network

    seen = []
    original = Network.inputs
    monkeypatch.setattr(Network, "inputs", lambda *args: seen.append(original(*args)) or original(*args))
    folder = base("longformer")
    pipelines.train("character_types", model=str(folder), data=films, out=tmp_path / "out", epochs=1, limit=4)
    masks = [inputs["global_attention_mask"] for inputs in seen]
    assert masks
    assert all((mask[:, 0] == 1).all() and mask.sum() == len(mask) for mask in masks)


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(films, base, tmp_path):
    folder = str(base("bert"))
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        pipelines.train("character_types", model=folder, data=films, out=tmp_path / name, epochs=1, seed=seed)
    first, again, other = ((tmp_path / name / "model.safetensors").read_bytes() for name in "abc")
    assert first == again != other


KILLED_TRAINING = """
import os, sys
from transformers import Trainer
original, steps = Trainer.training_step, []
def step(self, *args, **options):
    steps.append(1)
    if len(steps) > int(sys.argv[1]):
        os._exit(9)
    return original(self, *args, **options)
Trainer.training_step = step
import pipelines
pipelines.train("character_types", model=sys.argv[2], data=sys.argv[3], out=sys.argv[4], epochs=2, batch_size=4)
"""


@pytest.mark.slow
def test_a_training_that_was_killed_continues_to_the_same_weights(films, base, tmp_path):
    folder, out = str(base("bert")), tmp_path / "out"
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_TRAINING, "7", folder, films, out], capture_output=True, check=False
    )
    assert killed.returncode == 9
    assert [path.name for path in (out / "checkpoints").iterdir()] == ["checkpoint-5"]
    (out / "checkpoints/checkpoint-9").mkdir()  # one that was being written
    training = pipelines.train("character_types", model=folder, data=films, out=out, epochs=2, batch_size=4)
    whole = pipelines.train("character_types", model=folder, data=films, out=tmp_path / "b", epochs=2, batch_size=4)
    assert training.metrics == whole.metrics
    assert (out / "model.safetensors").read_bytes() == (tmp_path / "b/model.safetensors").read_bytes()
    assert not (out / "checkpoints").exists()


def test_training_stops_when_validation_gets_no_better(films, base, tmp_path):
    arguments = {**LEARN, "epochs": 30, "patience": 1}
    training = pipelines.train(
        "character_types", model=str(base("bert")), data=films, out=tmp_path / "out", **arguments
    )
    assert training.metrics["steps"] == training.metrics["best step"] + 5  # one validation more, five steps a pass
    assert training.metrics["steps"] < 150


@pytest.mark.parametrize("kind", ["bert_pairs", "roberta_pairs"])
def test_a_cross_encoder_learns_pairs_and_its_threshold(mixes, base, tmp_path, kind):
    folder = str(base(kind))
    arguments = {"model": f"cross_encoder:{folder}", "data": mixes, "pairs": 60, "epochs": 2, "learning_rate": 1e-3}
    training = pipelines.train("style_change", out=tmp_path / "out", **arguments)
    assert training.reader == "cross_encoder"
    reader = models.get(str(tmp_path / "out"), dtype="fp32")
    assert reader.bias == training.metrics["bias"]
    rows = [json.loads(line) for line in (mixes / "validation.jsonl").read_text().splitlines()]
    texts, same = [], []
    for row in rows:
        lines, authors = row["input"].split("\n"), row["output"].split(",")
        texts += list(pairwise(lines))
        same += [a == b for a, b in pairwise(authors)]
    assert reader.bias == pytest.approx(best_threshold(reader.logits(texts), np.array(same)))
    assert reader.reply([Compare(tuple(texts[0]), ((0, 1),))])[0].value[0] == pytest.approx(
        1 / (1 + np.exp(reader.bias - reader.logits(texts[:1])[0])), abs=1e-5
    )


def test_a_base_model_under_style_change_becomes_a_cross_encoder(mixes, base, tmp_path):
    folder = str(base("bert_pairs"))
    training = pipelines.train("style_change", model=folder, data=mixes, out=tmp_path / "out", pairs=20, epochs=1)
    assert (training.reader, training.base) == ("cross_encoder", "cross_encoder")


def test_class_weights_are_the_inverse_of_the_class_shares():
    import torch

    rows = [([], None, 0)] * 3 + [([], None, 1)]
    logits, labels = torch.tensor([[0.0, 0.0], [0.0, 0.0]]), torch.tensor([0, 1])
    assert float(_loss(rows, 2)({"logits": logits}, labels)) == pytest.approx(np.log(2) * (4 / 6 + 4 / 2) / 2)
    assert float(_loss((), 2)({"logits": logits}, labels)) == pytest.approx(np.log(2))
    assert float(_loss((), 1)({"logits": logits[:, :1]}, labels, torch.tensor(4))) == pytest.approx(np.log(2) / 2)


def test_the_validation_scores_are_macro_f1_and_average_precision():
    from transformers import EvalPrediction

    logits = np.array([[2.0, 1.0], [0.0, 1.0], [3.0, 1.0]])
    assert _macro_f1(EvalPrediction(logits, np.array([0, 1, 1]))) == {"macro_f1": pytest.approx(200 / 3)}
    prediction = EvalPrediction(np.array([[3.0], [2.0], [1.0]]), np.array([1, 0, 1]))
    assert _average_precision(prediction) == {"average_precision": pytest.approx(100 * (1 + 2 / 3) / 2)}


def test_training_examples_of_one_class_are_refused(films, base, tmp_path):
    rows = [json.loads(line) for line in (films / "train.jsonl").read_text().splitlines()]
    (films / "train.jsonl").write_text("\n".join(json.dumps(row) for row in rows[::2]))
    with pytest.raises(UserError, match="all of one class"):
        pipelines.train("character_types", model=str(base("bert")), data=films, out=tmp_path / "out")


@pytest.mark.parametrize("field", ["batch_size", "accumulation", "checkpoints", "patience", "epochs", "learning_rate"])
def test_numbers_out_of_range_are_refused_by_name(field):
    with pytest.raises(UserError, match=field):
        pipelines.training.get("classification", **{field: 0})
