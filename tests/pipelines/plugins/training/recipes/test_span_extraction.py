"""Encoders learn to answer with spans: what they are taught, that they learn it, and that training goes on."""

import json
import random
from pathlib import Path

import pytest

import models
import pipelines
from longdoc.errors import UserError
from models import Compare, Part, Prompt, TrainingExample
from pipelines.plugins.training.recipe import TrainingJob
from pipelines.plugins.training.recipes.span_extraction import _collator, _loss, _rows
from tests import tiny_models

THINGS = ("lamp", "wheel", "river", "oak", "letters", "ice", "window", "hill")
LEARN = {"epochs": 25, "learning_rate": 5e-3, "batch_size": 4, "warmup": 0.0, "patience": 25, "dtype": "fp32"}
QUESTION = "What did Anna keep?"


@pytest.fixture
def spans(tmp_path: Path) -> Path:
    """The folder of a tiny BERT whose head for spans is trained, as far as its file tells."""
    folder = tmp_path / "spans"
    folder.mkdir()
    return tiny_models.bert_spans(folder, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)


@pytest.fixture
def things(tmp_path: Path) -> Path:
    """What is kept stands behind `kept`; one training document does not say it, and one says it twice."""
    draw = random.Random(0)
    for split, count in (("train", 24), ("validation", 8)):
        rows = []
        for number in range(count):
            first, second = draw.sample(THINGS, 2)
            text = f"Tom mended the {second}. Anna kept the {first} by the town {number}"
            rows.append({"id": f"{split}-{number}", "document": text, "question": QUESTION, "answers": [first]})
        if split == "train":
            rows[0]["answers"] = ["the second author"]
            rows[1]["document"] = "Anna kept oak, the oak of the hill."
            rows[1]["answers"] = ["OAK"]
        (tmp_path / f"{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


def prompt(*texts: str) -> Prompt:
    return Prompt((Part("query", QUESTION), *(Part("document", text) for text in texts)))


def read(reader, row):
    """The words that a window's tokens from start to end stand for."""
    window, start, end = row
    ids, _ = reader.joining.joined(window.question, window.ids)
    return reader.subwords.decode(ids[start : end + 1])


def test_the_right_span_is_where_the_reference_stands_in_the_input(spans):
    reader = models.get(str(spans))
    ((window, start, end),) = reader.training_inputs(prompt("Tom mended the old wheel."), ["old wheel"])
    asked = reader.count([QUESTION])[0]
    assert (start, end) == (1 + asked + 1 + 3, 1 + asked + 1 + 4)  # [CLS] question [SEP] tom mended the old wheel
    assert read(reader, (window, start, end)) == "old wheel"


def test_of_a_repeated_answer_the_first_occurrence_is_the_label(spans):
    reader = models.get(str(spans))
    rows = reader.training_inputs(prompt("The ice.", "The oak, an oak.", "Oak"), ["oak"])
    assert [(window.passage, read(reader, (window, start, end))) for window, start, end in rows] == [(1, "oak")]
    assert rows[0][1] == reader.count([QUESTION])[0] + 2 + 1


def test_a_window_that_lacks_a_part_of_the_span_does_not_teach_it(spans):
    reader = models.get(str(spans), window=reader_window(spans, 8), stride=3)
    text = "the old mill stood by the river and the town ran past the hill"
    rows = reader.training_inputs(prompt(text), ["stood by the river and"])  # words 3 to 7; windows begin at 0, 3, 6
    assert [window.first_token for window, _, _ in rows] == [0, 3]
    assert {read(reader, row) for row in rows} == {"stood by the river and"}
    assert rows[0][1] - rows[1][1] == 3
    (only,) = reader.training_inputs(prompt(text), ["stood by the river and the"])
    assert only[0].first_token == 3
    assert reader.training_inputs(prompt(text), ["old mill stood by the river and the town"]) == []


def reader_window(folder: Path, room: int) -> int:
    """The window that leaves room for so many tokens of a passage."""
    return models.get(str(folder)).count([QUESTION])[0] + 3 + room


def test_windows_without_the_span_teach_the_null_span_to_a_reader_that_gives_it(spans):
    window, text = reader_window(spans, 4), "the ice by the oak of the old hill"
    plain = models.get(str(spans), window=window, stride=4)
    null = models.get(str(spans), window=window, stride=4, null_threshold=0.0)
    first = plain.count([QUESTION])[0] + 2
    assert [(start, end) for _, start, end in plain.training_inputs(prompt(text), ["oak"])] == [(first, first)]
    taught = null.training_inputs(prompt(text), ["oak"])
    assert [(start, end) for _, start, end in taught] == [(0, 0), (first, first), (0, 0)]
    assert [(start, end) for _, start, end in null.training_inputs(prompt(text), [""])] == [(0, 0)] * 3
    assert plain.training_inputs(prompt(text), [""]) == []
    assert null.training_inputs(prompt(text), ["lamp"]) == null.training_inputs(prompt(text), []) == []


def test_a_training_example_without_its_answer_or_without_space_is_counted(spans):
    reader = models.get(str(spans))
    long = Prompt((Part("query", QUESTION * 20), Part("document", "oak")))
    asked = [(prompt("the oak"), "oak"), (prompt("the oak"), "lamp"), (long, "oak"), (prompt(), "oak")]
    rows, missed = _rows(reader, [TrainingExample(models.Generate(one, 9), (answer,)) for one, answer in asked])
    assert (len(rows), missed) == (1, 3)


def test_the_loss_is_the_mean_over_windows_of_what_transformers_computes_for_each(spans):
    import torch

    reader = models.get(str(spans), device="cpu", dtype="fp32")
    network = reader.untrained(("start", "end"), 0)
    network.model.eval()
    rows = [
        reader.training_inputs(prompt(text), ["oak"])[0]
        for text in ("the oak", "Anna kept a lamp by the oak of the hill")
    ]
    each = []
    for window, start, end in rows:
        given = {"start_positions": torch.tensor([start]), "end_positions": torch.tensor([end])}
        each.append(network.model(**reader.inputs(network, [window]), **given).loss.item())
    batch = _collator(reader, network)(rows)
    labels = batch.pop("labels")
    output = network.model(**batch)
    assert _loss(output, labels).item() == pytest.approx(sum(each) / 2, rel=1e-5)
    assert _loss(output, labels, torch.tensor(2 * labels.numel())).item() == pytest.approx(sum(each) / 4, rel=1e-5)


def test_a_base_encoder_learns_to_answer(things, spans, tmp_path):
    settings = json.loads((spans / "config.json").read_text()) | {"architectures": ["BertModel"]}
    (spans / "config.json").write_text(json.dumps(settings))
    done = pipelines.train("qa", model=f"span_extractor:{spans}", data=things, out=tmp_path / "out", **LEARN)
    metrics = done.metrics
    assert (done.reader, done.validation) == ("span_extractor", "validation")
    assert (metrics["train_samples"], metrics["unfound"]) == (23, 1)
    assert (metrics["eval_samples"], metrics["unfound_in_validation"]) == (8, 0)
    assert metrics["best validation loss"] == min(
        row["validation loss"] for row in metrics["history"] if "validation loss" in row
    )
    assert {file.name for file in (tmp_path / "out").iterdir()} >= {"model.safetensors", "tokenizer.json"}
    reader = models.get(str(tmp_path / "out"))
    assert type(reader).__name__ == "SpanExtractor"
    result = pipelines.run("qa", data=things, split="validation", model=str(tmp_path / "out"), out=tmp_path / "run")
    assert result.scores["exact_match"] >= 75  # chance is one in eight things


def test_the_folder_keeps_what_decides_windows_and_null_answers(things, spans, tmp_path):
    model = {"name": "span_extractor", "model": str(spans), "null_threshold": 0.5, "stride": 7}
    pipelines.train("qa", model=model, data=things, out=tmp_path / "out", epochs=1, limit=4)
    described = json.loads((tmp_path / "out/reader.json").read_text())
    assert described == {"name": "span_extractor", "max_answer_tokens": 30, "null_threshold": 0.5, "stride": 7}
    reader = models.get(str(tmp_path / "out"))
    assert (reader.null_threshold, reader.stride) == (0.5, 7)


class Killed(BaseException):
    """What nothing catches."""


@pytest.mark.slow
def test_a_training_that_is_broken_off_continues_to_the_same_weights(things, spans, tmp_path, monkeypatch):
    from transformers import Trainer

    own, steps, out = Trainer.training_step, [], tmp_path / "out"

    def step(self, *given, **named):
        steps.append(1)
        if len(steps) > 8:
            raise Killed
        return own(self, *given, **named)

    given = {"model": f"span_extractor:{spans}", "data": things, "epochs": 2, "batch_size": 4}
    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(Trainer, "training_step", step)
        pipelines.train("qa", out=out, **given)
    assert [path.name for path in (out / "checkpoints").iterdir()] == ["checkpoint-6"]
    done = pipelines.train("qa", out=out, **given)
    whole = pipelines.train("qa", out=tmp_path / "whole", **given)
    assert done.metrics == whole.metrics
    assert (out / "model.safetensors").read_bytes() == (tmp_path / "whole/model.safetensors").read_bytes()


@pytest.mark.parametrize("split, name", [("train", "24 training"), ("validation", "8 validation")])
def test_training_examples_none_of_which_has_its_answer_are_refused(things, spans, tmp_path, split, name):
    file = things / f"{split}.jsonl"
    rows = [json.loads(line) | {"answers": ["nowhere"]} for line in file.read_text().splitlines()]
    file.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(UserError, match=f"none of {name} examples has a reference in the passages"):
        pipelines.train("qa", model=f"span_extractor:{spans}", data=things, out=tmp_path / "out")


def test_a_base_encoder_alone_is_refused_with_what_to_type(things, base, tmp_path):
    folder = base("bert")
    with pytest.raises(UserError, match=f"needs a reader that writes; .*model=span_extractor:{folder}"):
        pipelines.train("qa", model=str(folder), data=things, out=tmp_path / "out")


def test_training_examples_that_ask_for_no_text_are_refused(spans, tmp_path):
    training_example = TrainingExample(Compare(("a", "b"), ((0, 1),)), ("1",))
    job = TrainingJob(models.get(str(spans)), [training_example], (), (), tmp_path, tmp_path, 0)
    with pytest.raises(UserError, match="these training examples ask for no text"):
        pipelines.training.get("span_extraction")(job)
