"""Sequence-to-sequence models learn to write references, lines and labels."""

import json

import pytest

import models
import pipelines
from longdoc.errors import UserError
from models import Compare, TrainingExample
from models.likelihood import adapt
from pipelines.plugins.training.recipes.generation import _loss
from pipelines.plugins.training.shared import gradient as gradient
from pipelines.plugins.training.shared import pair_samples
from tests import tiny_models


@pytest.fixture
def books(tmp_path):
    question = {"question": "Where?", "answers": ["river", "mill"]}
    rows = [{"id": str(n), "document": f"The old mill {n} stood by the river.", **question} for n in range(10)]
    for split in ("train", "test"):
        (tmp_path / f"{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


def test_every_reference_is_an_example_and_the_loss_falls(books, tiny_t5, tmp_path):
    arguments = {"epochs": 4, "learning_rate": 5e-3, "batch_size": 4, "warmup": 0.0}
    training = pipelines.train("qa", model=str(tiny_t5), data=books, out=tmp_path / "out", **arguments)
    assert (training.reader, training.metrics["train_samples"], training.metrics["eval_samples"]) == ("seq2seq", 18, 2)
    losses = [row["validation loss"] for row in training.metrics["history"] if "validation loss" in row]
    assert losses[-1] < losses[0] - 1
    file_names = {file.name for file in (tmp_path / "out").iterdir()}
    assert {"config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "reader.json"} <= file_names
    result = pipelines.run(
        "qa", data=books, model=str(tmp_path / "out"), out=tmp_path / "run", metrics="f1", go_on=True
    )
    assert result.examples == 10  # go_on: on some processors so small a model answers with nothing


@pytest.mark.parametrize("kind", ["t5", "bart", "led", "longt5"])
def test_the_training_loss_is_the_negative_score(kind, tmp_path):
    """The loss of a taught output, its end token left out, is the negative of the score the reader gives it."""
    import torch

    reader = models.get(str(getattr(tiny_models, kind)(tmp_path)), dtype="fp32")
    source, target = reader.training_inputs("Anna kept a lamp", "in the window")
    bare = type(target)(target.prefix, target.ids[:-1])
    network = reader.network()
    with torch.inference_mode():
        loss = network.model(**network.training_batch([(source, bare)])).loss
    (reply,) = reader.reply([models.Score("Anna kept a lamp", "in the window")])
    assert -float(loss) * len(bare.ids) == pytest.approx(reply.value, rel=1e-4)


def test_rows_of_different_lengths_are_padded_without_labels(tiny_t5):
    reader = models.get(str(tiny_t5))
    rows = [reader.training_inputs("Anna", "a lamp in the window"), reader.training_inputs("Tom and the mill", "oak")]
    inputs = reader.network().training_batch(rows)
    assert [int((row != -100).sum()) for row in inputs["labels"]] == [len(target.ids) for _, target in rows]
    assert [int(row.sum()) for row in inputs["attention_mask"]] == [len(source.ids) for source, _ in rows]
    assert inputs["decoder_input_ids"].shape == inputs["labels"].shape


def test_outputs_are_cut_at_the_length_and_lose_their_end_token(tiny_t5):
    reader = models.get(str(tiny_t5))
    _, whole = reader.training_inputs("Anna", "a lamp in the window")
    _, cut = reader.training_inputs("Anna", "a lamp in the window", 3)
    assert cut.ids == whole.ids[:3]
    assert whole.ids[-1] in reader.network().ends


@pytest.mark.parametrize("kind", ["bart", "led"])
def test_outputs_are_cut_where_the_decoder_s_positions_end(kind, tmp_path):
    """As in a published recipe with outputs of 1,024 tokens, on summaries that are longer."""
    reader = models.get(str(getattr(tiny_models, kind)(tmp_path)), dtype="fp32")
    source, target = reader.training_inputs("Anna kept a lamp", "a lamp in the window " * 90, 1024)
    inputs = reader.network().training_batch([(source, target)])
    assert inputs["decoder_input_ids"].shape[1] == reader.max_output_tokens
    assert reader.network().model(**inputs).loss > 0


def test_translation_is_learned_line_by_line(tmp_path):
    (tmp_path / "model").mkdir()
    marian = tiny_models.marian(tmp_path / "model")
    source, target = (tiny_models.MARIAN_TEXT[side] for side in ("source", "target"))
    row = {"input": "\n".join(source[:4]), "output": ["\n".join(target)]}
    shorter = {"input": "\n".join(source[:4]), "output": ["one line"]}
    (tmp_path / "train.jsonl").write_text(json.dumps(row) + "\n" + json.dumps(shorter), encoding="utf-8")
    arguments = {"strategy": "map:by_line=true", "max_new_tokens": 40, "epochs": 1}
    training = pipelines.train("opensubtitles", model=str(marian), data=tmp_path, out=tmp_path / "out", **arguments)
    assert training.metrics["train_samples"] == 4  # one document's translation has another number of lines
    assert models.get(str(tmp_path / "out")).reply([models.Generate("Anna", 5)])[0].error is None
    assert {"source.spm", "target.spm", "vocab.json"} <= {file.name for file in (tmp_path / "out").iterdir()}


def test_labels_are_learned_as_the_words_that_are_scored(films, tiny_t5, tmp_path):
    arguments = {"epochs": 4, "learning_rate": 5e-3, "batch_size": 4, "warmup": 0.0}
    model = f"{tiny_t5},max_input_tokens=200"
    training = pipelines.train("character_types", model=model, data=films, out=tmp_path / "out", **arguments)
    assert (training.reader, training.base, training.metrics["train_samples"]) == ("seq2seq", "likelihood", 20)
    losses = [row["validation loss"] for row in training.metrics["history"] if "validation loss" in row]
    assert losses[-1] < losses[0]
    arguments = {"data": films, "model": f"{tmp_path / 'out'},max_input_tokens=200"}
    assert pipelines.run("character_types", out=tmp_path / "run", **arguments).examples == 8


def test_a_label_is_trained_with_the_prompt_that_is_scored(tiny_t5):
    reader = adapt(models.get(str(tiny_t5)), ("Hero", "Villain"))
    assert reader.training_prompts(models.Classify("Anna"), "Villain") == [(models.Prompt.of("Anna"), "Villain")]
    assert reader.training_prompts(models.Classify("Anna"), "Mentor") == []


def test_pairs_are_learned_as_yes_and_no(mixes, tiny_t5, tmp_path):
    training = pipelines.train(
        "style_change", model=f"{tiny_t5},max_input_tokens=200", data=mixes, out=tmp_path / "out", pairs=20, epochs=1
    )
    training_example = [TrainingExample(Compare(("a", "b", "c"), ()), ("1,1,2",))]
    pairs = pair_samples.sample(training_example, 10, 0)
    assert sorted(pairs.texts(neighbours=True)) == [("a", "b", True), ("b", "c", False)]
    assert training.metrics["train_samples"] > 10


@pytest.mark.slow
def test_only_adapters_are_trained_and_then_merged_into_the_weights(books, tiny_t5, tmp_path):
    pytest.importorskip("peft", reason="the extra `lora` is not installed")
    from safetensors.torch import load_file

    arguments = {"data": books, "dtype": "fp32", "warmup": 0.0, "batch_size": 4}
    lora = {"epochs": 12, "learning_rate": 1e-3, "patience": None, "lora": 4}
    training = pipelines.train("qa", model=str(tiny_t5), out=tmp_path / "out", **arguments, **lora)
    no_change = {"epochs": 0.1, "learning_rate": 1e-12}  # only the loss of the unchanged model
    again = pipelines.train("qa", model=str(tmp_path / "out"), out=tmp_path / "again", **arguments, **no_change)
    best = training.metrics["best validation loss"]
    assert again.metrics["best validation loss"] == pytest.approx(best, rel=1e-4)
    losses = [row["loss"] for row in training.metrics["history"] if "loss" in row]
    assert losses[-1] < losses[0]
    before, after = (load_file(folder / "model.safetensors") for folder in (tiny_t5, tmp_path / "out"))
    assert before.keys() == after.keys()
    changed = {name.removesuffix(".weight") for name in after if (before[name] != after[name]).any()}
    assert {name.rpartition(".")[2] for name in changed} == {"q", "v"}
    assert not list((tmp_path / "out").glob("adapter*"))
    assert models.get(str(tmp_path / "out")).reply([models.Generate("Where?", 5)])[0].error is None


def test_without_peft_the_extra_is_named(books, tiny_t5, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(UserError, match=r"pip install 'longdoc\[lora\]'"):
        pipelines.train("qa", model=str(tiny_t5), data=books, out=tmp_path / "out", lora=2)


@pytest.mark.parametrize("kind", ["t5", "bart", "led"])
def test_dropout_is_set_throughout_the_network(kind, tmp_path):
    network = models.get(str(getattr(tiny_models, kind)(tmp_path))).network()
    gradient._set_dropout(network.model, 0.25)
    dropout_rates = [module.p for module in network.model.modules() if type(module).__name__ == "Dropout"]
    dropout_rates += [
        module.dropout for module in network.model.modules() if isinstance(getattr(module, "dropout", 0), float)
    ]
    assert dropout_rates
    assert set(dropout_rates) == {0.25}


def test_outputs_are_cut_at_the_target_length(books, tiny_t5, tmp_path, monkeypatch):
    from models.neural.seq2seq import Seq2seq

    target_lengths = []
    original = Seq2seq.training_inputs
    monkeypatch.setattr(Seq2seq, "training_inputs", lambda *args: target_lengths.append(args[3]) or original(*args))
    pipelines.train("qa", model=str(tiny_t5), data=books, out=tmp_path / "out", epochs=1, target_length=3)
    assert set(target_lengths) == {3}


def test_the_loss_is_the_mean_over_tokens_however_they_are_batched():
    import torch
    from torch.nn.functional import cross_entropy

    logits, labels = torch.randn(2, 3, 5), torch.tensor([[1, 2, -100], [4, -100, -100]])
    loss = _loss(3.0)
    expected = cross_entropy(logits.flatten(0, 1), labels.flatten())
    assert float(loss({"logits": logits}, labels, torch.tensor(3))) == pytest.approx(float(expected))
    parts = [float(_loss(1.5)({"logits": logits[start : start + 1]}, labels[start : start + 1])) for start in (0, 1)]
    assert sum(parts) / 2 == pytest.approx(float(expected))


def test_with_best_last_the_last_step_is_kept(books, tiny_t5, tmp_path):
    arguments = {"epochs": 3, "learning_rate": 1e-3, "best": "last", "patience": None, "batch_size": 8}
    training = pipelines.train("qa", model=str(tiny_t5), data=books, out=tmp_path / "out", **arguments)
    assert training.metrics["last validation loss"] == training.metrics["history"][-1]["validation loss"]
    assert "best step" not in training.metrics
    with pytest.raises(UserError, match="patience=null"):
        pipelines.training.get("generation", best="last")
