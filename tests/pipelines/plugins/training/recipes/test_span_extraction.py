"""Encoders learn to answer with spans: what the labels are, that they are learned, and that training continues."""

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
def span_model(tmp_path: Path) -> Path:
    """The folder of a tiny BERT whose file says that its head for spans is trained."""
    folder = tmp_path / "spans"
    folder.mkdir()
    return tiny_models.bert_spans(folder, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)


@pytest.fixture
def kept_things(tmp_path: Path) -> Path:
    """A folder of rows whose answer follows the word `kept`; one training document lacks it, and one has it twice."""
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


def span_text(reader, row):
    """The text of a window's tokens from start to end."""
    window, start, end = row
    ids, _ = reader.joining.joined(window.question, window.ids)
    return reader.subwords.decode(ids[start : end + 1])


def test_the_label_is_the_reference_s_place_in_the_input(span_model):
    reader = models.get(str(span_model))
    ((window, start, end),) = reader.training_inputs(prompt("Tom mended the old wheel."), ["old wheel"])
    question_length = reader.count([QUESTION])[0]
    assert (start, end) == (
        1 + question_length + 1 + 3,
        1 + question_length + 1 + 4,
    )  # [CLS] question [SEP] tom mended the old wheel
    assert span_text(reader, (window, start, end)) == "old wheel"


def test_of_a_repeated_answer_the_first_occurrence_is_the_label(span_model):
    reader = models.get(str(span_model))
    rows = reader.training_inputs(prompt("The ice.", "The oak, an oak.", "Oak"), ["oak"])
    assert [(window.passage, span_text(reader, (window, start, end))) for window, start, end in rows] == [(1, "oak")]
    assert rows[0][1] == reader.count([QUESTION])[0] + 2 + 1


def test_a_window_that_lacks_a_part_of_the_span_does_not_teach_it(span_model):
    reader = models.get(str(span_model), window=reader_window(span_model, 8), stride=3)
    text = "the old mill stood by the river and the town ran past the hill"
    rows = reader.training_inputs(prompt(text), ["stood by the river and"])  # words 3 to 7; windows begin at 0, 3, 6
    assert [window.first_token for window, _, _ in rows] == [0, 3]
    assert {span_text(reader, row) for row in rows} == {"stood by the river and"}
    assert rows[0][1] - rows[1][1] == 3
    (only,) = reader.training_inputs(prompt(text), ["stood by the river and the"])
    assert only[0].first_token == 3
    assert reader.training_inputs(prompt(text), ["old mill stood by the river and the town"]) == []


def reader_window(folder: Path, room: int) -> int:
    """The window that leaves room for so many tokens of a passage."""
    return models.get(str(folder)).count([QUESTION])[0] + 3 + room


def test_windows_without_the_span_teach_the_null_span_to_a_reader_that_gives_it(span_model):
    window, text = reader_window(span_model, 4), "the ice by the oak of the old hill"
    plain = models.get(str(span_model), window=window, stride=4)
    null_reader = models.get(str(span_model), window=window, stride=4, null_threshold=0.0)
    first = plain.count([QUESTION])[0] + 2
    assert [(start, end) for _, start, end in plain.training_inputs(prompt(text), ["oak"])] == [(first, first)]
    rows = null_reader.training_inputs(prompt(text), ["oak"])
    assert [(start, end) for _, start, end in rows] == [(0, 0), (first, first), (0, 0)]
    assert [(start, end) for _, start, end in null_reader.training_inputs(prompt(text), [""])] == [(0, 0)] * 3
    assert plain.training_inputs(prompt(text), [""]) == []
    assert null_reader.training_inputs(prompt(text), ["lamp"]) == null_reader.training_inputs(prompt(text), []) == []


def test_training_examples_without_their_answer_or_too_long_are_counted(span_model):
    reader = models.get(str(span_model))
    long = Prompt((Part("query", QUESTION * 20), Part("document", "oak")))
    examples = [(prompt("the oak"), "oak"), (prompt("the oak"), "lamp"), (long, "oak"), (prompt(), "oak")]
    rows, missed = _rows(reader, [TrainingExample(models.Generate(one, 9), (answer,)) for one, answer in examples])
    assert (len(rows), missed) == (1, 3)


def test_the_loss_is_the_mean_over_windows_of_what_transformers_computes_for_each(span_model):
    import torch

    reader = models.get(str(span_model), device="cpu", dtype="fp32")
    network = reader.untrained(("start", "end"), 0)
    network.model.eval()
    rows = [
        reader.training_inputs(prompt(text), ["oak"])[0]
        for text in ("the oak", "Anna kept a lamp by the oak of the hill")
    ]
    each = []
    for window, start, end in rows:
        arguments = {"start_positions": torch.tensor([start]), "end_positions": torch.tensor([end])}
        each.append(network.model(**reader.inputs(network, [window]), **arguments).loss.item())
    batch = _collator(reader, network)(rows)
    labels = batch.pop("labels")
    output = network.model(**batch)
    assert _loss(output, labels).item() == pytest.approx(sum(each) / 2, rel=1e-5)
    assert _loss(output, labels, torch.tensor(2 * labels.numel())).item() == pytest.approx(sum(each) / 4, rel=1e-5)


