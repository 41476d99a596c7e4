"""LiteraryQA's files of predictions: the figures of its scorer, their order, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError

FIGURES = {  # exact match, F1, ROUGE-L over the 1,783 questions of these files
    "meta-llama--Llama-3.1-8B-Instruct": ("17.11", "37.09", "38.69"),
    "THUDM--glm-4-9b-chat-1m-hf": ("9.48", "32.23", "32.95"),
    "claude-haiku": ("4.15", "27.41", "27.98"),
}
SCORES = ("exact_match", "f1_hotpotqa", "rougeL")
METRICS = ("exact_match", "f1_hotpotqa", "rouge")
PAIRS = [("Who woke?", ["Anna"]), ("Who slept?", ["Ben"]), ("Who left?", ["Cleo"])]


def row(question: str = "Who woke?", answers: Any = ("Anna",), prediction: Any = "Anna", **more: Any) -> dict[str, Any]:
    return {"model": "m-1", "question": question, "answers": list(answers), "prediction": prediction, **more}


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(fields) + "\n" for fields in rows))
    return path


def annotations(folder: Path) -> Path:
    """A book with two questions and one with one, without texts."""
    pairs = [{"question": question, "answers": answers} for question, answers in PAIRS]
    books = [{"document_id": name, "gutenberg_id": name, "title": name, "qas": pairs[part]}
             for name, part in (("a", slice(0, 2)), ("b", slice(2, 3)))]  # fmt: skip
    return write(folder / "test.jsonl", *books)


@pytest.mark.parametrize("system", FIGURES)
def test_the_figures_of_its_scorer_come_out_to_their_last_digit(realdata: Path, system: str) -> None:
    file = realdata / "literaryqa" / "predictions" / f"{system}.jsonl"
    scores = pipelines.score_predictions("literaryqa", file, metrics=METRICS)
    assert tuple(f"{scores.scores[name]:.2f}" for name in SCORES) == FIGURES[system]
    assert (scores.system, len(scores.predictions), scores.expected) == (system, 1783, 3785)
    assert scores.warnings == ()


def test_with_the_annotations_questions_are_matched_by_place_and_belong_to_books(realdata: Path) -> None:
    folder = realdata / "literaryqa"
    scores = pipelines.score_predictions(
        "literaryqa", folder / "predictions" / "claude-haiku.jsonl", data=folder / "annotations", metrics=METRICS
    )
    assert tuple(f"{scores.scores[name]:.2f}" for name in SCORES) == FIGURES["claude-haiku"]
    assert len({prediction.document for prediction in scores.predictions}) == 65
    assert scores.warnings == (
        "6 of 1,783 questions in the file differ from the data's: predictions without ids are matched by "
        "order, and only their labels are compared",
    )


def test_a_book_s_text_is_not_needed_to_score(tmp_path: Path) -> None:
    file = write(tmp_path / "m.jsonl", *(row(question, answers) for question, answers in PAIRS))
    scores = pipelines.score_predictions("literaryqa", file, data=annotations(tmp_path), metrics="exact_match")
    assert [prediction.id for prediction in scores.predictions] == ["a-1", "a-2", "b-1"]
    assert dict(scores.by_document) == {"a": {"exact_match": 50.0}, "b": {"exact_match": 0.0}}


def test_predictions_in_another_order_or_number_are_refused(tmp_path: Path) -> None:
    rows = [row(question, answers) for question, answers in PAIRS]
    data = annotations(tmp_path)
    with pytest.raises(UserError, match=r"3 of 3 labels in the file differ from those of "):
        pipelines.score_predictions("literaryqa", write(tmp_path / "m.jsonl", *rows[1:], rows[0]), data=data)
    with pytest.raises(UserError, match=r"2 predictions without ids for 3 examples"):
        pipelines.score_predictions("literaryqa", write(tmp_path / "m.jsonl", *rows[1:]), data=data)


def test_a_question_without_an_answer_is_counted_and_an_empty_answer_scored(tmp_path: Path) -> None:
    file = write(tmp_path / "m.jsonl", row(), row(prediction=""), row(prediction=None), row(prediction="SKIPPED"))
    scores = pipelines.score_predictions("literaryqa", file, metrics="exact_match")
    assert (scores.scores["exact_match"], scores.all_scores["exact_match"]) == (50.0, 25.0)
    assert scores.refused == {"without an answer": 1, "SKIPPED": 1}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [row(), row(model="m-2")],
            r"m.jsonl:2: a prediction of m-2 follows those of m-1: give one file for each",
        ),
        ([row(answers=[])], r"m.jsonl:1: answers has no answer"),
        ([row(), {"question": "Who?"}], r"m.jsonl:2: expected LiteraryQA's predictions .*; found question"),
        ([], "holds no predictions|is empty"),
    ],
)
def test_other_rows_are_refused_with_their_line(tmp_path: Path, rows: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        pipelines.score_predictions("literaryqa", write(tmp_path / "m.jsonl", *rows))


def test_a_file_given_for_another_task_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"these are LiteraryQA's predictions .*: longdoc score literaryqa FILE"):
        pipelines.score_predictions("narrativeqa", write(tmp_path / "m.jsonl", row()))
