"""Answers to questions whose gold evidence was not shown."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from pipelines import metrics
from pipelines.records import Document, Example

TEXT = "The ship left in May. Gulls flew."


def row(prediction: str, spans: list[list[int]], evidence: Any = ((0, 21),)) -> Any:
    example = Example("1", Document("d", TEXT), "When?", ("in May",), evidence=evidence)
    text = json.dumps({"prediction": prediction, "spans": spans})
    return metrics.get("answered_without_evidence").statistics(text, example)


@pytest.mark.parametrize(
    ("prediction", "spans", "count"),
    [
        ("in May", [[22, 33]], 1.0),
        ("in May", [], 1.0),
        ("in May", [[20, 33]], 0.0),
        ("", [], 0.0),
        ("The text does not say when.", [[22, 33]], 0.0),
    ],
)
def test_answers_count_when_no_character_of_the_evidence_was_shown(
    prediction: str, spans: list[list[int]], count: float
) -> None:
    assert row(prediction, spans) == {"answered_without_evidence": 100 * count, "has_evidence": 1.0}


def test_questions_without_evidence_are_left_out() -> None:
    metric = metrics.get("answered_without_evidence")
    rows = [row("in May", []), row("in May", [[0, 33]]), row("in May", [], ())]
    assert metric.aggregate(rows) == {"answered_without_evidence": 50.0}
    assert metric.aggregate(rows[2:]) == {}


def test_a_run_has_the_score(tmp_path: Path) -> None:
    rows = [{"document": TEXT, "question": "When did it leave?", "answers": ["May"], "evidence": ["Gulls flew."]}]
    result = pipelines.run(
        "qa", data=rows, model="extractive", retriever="first", k=1, chunker="sentences:5", out=tmp_path / "run",
        metrics="answered_without_evidence",
    )  # fmt: skip
    assert result.scores["answered_without_evidence"] == 100.0
