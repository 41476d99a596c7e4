"""Outputs that ended at their length, are empty or were refused: counted by prediction and reported everywhere."""

import json
from dataclasses import dataclass

import pytest

import pipelines
from models import Generate, Reader, Reply
from pipelines.records import Document, Example
from pipelines.results import output_counts
from pipelines.results.reports import content
from pipelines.results.run_folders.listing import runs
from pipelines.results.run_folders.run import finished_run
from pipelines.strategies import Strategy

TEXT = " ".join(f"Room{i} holds chest number {i}." for i in range(9))
REPLIES = {
    "full": Reply("chest number", 3, 2),
    "cut": Reply("chest num", 3, 2, finish_reason="length"),
    "empty": Reply(" \n", 3, 0),
    "nothing": Reply("", 3, 2, finish_reason="length"),
    "thought": Reply("", 3, 2, finish_reason="length", thinking="Which chest?"),
    "refused": Reply("I cannot help with that.", 3, 5, finish_reason="refusal"),
}


@dataclass(frozen=True)
class Says(Reader):
    """Replies what the question's last word asks for."""

    supports = frozenset({Generate})
    max_input_tokens: int | None = None

    def count(self, texts):
        return [len(text.split()) for text in texts]

    def reply(self, requests):
        return [REPLIES[request.prompt.query.split()[-1]] for request in requests]


ADVICE = ": for complete outputs give max_new_tokens=128; on the command line --max-new-tokens 128"


def run(out, *kinds, **arguments):
    data = [Example(f"q{i}", Document("house", TEXT), f"What? {kind}", ("x",)) for i, kind in enumerate(kinds)]
    defaults = {"chunker": "sentences", "k": 3, "metrics": ["f1"], "prompt": "{query} {document}", "model": Says()}
    return pipelines.run("qa", data=data, out=out, **{**defaults, **arguments})


def test_outputs_are_counted_for_each_prediction_and_in_the_scores(tmp_path):
    result = run(tmp_path / "run", "full", "cut", "empty", "nothing", "refused", "empty")
    assert [dict(prediction.outputs) for prediction in result.predictions] == [
        {}, {"ended at length": 1}, {"empty": 1}, {"ended at length": 1, "empty": 1}, {"refused": 1}, {"empty": 1},
    ]  # fmt: skip
    counts = {
        "ended at length": {"outputs": 2, "examples": 2},
        "empty": {"outputs": 3, "examples": 3},
        "refused": {"outputs": 1, "examples": 1},
    }
    assert json.loads((tmp_path / "run" / "scores.json").read_text(encoding="utf-8"))["outputs"] == counts
    assert result.outputs == counts == result.to_dict()["outputs"]
    assert finished_run(tmp_path / "run").counts.outputs == counts
    assert pipelines.rescore(tmp_path / "run")["outputs"] == counts


def test_a_run_of_complete_outputs_has_no_warning(tmp_path):
    result = run(tmp_path / "run", "full", "full")
    assert (result.outputs, result.warnings) == ({}, ())
    assert runs(tmp_path).notes == []


def test_console_report_listing_and_show_describe_them(tmp_path):
    result = run(tmp_path / "run", "empty", "empty", "empty")
    assert "  warning: 3 of 3 outputs are empty" in str(result).splitlines()
    assert "3 of 3 outputs are empty" in content.gather(tmp_path / "run").runs[0].warnings
    assert "3 of 3 outputs are empty" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert runs(tmp_path).notes == [f"{tmp_path / 'run'}: 3 of 3 outputs are empty"]
    assert runs(tmp_path).to_dict()["runs"][0]["outputs"] == ["3 of 3 outputs are empty"]
    shown = pipelines.show(tmp_path / "run", "q0")
    assert ("outputs", "1 empty") in shown.facts()
    assert shown.to_dict()["outputs"] == {"empty": 1}


def test_outputs_that_thinking_filled_are_described_with_what_to_type(tmp_path):
    result = run(tmp_path / "run", "thought", "thought", "nothing", "full")
    assert result.outputs["filled by thinking"] == {"outputs": 2, "examples": 2}
    assert result.outputs["empty"] == result.outputs["ended at length"] == {"outputs": 3, "examples": 3}
    assert result.warnings == (
        f"3 of 4 outputs stopped at max_new_tokens, unfinished{ADVICE}",
        "3 of 4 outputs are empty",
        "2 of 4 outputs are empty, as thinking took all of max_new_tokens: give thinking=2048, or more than before",
    )
    only = run(tmp_path / "only", "thought")
    assert only.warnings == (
        "1 of 1 output is empty, as thinking took all of max_new_tokens: give thinking=2048, or more than before",
    )
    assert runs(tmp_path / "only").to_dict()["runs"][0]["outputs"] == list(only.warnings)


def test_with_several_requests_per_example_the_examples_are_counted_too(tmp_path):
    result = run(tmp_path / "run", "cut", "full", strategy="map_reduce", chunker="tokens:10")
    requests = sum(prediction.requests for prediction in result.predictions)
    unfinished = result.outputs["ended at length"]["outputs"]
    assert 2 <= unfinished < requests
    line = f"{unfinished} of {requests} outputs stopped at max_new_tokens, unfinished, in 1 of 2 examples"
    assert line + ADVICE in result.warnings


