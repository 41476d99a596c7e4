"""NoCha's published responses."""

import json
from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError

ROWS = [
    {"book_title": "gulls", "claim": "a", "type": True, "index": 1, "response-owl": "TRUE", "response-eel": "SKIPPED"},
    {"book_title": "gulls", "claim": "b", "type": False, "index": 1, "response-owl": "FALSE", "response-eel": None},
    {"book_title": "owls", "claim": "c", "type": True, "index": 2, "response-owl": "FALSE", "response-eel": "TRUE"},
    {"book_title": "owls", "claim": "d", "type": False, "index": 2, "response-owl": "FALSE", "response-eel": "FALSE"},
]


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    (tmp_path / "claims.json").write_text(json.dumps(ROWS))
    return tmp_path / "claims.json"


def test_a_system_that_skipped_a_book_is_scored_over_its_pairs_and_over_all(claims: Path) -> None:
    scores = pipelines.score_predictions("nocha", f"{claims}::eel")
    assert scores.scores == {
        "pair_accuracy": 100, "pair_accuracy_all": 50, "pair_coverage": 50, "claim_accuracy": 100, "unanswered": 50,
    }  # fmt: skip
    assert (scores.refused, len(scores.predictions)) == ({"SKIPPED": 1, "without an answer": 1}, 2)
    assert scores.counts() == "2 predictions; 1 SKIPPED; 1 without an answer"
    assert scores.by_document["owls"]["pair_accuracy"] == 100
    assert scores.by_document["gulls"] == {"pair_accuracy_all": 0, "pair_coverage": 0, "unanswered": 100}


def test_a_file_without_a_system_stands_for_all_of_them(claims: Path) -> None:
    table = pipelines.score_prediction_files("nocha", [claims])
    assert [(one.system, one.scores["pair_accuracy"]) for one in table.systems] == [("owl", 50), ("eel", 100)]
    assert "  eel               2        2         100.00" in str(table)


def test_a_response_that_a_row_lacks_is_counted_and_systems_of_later_rows_are_found(tmp_path: Path) -> None:
    rows = [{name: value for name, value in ROWS[0].items() if name != "response-eel"}, *ROWS[1:]]
    (tmp_path / "claims.json").write_text(json.dumps(rows))
    table = pipelines.score_prediction_files("nocha", [tmp_path / "claims.json"])
    assert [(one.system, dict(one.refused)) for one in table.systems] == [
        ("owl", {}),
        ("eel", {"without an answer": 2}),
    ]


def test_responses_without_ids_are_not_joined_to_claims_that_are_read_book_by_book(tmp_path: Path) -> None:
    for book in ("gulls", "owls"):
        (tmp_path / f"{book}.txt").write_text(f"A text of {book}.")
    mixed = [ROWS[0], ROWS[2], ROWS[1], ROWS[3]]
    (tmp_path / "claims.jsonl").write_text("".join(json.dumps(row) + "\n" for row in mixed))
    preds = tmp_path / "own.jsonl"
    preds.write_text("".join(json.dumps({"prediction": row["response-owl"]}) + "\n" for row in mixed))
    with pytest.raises(UserError, match=r"read document by document: give each prediction the id of its example"):
        pipelines.score_predictions("nocha", preds, data=tmp_path / "claims.jsonl")


def test_an_unknown_system_is_refused_with_the_known_ones(claims: Path) -> None:
    for file in (claims, f"{claims}::heron"):
        with pytest.raises(UserError, match=r"unknown system in claims.json .*; known: eel, owl"):
            pipelines.score_predictions("nocha", file)


def test_the_published_responses_about_two_books_give_their_published_pairs(realdata: Path) -> None:
    table = pipelines.score_prediction_files("nocha", [realdata / "nocha" / "claims.jsonl"])
    pairs = {
        one.system: (
            round(33 * one.scores["pair_accuracy_all"] / 100),
            round(33 * one.scores["pair_coverage"] / 100),
        )
        for one in table.systems
    }
    assert pairs == {
        "gpt4o": (0, 0),
        "claude": (7, 18),
        "gemini": (16, 33),
        "bm25-gpt4o-top5": (9, 33),
        "bm25-gpt4o-top25": (14, 33),
        "bm25-gpt4o-top50": (16, 33),
    }
