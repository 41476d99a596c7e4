"""LooGLE's files of predictions: a row for each document."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError

PAIRS = [{"Q": "Who left?", "A": "The gull.", "S": ""}, {"Q": "When?", "A": "At dawn.", "S": ""}]
ROW = {"qa_pairs": PAIRS, "llm_output": ["The gull.", "Never"], "output": ["The gull.", "At dawn."]}


def written(folder: Path, *rows: dict[str, Any], name: str = "shortdep_qa_owl-7b.jsonl") -> Path:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / name


def test_the_predictions_of_a_document_have_its_questions_and_the_model_is_in_the_name(tmp_path: Path) -> None:
    found = pipelines.score_predictions("loogle/shortdep_qa", written(tmp_path, ROW, ROW), metrics="rouge_loogle")
    assert (found.system, found.counts()) == ("owl-7b", "4 predictions of 1,951")
    assert found.scores["rouge1_loogle"] == 50
    assert found.warnings[-1].startswith("1 row has the questions and labels of an earlier one: every row counts")
    assert [(one.id, one.document, one.query) for one in found.predictions[1:3]] == [
        ("test-1-2", "document 1", "When?"),
        ("test-2-1", "document 2", "Who left?"),
    ]


def test_clozes_have_dictionaries_as_labels(tmp_path: Path) -> None:
    row = {"qa_pairs": [{}], "llm_output": ["{'<mask-0>': 'Ada'}"], "output": [{"<mask-0>": "Ada"}]}
    found = pipelines.score_predictions("loogle/shortdep_cloze", written(tmp_path, row))
    assert found.scores == {"cloze_exact_match": 100, "cloze_partial_match": 100, "no_dictionary": 0}
    filled = {**row, "llm_output": [{"<mask-0>": "Ada"}]}
    assert pipelines.score_predictions("loogle/shortdep_cloze", written(tmp_path, filled)).scores == found.scores


def test_they_are_joined_to_the_data_by_row_and_question(tmp_path: Path) -> None:
    data = tmp_path / "shortdep_qa.jsonl"
    data.write_text(json.dumps({"input": "The gull left at dawn.", "qa_pairs": PAIRS, "output": "none"}))
    found = pipelines.score_predictions("loogle/shortdep_qa", written(tmp_path, ROW), data=data, metrics="rouge_loogle")
    assert (found.counts(), found.scores["rouge1_loogle"]) == ("2 predictions", 50)


def test_other_numbers_of_predictions_than_of_labels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"jsonl:1: 1 predictions \(llm_output\) for 2 labels \(output\)"):
        pipelines.score_predictions("loogle/shortdep_qa", written(tmp_path, {**ROW, "llm_output": ["x"]}))
