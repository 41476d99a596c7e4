"""The requests of a finished run, made again with their replies."""

import json

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.engine.replay.replay import replay

TEXT = "Anna keeps bees. " * 40 + "Bert mends clocks. " * 40


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    questions = [("a", "Who keeps bees?"), ("b", "What does Bert mend?")]
    lines = [{"id": id, "document": TEXT, "question": question, "answers": ["x"]} for id, question in questions]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def run(rows, out, **arguments):
    return pipelines.run("qa", data=rows, model="extractive", metrics="f1", out=out, report=False, **arguments)


@pytest.mark.parametrize("strategy", ["stuff", "map_reduce", "refine", "iterative", "vote"])
def test_every_round_of_a_strategy_is_replayed(rows, tmp_path, strategy):
    result = run(rows, tmp_path / "run", strategy=strategy, chunker="tokens:size=60", retriever="bm25", k=3)
    replayed = list(replay(tmp_path / "run"))
    assert [replayed_example.example.id for replayed_example in replayed] == ["a", "b"]
    for replayed_example, prediction in zip(replayed, result.predictions, strict=True):
        assert replayed_example.complete
        assert len(replayed_example.exchanges) == prediction.requests
        assert sum(exchange.reply.tokens_in for exchange in replayed_example.exchanges) == prediction.tokens_in
        assert all(isinstance(prompt, str) for exchange in replayed_example.exchanges for prompt in exchange.prompts)


def test_the_reader_is_not_called(rows, tmp_path, monkeypatch):
    run(rows, tmp_path / "run")

    def refuse(self, request):
        raise AssertionError("a reader was asked")

    monkeypatch.setattr("models.baselines.extractive.Extractive.reply_to", refuse)
    assert [one.exchanges[0].reply.value for one in replay(tmp_path / "run")]


def test_an_example_of_other_data_is_not_complete(rows, tmp_path):
    run(rows, tmp_path / "run")
    rows.write_text(rows.read_text(encoding="utf-8").replace("mends", "sells"), encoding="utf-8")
    assert [(one.complete, one.exchanges) for one in replay(tmp_path / "run")] == [(False, ()), (False, ())]


def test_data_that_are_gone_are_named(rows, tmp_path):
    run(rows, tmp_path / "run")
    rows.unlink()
    with pytest.raises(UserError, match=r"are not at .* any more: give data=PATH"):
        list(replay(tmp_path / "run"))
