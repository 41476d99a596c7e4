"""The search for a learning rate, and how a training continues that was broken off."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import models
import pipelines
from longdoc.errors import UserError
from pipelines.plugins.training.recipe import Recipe, TrainingJob
from pipelines.plugins.training.shared import search


@pytest.fixture
def books(tmp_path):
    question = {"question": "Where?", "answers": ["river", "mill"]}
    rows = [{"id": str(n), "document": f"The old mill {n} " + "stood " * n + "by it.", **question} for n in range(12)]
    for split in ("train", "validation"):
        (tmp_path / f"{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


@dataclass(frozen=True)
class FakeRecipe(Recipe):
    """Trains nothing: writes its learning rate, and returns that rate's score."""

    scores: dict = field(hash=False)
    name: str = "best validation loss"
    learning_rate: float = 1.0
    learning_rates: tuple = (1.0, 2.0, 3.0)

    trains = frozenset()

    def __call__(self, job):
        job.out.mkdir(parents=True)
        (job.out / "rate").write_text(str(self.learning_rate))
        return {self.name: self.scores[self.learning_rate], "best step": 5}


def job(out: Path, validation=(1,)) -> TrainingJob:
    return TrainingJob(None, [1], list(validation), (), out, out / "checkpoints", 0)


@pytest.mark.parametrize(
    ("scores", "name", "best"),
    [
        ({1.0: 3.0, 2.0: 1.0, 3.0: 2.0}, "best validation loss", 2.0),
        ({1.0: 3.0, 2.0: 1.0, 3.0: 2.0}, "best macro f1", 1.0),
        ({1.0: 2.0, 2.0: 2.0, 3.0: 2.0}, "last validation loss", 1.0),
        ({1.0: float("nan"), 2.0: 9.0, 3.0: float("nan")}, "last validation loss", 2.0),
    ],
)
def test_the_reader_of_the_best_rate_is_kept_and_all_are_reported(tmp_path, scores, name, best):
    metrics = search.train(FakeRecipe(scores, name), job(tmp_path))
    assert (tmp_path / "rate").read_text() == str(best)
    assert metrics["learning rate"] == best
    assert list(metrics["tried"]) == ["1", "2", "3"]
    assert [path.parent.name for path in tmp_path.glob("checkpoints/*/reader")] == [f"{best:g}"]


def test_without_validation_there_is_no_search(tmp_path):
    with pytest.raises(UserError, match="give learning_rate"):
        search.train(FakeRecipe({}), job(tmp_path, ()))


@pytest.mark.slow
def test_each_rate_starts_from_the_base_and_the_best_model_is_as_if_trained_alone(books, tiny_t5, tmp_path):
    arguments = {"model": str(tiny_t5), "data": books, "epochs": 2, "batch_tokens": 200, "dtype": "fp32", "warmup": 0.0}
    training = pipelines.train("qa", out=tmp_path / "a", learning_rates=(1e-5, 5e-3), **arguments)
    alone = pipelines.train("qa", out=tmp_path / "b", learning_rate=5e-3, **arguments)
    assert training.metrics["learning rate"] == 5e-3
    assert (
        training.metrics["tried"]["0.005"] == alone.metrics["best validation loss"] < training.metrics["tried"]["1e-05"]
    )
    assert (tmp_path / "a/model.safetensors").read_bytes() == (tmp_path / "b/model.safetensors").read_bytes()
    assert not (tmp_path / "a/checkpoints").exists()
    assert models.get(str(tmp_path / "a")).reply([models.Generate("Where?", 5)])[0].error is None


ARGUMENTS = {
    "epochs": 2, "batch_tokens": 120, "accumulation": 2, "dropout": 0.2, "length_grouping": True, "checkpoints": 2,
    "gradient_checkpointing": True, "learning_rate": 1e-3, "dtype": "fp32",
}  # fmt: skip


SEARCH = {**ARGUMENTS, "epochs": 1, "learning_rates": (1e-3, 5e-4)}


class KilledTraining(BaseException):
    """An exception that nothing catches."""


def break_off(monkeypatch, method, count, **arguments):
    """Train, and break off after `count` calls of a method of the Trainer."""
    from transformers import Trainer

    original, calls = getattr(Trainer, method), []

    def call(*args, **options):
        calls.append(1)
        if len(calls) > count:
            raise KilledTraining
        return original(*args, **options)

    with monkeypatch.context() as patched, pytest.raises(KilledTraining):
        patched.setattr(Trainer, method, call)
        pipelines.train("qa", **arguments)


@pytest.mark.slow
def test_a_training_that_was_killed_anywhere_continues_to_the_same_weights(books, tiny_t5, tmp_path, monkeypatch):
    """Between checkpoints, while the state of one is written, before any, and within the second rate of a search."""
    base = {"model": str(tiny_t5), "data": books}
    for name, arguments, places in (
        ("one", ARGUMENTS, [("training_step", 9), ("_save_rng_state", 1), ("_save_rng_state", 0)]),
        ("search", SEARCH, [("training_step", 11)]),
    ):
        whole = pipelines.train("qa", out=tmp_path / name, **base, **arguments)
        weights = (tmp_path / name / "model.safetensors").read_bytes()
        for number, (method, count) in enumerate(places):
            out = tmp_path / f"{name}-{number}"
            break_off(monkeypatch, method, count, out=out, **base, **arguments)
            training = pipelines.train("qa", out=out, **base, **arguments)
            assert training.metrics == whole.metrics
            assert (out / "model.safetensors").read_bytes() == weights


@pytest.mark.slow
def test_patience_is_remembered_over_a_broken_off_training(books, tiny_t5, tmp_path, monkeypatch):
    arguments = {
        "model": str(tiny_t5),
        "data": books,
        "epochs": 30,
        "learning_rate": 0.05,
        "batch_size": 24,
        "patience": 2,
    }
    whole = pipelines.train("qa", out=tmp_path / "a", **arguments)
    assert whole.metrics["steps"] == whole.metrics["best step"] + 2
    break_off(monkeypatch, "training_step", whole.metrics["steps"] - 1, out=tmp_path / "b", **arguments)
    assert pipelines.train("qa", out=tmp_path / "b", **arguments).metrics == whole.metrics


def test_a_checkpoint_whose_state_is_cut_off_is_deleted(tmp_path):
    from pipelines.plugins.training.shared import gradient as gradient

    for number, state in ((5, "{}"), (10, '{"step"')):
        (tmp_path / f"checkpoint-{number}").mkdir()
        (tmp_path / f"checkpoint-{number}/trainer_state.json").write_text(state)
    gradient._delete_incomplete(tmp_path)
    assert gradient._last_checkpoint(tmp_path) == tmp_path / "checkpoint-5"


@pytest.mark.parametrize("damaged", ["", "[]", "{}", "9" * 5000, "[" * 50_000, '{"best validation loss": null}'])
def test_damaged_scores_of_a_rate_are_refused_in_a_line(tmp_path, damaged):
    recipe = FakeRecipe({1.0: 3.0, 2.0: 1.0, 3.0: 2.0})
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / search.DONE).write_text(damaged)
    with pytest.raises(UserError, match=r"^\S+metrics\.json is damaged \([^\n]*\): delete \S+one, and start the same"):
        search._train_with_rate(recipe, job(tmp_path), 1.0, tmp_path / "one")
