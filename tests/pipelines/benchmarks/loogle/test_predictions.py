"""LooGLE's files of predictions: a row for each document."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError

PAIRS = [{"Q": "Who left?", "A": "The gull.", "S": ""}, {"Q": "When?", "A": "At dawn.", "S": ""}]
ROW = {"qa_pairs": PAIRS, "llm_output": ["The gull.", "Never"], "output": ["The gull.", "At dawn."]}


def write_predictions(folder: Path, *rows: dict[str, Any], name: str = "shortdep_qa_owl-7b.jsonl") -> Path:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / name


def test_the_predictions_of_a_document_have_its_questions_and_the_model_is_in_the_name(tmp_path: Path) -> None:
    scores = pipelines.score_predictions(
        "loogle/shortdep_qa", write_predictions(tmp_path, ROW, ROW), metrics="rouge_loogle"
    )
    assert (scores.system, scores.counts()) == ("owl-7b", "4 predictions of 1,951")
    assert scores.scores["rouge1_loogle"] == 50
    assert scores.warnings[-1].startswith("1 row has the questions and labels of an earlier one: every row counts")
    assert [(one.id, one.document, one.query) for one in scores.predictions[1:3]] == [
        ("test-1-2", "document 1", "When?"),
        ("test-2-1", "document 2", "Who left?"),
    ]


def test_clozes_have_dictionaries_as_labels(tmp_path: Path) -> None:
    row = {"qa_pairs": [{}], "llm_output": ["{'<mask-0>': 'Ada'}"], "output": [{"<mask-0>": "Ada"}]}
    scores = pipelines.score_predictions("loogle/shortdep_cloze", write_predictions(tmp_path, row))
    assert scores.scores == {"cloze_exact_match": 100, "cloze_partial_match": 100, "no_dictionary": 0}
    with_dictionary = {**row, "llm_output": [{"<mask-0>": "Ada"}]}
    assert (
        pipelines.score_predictions("loogle/shortdep_cloze", write_predictions(tmp_path, with_dictionary)).scores
        == scores.scores
    )


def test_predictions_are_joined_to_the_data_by_row_and_question(tmp_path: Path) -> None:
    data = tmp_path / "shortdep_qa.jsonl"
    data.write_text(json.dumps({"input": "The gull left at dawn.", "qa_pairs": PAIRS, "output": "none"}))
    scores = pipelines.score_predictions(
        "loogle/shortdep_qa", write_predictions(tmp_path, ROW), data=data, metrics="rouge_loogle"
    )
    assert (scores.counts(), scores.scores["rouge1_loogle"]) == ("2 predictions", 50)


def test_other_numbers_of_predictions_than_of_labels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"jsonl:1: 1 predictions \(llm_output\) for 2 labels \(output\)"):
        pipelines.score_predictions("loogle/shortdep_qa", write_predictions(tmp_path, {**ROW, "llm_output": ["x"]}))
