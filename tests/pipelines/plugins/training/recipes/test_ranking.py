"""Rankers learn from gold evidence, and are then retrievers by their folder."""

import json

import pytest

import pipelines
import retrievers
from longdoc.errors import UserError

LEXICAL = "evidence_ranker:signals=[bm25]"


def train(data, out, **arguments):
    return pipelines.train("qa", **{"model": LEXICAL, "data": data, "out": out, **arguments})


def test_the_folder_is_a_retriever_with_its_record_and_card(questions, tmp_path):
    training = train(questions, tmp_path / "out")
    assert (training.reader, training.validation, training.finished_earlier) == ("evidence_ranker", "nothing", False)
    assert training.metrics == {"training_documents": 10, "training_questions": 10}
    assert training.command.startswith(f"longdoc run qa --retriever {tmp_path / 'out'} --chunker units:of=sentence")
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        ".lock", "README.md", "model.skops", "retriever.json", "training.json",
    }  # fmt: skip
    record = json.loads((tmp_path / "out/training.json").read_text())
    assert record["spec"]["recipe"] == {"name": "ranking"}
    assert record["spec"]["retriever"]["signals"] == [retrievers.registry.get("bm25").__dict__ | {"name": "bm25"}]
    card = (tmp_path / "out/README.md").read_text()
    assert "# evidence_ranker for qa" in card
    assert "longdoc run qa --retriever FOLDER" in card


def test_a_run_with_the_folder_finds_the_evidence(questions, tmp_path):
    train(questions, tmp_path / "out")
    arguments = {"data": questions, "model": "none", "split": "test", "budget": "12 words", "out": tmp_path / "run"}
    result = pipelines.run("qa", retriever=str(tmp_path / "out"), metrics=["evidence_recall"], **arguments)
    assert result.scores["evidence_recall"] == 100
    spec = json.loads((tmp_path / "run/run.json").read_text())["spec"]
    assert spec["chunker"]["name"] == "units"
    assert len(spec["retriever"]["weights"]) == 16


def test_the_same_training_again_is_found_finished_and_another_is_refused(questions, tmp_path):
    train(questions, tmp_path / "out")
    assert train(questions, tmp_path / "out").finished_earlier
    with pytest.raises(UserError, match="holds another training"):
        train(questions, tmp_path / "out", chunker="units:of=paragraph")
    (tmp_path / "out/retriever.json").unlink()
    with pytest.raises(UserError, match=r"a finished training without its retriever\.json"):
        train(questions, tmp_path / "out")


def test_data_without_evidence_are_refused_with_the_tasks_that_have_it(films, tmp_path):
    with pytest.raises(UserError, match=r"has evidence; tasks with gold evidence are .*scrolls/qasper.*your own rows"):
        pipelines.train("character_types", model=LEXICAL, data=films, out=tmp_path / "out")


def test_a_task_without_questions_is_refused(mixes, tmp_path):
    with pytest.raises(UserError, match="style_change asks no question, so it has no evidence to find"):
        pipelines.train("style_change", model=LEXICAL, data=mixes, out=tmp_path / "out")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 3, "strategy": "map"}, "without strategy, k: leave it out"),
        ({"retriever": "bm25"}, "retrievers are its signals"),
        ({"validation": "validation"}, "not stopped early"),
        ({"epochs": 2}, "unknown parameter of recipe ranking: 'epochs'"),
        ({"recipe": "generation"}, "the recipe generation is for likelihood, seq2seq, not for"),
        ({"model": "evidence_ranker:signals=[bn25]"}, "bm25"),
    ],
)
def test_invalid_arguments_are_refused(questions, tmp_path, arguments, message):
    with pytest.raises(UserError, match=message):
        train(questions, tmp_path / "out", **arguments)


@pytest.mark.parametrize(
    "model", [LEXICAL, {"name": "evidence_ranker", "signals": ["bm25"]}, retrievers.get(LEXICAL)], ids=str
)
def test_a_ranker_may_be_given_as_text_mapping_or_object(questions, tmp_path, model):
    train(questions, tmp_path / "out", model=model)
    train(questions, tmp_path / "named")
    records = [json.loads((tmp_path / name / "retriever.json").read_text()) for name in ("out", "named")]
    assert records[0] == records[1]
