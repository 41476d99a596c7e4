"""Confidences in files of predictions: their scores, and which are refused."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError


def write(path: Path, confidences: list[Any]) -> Path:
    rows = [
        {"id": str(n), "document": f"d{n}", "prediction": "a gull" if n % 2 else "x", "references": ["a gull"]}
        | ({} if confidence is None else {"confidence": confidence})
        for n, confidence in enumerate(confidences)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_scores_of_confidences_have_intervals_by_document_and_a_table_of_the_curve(tmp_path: Path) -> None:
    scores = pipelines.score_predictions("qa", write(tmp_path / "p.jsonl", [0.0, 1.0] * 4))
    risks = [0, 0, 0, 0, 1 / 5, 2 / 6, 3 / 7, 4 / 8]  # of the first i answers
    assert scores.scores["aurc"] == pytest.approx(100 * sum(risks) / len(risks))
    assert scores.scores["ece"] == 0.0
    assert scores.scores.intervals["aurc"].unit == "document"
    assert list(scores.selective_risks.items())[-1] == ("100 %", 50.0)
    assert scores.to_dict()["selective_risks"]["50 %"] == 0.0
    assert [table.caption for table in scores.tables()][-1] == "risk and coverage"


def test_without_confidences_there_is_no_curve(tmp_path: Path) -> None:
    scores = pipelines.score_predictions("qa", write(tmp_path / "p.jsonl", [None] * 4))
    assert "aurc" not in scores.scores
    assert "selective_risks" not in scores.to_dict()


@pytest.mark.parametrize(
    ("confidences", "message"),
    [
        ([0.5, None], "1 of 2 predictions have a confidence: give every answer one"),
        (["high", 0.5], r":1: confidence must be a finite number, got 'high'"),
        ([True, 0.5], "must be a finite number, got True"),
        ([float("inf"), 0.5], "must be a finite number"),
    ],
)
def test_missing_and_invalid_confidences_are_refused(tmp_path: Path, confidences: list[Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        pipelines.score_predictions("qa", write(tmp_path / "p.jsonl", confidences))


def test_the_refusals_of_published_predictions_are_counted(realdata: Path) -> None:
    folder = realdata / "lara" / "predictions" / "gpt-4o"
    scores = pipelines.score_predictions("lara/hallucination", folder / "rag_32k_financial_hallu.jsonl")
    assert scores.scores["abstention"] == pytest.approx(100 * 42 / 54)