def test_a_base_encoder_learns_to_answer(kept_things, span_model, tmp_path):
    settings = json.loads((span_model / "config.json").read_text()) | {"architectures": ["BertModel"]}
    (span_model / "config.json").write_text(json.dumps(settings))
    training = pipelines.train(
        "qa", model=f"span_extractor:{span_model}", data=kept_things, out=tmp_path / "out", **LEARN
    )
    metrics = training.metrics
    assert (training.reader, training.validation) == ("span_extractor", "validation")
    assert (metrics["train_samples"], metrics["unfound"]) == (23, 1)
    assert (metrics["eval_samples"], metrics["unfound_in_validation"]) == (8, 0)
    assert metrics["best validation loss"] == min(
        row["validation loss"] for row in metrics["history"] if "validation loss" in row
    )
    assert {file.name for file in (tmp_path / "out").iterdir()} >= {"model.safetensors", "tokenizer.json"}
    reader = models.get(str(tmp_path / "out"))
    assert type(reader).__name__ == "SpanExtractor"
    result = pipelines.run(
        "qa", data=kept_things, split="validation", model=str(tmp_path / "out"), out=tmp_path / "run"
    )
    assert result.scores["exact_match"] >= 75  # chance is one in eight


def test_the_folder_keeps_what_decides_windows_and_null_answers(kept_things, span_model, tmp_path):
    model = {"name": "span_extractor", "model": str(span_model), "null_threshold": 0.5, "stride": 7}
    pipelines.train("qa", model=model, data=kept_things, out=tmp_path / "out", epochs=1, limit=4)
    description = json.loads((tmp_path / "out/reader.json").read_text())
    assert description == {"name": "span_extractor", "max_answer_tokens": 30, "null_threshold": 0.5, "stride": 7}
    reader = models.get(str(tmp_path / "out"))
    assert (reader.null_threshold, reader.stride) == (0.5, 7)


class KilledTraining(BaseException):
    """An exception that nothing catches."""


@pytest.mark.slow
def test_a_training_that_is_broken_off_continues_to_the_same_weights(kept_things, span_model, tmp_path, monkeypatch):
    from transformers import Trainer

    original, steps, out = Trainer.training_step, [], tmp_path / "out"

    def step(self, *args, **options):
        steps.append(1)
        if len(steps) > 8:
            raise KilledTraining
        return original(self, *args, **options)

    arguments = {"model": f"span_extractor:{span_model}", "data": kept_things, "epochs": 2, "batch_size": 4}
    with monkeypatch.context() as patched, pytest.raises(KilledTraining):
        patched.setattr(Trainer, "training_step", step)
        pipelines.train("qa", out=out, **arguments)
    assert [path.name for path in (out / "checkpoints").iterdir()] == ["checkpoint-6"]
    training = pipelines.train("qa", out=out, **arguments)
    whole = pipelines.train("qa", out=tmp_path / "whole", **arguments)
    assert training.metrics == whole.metrics
    assert (out / "model.safetensors").read_bytes() == (tmp_path / "whole/model.safetensors").read_bytes()


@pytest.mark.parametrize("split, name", [("train", "24 training"), ("validation", "8 validation")])
def test_training_examples_none_of_which_has_its_answer_are_refused(kept_things, span_model, tmp_path, split, name):
    file = kept_things / f"{split}.jsonl"
    rows = [json.loads(line) | {"answers": ["nowhere"]} for line in file.read_text().splitlines()]
    file.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(UserError, match=f"none of {name} examples has a reference in the passages"):
        pipelines.train("qa", model=f"span_extractor:{span_model}", data=kept_things, out=tmp_path / "out")


def test_a_base_encoder_alone_is_refused_with_what_to_type(kept_things, base, tmp_path):
    folder = base("bert")
    with pytest.raises(UserError, match=f"needs a reader that writes; .*model=span_extractor:{folder}"):
        pipelines.train("qa", model=str(folder), data=kept_things, out=tmp_path / "out")


def test_training_examples_that_ask_for_no_text_are_refused(span_model, tmp_path):
    training_example = TrainingExample(Compare(("a", "b"), ((0, 1),)), ("1",))
    job = TrainingJob(models.get(str(span_model)), [training_example], (), (), tmp_path, tmp_path, 0)
    with pytest.raises(UserError, match="these training examples ask for no text"):
        pipelines.training.get("span_extraction")(job)
