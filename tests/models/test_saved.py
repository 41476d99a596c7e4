"""Readers that scikit-learn trains, saved and loaded again."""

import argparse
import zipfile

import pytest

import models
from longdoc.errors import UserError
from models import Classify, Compare, Part, Prompt, TrainingExample

PARAGRAPHS = (
    "The old sea captain walked slowly; he sighed, again and again!",
    "I don't know. I can't say. It's all gone.",
    "Furthermore the committee considered the motion, and approved it.",
    "You're kidding! I can't believe it's real.",
)
PAIRS = Compare(PARAGRAPHS, ((0, 1), (0, 2), (1, 3)))


def request(text):
    return Classify(Prompt((Part("document", text),)))


@pytest.fixture
def stylometry(tmp_path):
    reader = models.get("stylometry", pairs=100)
    reader.fit([TrainingExample(Compare(tuple(f"{p}{n}" for p in PARAGRAPHS), ()), ("1,2,1,2",)) for n in range(6)])
    reader.save(tmp_path / "stylometry")
    return reader


@pytest.fixture
def linear(tmp_path):
    reader = models.get("linear", words=1, letters=3)
    texts = [("a good hero", "H"), ("a bad villain", "V"), ("good man", "H"), ("bad man", "V")]
    reader.fit([TrainingExample(request(text), (label,)) for text, label in texts])
    reader.save(tmp_path / "linear")
    return reader


def test_stylometry_answers_the_same_from_its_folder(stylometry, tmp_path):
    loaded = models.get(str(tmp_path / "stylometry"))
    assert loaded.fitted
    assert loaded.pairs == 100
    assert loaded.reply([PAIRS])[0].value == stylometry.reply([PAIRS])[0].value
    assert loaded.resolve().keys() == {"weights", "deterministic"}


def test_linear_answers_the_same_from_its_folder(linear, tmp_path):
    loaded = models.get(str(tmp_path / "linear"))
    assert loaded.labels == ("H", "V")
    for text in ("a good man", "villain", "", "nothing known"):
        assert loaded.reply([request(text)])[0].value == linear.reply([request(text)])[0].value


def test_a_linear_reader_of_one_class_is_saved_too(tmp_path):
    reader = models.get("linear")
    reader.fit([TrainingExample(request("a hero"), ("H",))])
    reader.save(tmp_path / "one")
    assert models.get(str(tmp_path / "one")).reply([request("x")])[0].value == {"H": 1.0}


def test_nothing_is_pickled(stylometry, linear, tmp_path):
    for name in ("stylometry", "linear"):
        assert {file.name for file in (tmp_path / name).iterdir()} == {"reader.json", "model.skops"}
        with zipfile.ZipFile(tmp_path / name / "model.skops") as archive:
            assert {member.rpartition(".")[2] for member in archive.namelist()} == {"json", "npy"}


def test_the_identity_changes_with_the_learned_weights(stylometry, tmp_path):
    first = models.get(str(tmp_path / "stylometry")).resolve()
    other = models.get("stylometry", pairs=100, seed=1)
    other.fit([TrainingExample(Compare(tuple(f"{p}{n}" for p in PARAGRAPHS), ()), ("1,1,2,2",)) for n in range(6)])
    other.save(tmp_path / "stylometry")
    assert models.get(str(tmp_path / "stylometry")).resolve() != first


def test_fields_may_be_given_beside_a_folder(linear, tmp_path):
    assert models.get(str(tmp_path / "linear"), max_input_tokens=7).max_input_tokens == 7


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "model.skops").write_bytes(b"PK no"), "cannot be read"),
        (
            lambda folder: (folder / "model.skops").unlink(),
            "has no model.skops: train a model into it, `longdoc train --help`",
        ),
        (lambda folder: (folder / "reader.json").write_text("{"), "is not JSON"),
        (
            lambda folder: (folder / "reader.json").write_text("[]"),
            "reader.json does not name a reader: train it again, `longdoc train --help`",
        ),
        (lambda folder: (folder / "reader.json").write_text('{"name": "stylometry"}'), "another kind of reader"),
    ],
)
def test_a_damaged_folder_is_refused_with_advice(linear, tmp_path, spoil, message):
    spoil(tmp_path / "linear")
    with pytest.raises(UserError, match=message):
        models.get(str(tmp_path / "linear"))


def test_a_file_that_asks_for_foreign_types_is_not_read(linear, tmp_path):
    import skops.io

    skops.io.dump(
        {"shares": argparse.Namespace(one=1), "vectorizers": [], "classifier": None}, tmp_path / "linear/model.skops"
    )
    with pytest.raises(UserError, match="types that are not trusted"):
        models.get(str(tmp_path / "linear"))