@pytest.mark.parametrize(("unfinished", "is_advised"), [(1, False), (2, True)])
def test_more_than_one_in_a_hundred_cut_outputs_are_an_advice_with_the_number_to_type(unfinished, is_advised):
    counts = {"ended at length": {"outputs": unfinished, "examples": unfinished}}
    (line,) = output_counts.describe(counts, 100, 100, {"max_new_tokens": 64, "chunker": {"name": "whole"}})
    assert line.endswith(ADVICE) is is_advised


def test_outputs_that_went_in_thinking_are_no_reason_to_advise_a_longer_answer():
    counts = {name: {"outputs": 9, "examples": 9} for name in ("ended at length", "empty", "filled by thinking")}
    (line,) = output_counts.describe(counts, 100, 100, {"max_new_tokens": 64})
    assert line.endswith("give thinking=2048, or more than before")


def test_chunks_of_lines_that_would_grow_with_the_length_are_part_of_the_advice():
    counts = {"ended at length": {"outputs": 5, "examples": 1}}
    spec = {"max_new_tokens": 512, "chunker": {"name": "lines", "size": 284, "unit": "reader"}}
    (line,) = output_counts.describe(counts, 50, 1, spec)
    assert line == (
        "5 of 50 outputs stopped at max_new_tokens, unfinished, in 1 of 1 example: for complete outputs give "
        "max_new_tokens=1024, chunker='lines:size=284'; on the command line --max-new-tokens 1024 --chunker "
        "lines:size=284"
    )


def test_the_report_advises_as_the_run_does(tmp_path):
    result = run(tmp_path / "run", "cut", "full")
    line = f"1 of 2 outputs stopped at max_new_tokens, unfinished{ADVICE}"
    assert line in result.warnings
    assert line in content.gather(tmp_path / "run").runs[0].warnings


def test_lines_that_are_lost_are_counted_in_lines():
    (line,) = output_counts.describe({"lines lost": {"outputs": 1, "examples": 1}}, 30, 1)
    assert line == "1 line is lost: asked for alone, it came without a text, in 1 of 1 example"


def test_an_ablation_describes_them_for_each_cell(tmp_path):
    data = [Example("q", Document("house", TEXT), "What? refused", ("x",))]
    arguments = {"chunker": "sentences", "metrics": ["f1"], "prompt": "{query} {document}", "model": Says()}
    ablation = pipelines.ablate("qa", data=data, k=[1, 2], out=tmp_path / "many", **arguments)
    assert ablation.cells[0].counts.outputs == {"refused": {"outputs": 1, "examples": 1}}
    assert "warning: k=2: 1 of 1 output was refused by the model" in str(ablation)
    assert "1 of 1 output was refused by the model" in content.gather(tmp_path / "many").runs[1].warnings


def test_an_unfinished_or_refused_answer_has_a_warning():
    house = Document("house", TEXT)
    cut = pipelines.ask(house, "What? cut", model=Says(), max_new_tokens=7)
    assert cut.warnings == (
        "the answer was cut at 7 tokens: allow more (max_new_tokens=14; on the command line --max-new-tokens 14)",
    )
    assert "warning: the answer was cut at 7 tokens" in str(cut)
    assert cut.to_dict()["outputs"] == {"ended at length": 1}
    refused = pipelines.ask(house, "What? refused", model=Says())
    assert refused.warnings == ("the answer was refused by the model: ask in other words, or ask another model",)
    thought = pipelines.ask(house, "What? thought", model=Says(), max_new_tokens=7)
    assert thought.warnings == (
        "the answer is empty: the model used all 7 tokens for thinking; allow more, such as thinking=2048 in model= "
        "(on the command line --model MODEL,thinking=2048)",
    )
    empty = pipelines.ask(house, "What? empty", model=Says())
    assert (empty.warnings, empty.outputs) == (("the answer is empty: the model wrote nothing",), {"empty": 1})
    assert pipelines.ask(house, "What? full", model=Says()).outputs == {}


def test_a_prediction_that_a_strategy_leaves_empty_counts_as_empty(tmp_path):
    class DropsOutputs(Strategy):
        needs = frozenset({Generate})

        def __call__(self, job):
            yield [Generate(job.prompt(job.selected), 5)]
            return ""

    result = run(tmp_path / "run", "full", strategy=DropsOutputs())
    assert result.outputs == {"empty": {"outputs": 1, "examples": 1}}


@pytest.mark.parametrize(
    ("reply", "kinds"),
    [
        (Reply("a"), []),
        (Reply(("", "a")), []),
        (Reply(("", "")), ["empty"]),
        (Reply(-1.5), []),
        (Reply({"a": 1.0}), []),
        (Reply((0.5, 0.25)), []),
        (Reply("", finish_reason="refusal"), ["refused", "empty"]),
        (Reply("", thinking="The mill."), ["empty"]),
        (Reply("", finish_reason="length", thinking="The mill."), ["ended at length", "empty", "filled by thinking"]),
        (Reply(" ", finish_reason="length", reasoning_tokens=5), ["ended at length", "empty", "filled by thinking"]),
        (Reply("Anna", finish_reason="length", thinking="The mill."), ["ended at length"]),
    ],
)
def test_only_text_outputs_are_counted_and_several_only_if_all_are_empty(reply, kinds):
    assert output_counts.output_kinds(reply) == kinds
