"""How well references agree."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import pipelines
from longdoc.errors import UserError
from pipelines.cli.main import app
from pipelines.metrics import EVIDENCE_NAMES, get
from pipelines.records import Document, Example

DOCUMENT = Document("d", "A text.")


def examples(*references: tuple[str, ...]) -> list[Example]:
    return [Example(str(i), DOCUMENT, "Who?", texts) for i, texts in enumerate(references)]


def test_each_reference_in_turn_is_scored_against_the_others() -> None:
    agreement = pipelines.agreement("scrolls/narrative_qa", data=examples(("red mill", "red mill"), ("blue", "green")))
    assert agreement.scores == {"f1": 50.0}
    assert (agreement.examples, agreement.scored, agreement.references) == (2, 2, 4)


def test_examples_have_equal_weight_however_many_references_they_have() -> None:
    data = examples(("x", "x", "y"), ("z", "w"))
    agreement = pipelines.agreement("scrolls/narrative_qa", data=data)
    assert agreement.scores["f1"] == pytest.approx((200 / 3 + 0) / 2)  # 3 and 2 references make 6 turns


def test_examples_with_one_reference_are_left_out_and_counted() -> None:
    agreement = pipelines.agreement("scrolls/qasper", data=examples(("a b", "a b"), ("c",), ()))
    assert (agreement.examples, agreement.scored, agreement.scores) == (3, 1, {"f1": 100.0})
    reason = "it does not score the prediction, but what a run selects or notes"
    assert agreement.scores.not_computed == dict.fromkeys(EVIDENCE_NAMES, reason)
    lines = str(agreement).splitlines()
    assert lines[0] == "scrolls/qasper: one reference against the others, split validation"
    assert lines[2].split()[:2] == ["f1", "100.00"]
    assert lines[3] == "  1 of 3 examples have two or more, 2 references in all"


def test_data_without_two_references_is_refused() -> None:
    with pytest.raises(UserError, match="none of 2 examples has two or more references"):
        pipelines.agreement("scrolls/qasper", data=examples(("a",), ("b",)))
    with pytest.raises(UserError, match="limit and sample cannot be given together"):
        pipelines.agreement("scrolls/qasper", data=examples(("a", "b")), limit=1, sample=1)
    with pytest.raises(UserError, match="limit must be a whole number of at least 1, got 0"):
        pipelines.agreement("scrolls/qasper", data=examples(("a", "b")), limit=0)


def test_limit_sample_and_metrics_are_used() -> None:
    data = examples(("k", "k"), ("b", "c"), ("d", "d"))
    assert pipelines.agreement("scrolls/narrative_qa", data=data, limit=1).scores == {"f1": 100.0}
    assert pipelines.agreement("scrolls/narrative_qa", data=data, sample=2, seed=1).examples == 2
    assert set(pipelines.agreement("scrolls/narrative_qa", data=data, metrics="exact_match").scores) == {"exact_match"}


def test_corpus_scores_are_means_over_turns() -> None:
    pair = ("the old red mill stands", "the red mill fell down")
    scores = pipelines.agreement("zero_scrolls/squality", data=examples(pair)).scores
    turns = [get("rouge").score([one], [[other]]) for one, other in (pair, pair[::-1])]
    assert scores == {key: pytest.approx((turns[0][key] + turns[1][key]) / 2) for key in turns[0]}


def test_the_command_prints_the_agreement(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({"document": "A text.", "question": "Who?", "answers": ["Ann", "Ann Berg"]}) + "\n")
    result = CliRunner().invoke(app, ["analyze", "agreement", "qa", "--data", str(file), "--metric", "f1", "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["scores"]["f1"] == pytest.approx(200 / 3)


def test_squality_agrees_about_as_in_the_paper(realdata: Path) -> None:
    agreement = pipelines.agreement("zero_scrolls/squality", data=realdata / "squality", split="validation")
    assert agreement.references == 500
    assert agreement.scores["geometric_mean"] == pytest.approx(22.3131, abs=1e-4)


@pytest.mark.parametrize(("split", "mean"), [("validation", 23.2865), ("train", 23.3287)])
def test_squality_agrees_as_in_the_paper_once_words_are_stemmed(realdata: Path, split: str, mean: float) -> None:
    agreement = pipelines.agreement(
        "zero_scrolls/squality", data=realdata / "squality", split=split, metrics="rouge:stemming=true"
    )
    assert agreement.scores["geometric_mean"] == pytest.approx(mean, abs=1e-4)
    assert agreement.scores["geometric_mean"] == pytest.approx(23.6, abs=0.4)  # ZeroSCROLLS, table 3, of the test split


def test_references_that_differ_in_endings_agree_once_words_are_stemmed() -> None:
    pair = examples(("the mills were standing", "the mill was standing"))
    agreement = pipelines.agreement("zero_scrolls/squality", data=pair, metrics=["rouge", "rouge:stemming=true"])
    assert (agreement.scores["rouge1"], agreement.scores["rouge1 (rouge:stemming=true)"]) == (50.0, 75.0)
    assert "|stemming:no|" in agreement.scores.signatures["rouge1"]
    assert "|stemming:porter, over 3 letters|" in agreement.scores.signatures["rouge1 (rouge:stemming=true)"]
    assert len(agreement.scores) == 8


def test_the_published_table_notes_that_words_were_stemmed() -> None:
    table = str(pipelines.published("zero_scrolls/squality"))
    assert "23.6" in table
    assert "is of stemmed words" in table and "rouge:stemming=true" in table
