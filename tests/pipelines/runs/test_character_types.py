"""Character types end to end: fitted, by likelihood, by sequence classification, and without any mention."""

import json
from pathlib import Path

import pytest

import pipelines
from chunkers.shared.names import mentions
from longdoc.errors import UserError
from models import Classify, Reader, Reply
from pipelines.benchmarks.muld.layouts.character_types import LABELS
from tests import tiny_models

DEEDS = {
    LABELS[0]: ("saves the child", "helps the old man", "mends the wheel", "brings bread", "carries the lamp"),
    LABELS[1]: ("burns the mill", "robs the bank", "breaks the wheel", "kills the dog", "steals the lamp"),
}


def script(hero: str, villain: str, film: int) -> str:
    scenes = []
    for number in range(30):
        for name, label in ((hero, LABELS[0]), (villain, LABELS[1])):
            deed = DEEDS[label][(number + film) % 5]
            scenes.append(f"EXT. TOWN - DAY {number}\n\n   {name.upper()} (V.O.)\nLook, people.\n\n{name} {deed}.")
            scenes.append("The river runs on and nobody comes by for a long while, and the wind blows. " * 5)
    return "\n\n".join(scenes)


class Hero(Reader):
    """Labels everybody as a hero."""

    supports = frozenset({Classify})
    labels = LABELS

    def count(self, texts: list[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: list[Classify]) -> list[Reply]:
        return [Reply(dict(zip(LABELS, (1.0, 0.0), strict=True))) for _ in requests]


@pytest.fixture
def films(tmp_path: Path) -> Path:
    """Three films for training, one for the test; its third character is never mentioned."""
    cast = [("Anna", "Tom"), ("Ida", "Carl"), ("Eva", "Max"), ("Nora", "Paul")]
    for split, numbers in (("train", (0, 1, 2)), ("test", (3,))):
        rows = []
        for number in numbers:
            text = script(*cast[number], number)
            rows += [
                {"document": text, "character": name, "label": label}
                for name, label in zip(cast[number], ("Hero", "Villain/Antagonist"), strict=True)
            ]
        if split == "test":
            rows.append({"document": text, "character": "Zelda", "label": "Hero"})
        (tmp_path / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def test_a_linear_classifier_is_fitted_on_other_films_and_tells_them_apart(films: Path) -> None:
    result = pipelines.run("character_types", data=films, model="linear", chunker="mentions:36", out=films / "run")
    anna, tom, zelda = result.predictions
    assert (anna.prediction, tom.prediction) == LABELS
    assert result.scores["accuracy"] == 100  # of equal probabilities the first label is taken, and Zelda is a hero
    assert set(result.scores) == {"macro_f1", "accuracy", *(f"f1[{label}]" for label in LABELS)}
    assert json.loads(zelda.notes["probabilities"]) == dict.fromkeys(LABELS, 0.5)
    assert zelda.notes["remark"].startswith("never mentioned")
    assert (zelda.selected, zelda.shown_spans) == ((), ())


def test_the_first_densest_and_last_windows_are_in_document_order(films: Path) -> None:
    result = pipelines.run("character_types", data=films, model="linear", chunker="mentions:36", out=films / "run")
    text = script("Nora", "Paul", 3)
    for prediction in result.predictions[:2]:
        spans = [(start, end) for start, end, _ in prediction.selected]
        places = [start for start, _ in mentions(text, prediction.query)]
        assert len(spans) == 3
        assert spans == sorted(spans)
        assert spans[0][0] <= places[0] < spans[0][1]
        assert spans[2][0] <= places[-1] < spans[2][1]
        assert all(len(text[start:end].split()) <= 12 for start, end in spans)


def test_one_split_alone_cannot_be_trained_on(films: Path) -> None:
    with pytest.raises(UserError, match="have one split only"):
        pipelines.run("character_types", data=films / "test.jsonl", model="linear", out=films / "run")


def test_t5_answers_by_the_likelihood_of_each_labels_words(films: Path, tiny_t5: Path) -> None:
    arguments = {"data": films, "model": f"{tiny_t5},max_input_tokens=120,deterministic=true"}
    result = pipelines.run("character_types", out=films / "run", **arguments)
    assert {prediction.prediction for prediction in result.predictions} <= set(LABELS)
    for prediction in result.predictions:
        probabilities = json.loads(prediction.notes["probabilities"])
        assert list(probabilities) == list(LABELS)
        assert sum(probabilities.values()) == pytest.approx(1, abs=1e-3)
    nora = result.predictions[0]
    assert len(nora.shown_spans) == 3
    assert nora.truncated_tokens == 0
    shown = pipelines.prompt("character_types", nora.id, **arguments)
    assert shown.text.startswith("Is this character the hero or the villain of the film? Nora\n")
    assert 90 < shown.tokens <= 120


@pytest.mark.parametrize("kind", ["longformer", "bert"])
def test_a_sequence_classifier_answers_from_its_folder(kind: str, films: Path, tmp_path_factory) -> None:
    folder = getattr(tiny_models, kind)(tmp_path_factory.mktemp(kind), max_position_embeddings=258)
    model = {"name": str(folder), "deterministic": True}
    result = pipelines.run("character_types", data=films, model=model, out=films / "run")
    assert result.failures == {}
    assert {prediction.prediction for prediction in result.predictions} <= set(LABELS)
    assert [len(prediction.shown_spans) for prediction in result.predictions] == [3, 3, 0]
    assert all(prediction.truncated_tokens == 0 for prediction in result.predictions)
    assert max(prediction.tokens_in for prediction in result.predictions) > 180
    record = json.loads((films / "run" / "run.json").read_text(encoding="utf-8"))
    assert record["spec"]["model"]["name"] == "sequence_classifier"
    assert record["spec"]["chunker"]["unit"] == "reader"


def test_the_windows_of_the_real_scripts_hold_the_characters(realdata: Path, tmp_path: Path) -> None:
    """Every annotated character is found; the paper's three windows hold the first and the last mention."""
    arguments = {"data": realdata / "character_archetype", "limit": 6, "metrics": ["accuracy"]}
    result = pipelines.run("character_types", model=Hero(), out=tmp_path / "run", **arguments)
    assert result.examples == 6
    assert all(
        len(prediction.shown_spans) == 3 and not prediction.notes.get("remark") for prediction in result.predictions
    )
