"""LaRA's files of predictions: their system, their documents, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.benchmarks.lara.layouts.lara import LEVELS
from pipelines.benchmarks.lara.tasks import DATASET
from pipelines.plugins.scoring import prediction_files


def row(**changes: Any) -> dict[str, Any]:
    fields = {"type": "book", "level": "location", "file": "gull.txt", "context_order": 0, "question": "Who flew?"}
    return {**fields, "prediction": "a gull", "ground_truth": "A gull.", **changes}


def write(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


@pytest.mark.parametrize(
    ("name", "system", "expected"),
    [
        ("full_32k_financial_location.jsonl", "m-1 full", 148),
        ("rag_preds_gpt-4o_32k_financial_location.jsonl", "gpt-4o rag", 148),
        ("full_preds_claude-3-5-haiku-20241022_128k_book_location.jsonl", "claude-3-5-haiku-20241022 full", None),
        ("mine.jsonl", "m-1 mine", None),
    ],
)
def test_the_system_is_in_the_names_of_folder_and_file(
    tmp_path: Path, name: str, system: str, expected: int | None
) -> None:
    file_content = prediction_files.read(tasks.get("lara/location"), write(tmp_path / "m-1" / name, row()))
    assert (file_content.system, file_content.expected) == (system, expected)
    (record,) = file_content.given
    assert (record.example.id, record.example.document.id) == ("gull:0", "gull.txt")
    assert (record.example.query, record.example.references, record.prediction) == ("Who flew?", ("A gull.",), "a gull")


def test_an_answer_that_the_model_did_not_give_is_counted(tmp_path: Path) -> None:
    rows = [row(), row(context_order=1, question="When?", prediction=False)]
    rows.append(row(context_order=2, question="Why?", prediction="SKIPPED"))
    scores = pipelines.score_predictions("lara/location", write(tmp_path / "full_32k_book_location.jsonl", *rows))
    assert scores.scores["f1"] == 100.0
    assert scores.refused == {"no answer": 1, "SKIPPED": 1}
    assert scores.to_dict()["refused"] == {"no answer": 1, "SKIPPED": 1}


@pytest.mark.parametrize("task", ["infinitebench/en_qa", "nocha", "loogle/shortdep_qa"])
def test_a_file_given_for_another_benchmark_is_named(tmp_path: Path, task: str) -> None:
    path = write(tmp_path / "full_32k_book_location.jsonl", row())
    with pytest.raises(UserError, match=r"these are LaRA's predictions .*: longdoc score lara/location or "):
        pipelines.score_predictions(task, path)


def test_repeated_predictions_and_those_of_another_task_are_refused(tmp_path: Path) -> None:
    task, path = tasks.get("lara/location"), tmp_path / "full_32k_book_location.jsonl"
    for rows, message in (
        ([row(), row()], r":2: the question 'Who flew\?' on gull.txt comes twice"),
        ([row(level="hallu")], "use task lara/hallucination"),
        ([{"question": "Who?", "output": "a"}], "expected LaRA's predictions .*, found question, output"),
        ([row(), {"question": "Who?", "prediction": "a"}], r":2: expected LaRA's predictions"),
    ):
        with pytest.raises(UserError, match=message):
            prediction_files.read(task, write(path, *rows))
    with pytest.raises(UserError, match="predictions of one system: leave ::gpt-4o out"):
        prediction_files.read(task, f"{write(path, row())}::gpt-4o")


def test_predictions_have_the_ids_of_the_questions(realdata: Path) -> None:
    folder = realdata / "lara"
    for task in tasks.group("lara"):
        level = {"comparison": "comp", "hallucination": "hallu"}.get(task.name[5:], task.name[5:])
        file = folder / "predictions" / "gpt-4o" / f"rag_32k_financial_{level}.jsonl"
        file_content = prediction_files.read(task, file)
        queries = {one.id: one.query for one in sources.load(task.name, DATASET, folder).examples()}
        assert {one.example.id: one.example.query for one in file_content.given} == queries


@pytest.mark.parametrize(("level", "count"), [("location", 148), ("reasoning", 118), ("comp", 87), ("hallu", 118)])
def test_the_counts_are_those_of_the_repository_s_files(tmp_path: Path, level: str, count: int) -> None:
    task = tasks.get({"comp": "lara/comparison", "hallu": "lara/hallucination"}.get(level, f"lara/{level}"))
    path = write(tmp_path / f"full_32k_financial_{level}.jsonl", row(type="financial", level=level))
    assert prediction_files.read(task, path).expected == count


def test_a_question_asked_of_two_parts_of_a_document_has_two_predictions(tmp_path: Path) -> None:
    path = write(tmp_path / "full_128k_financial_hallu.jsonl", row(level="hallu"), row(level="hallu", context_order=5))
    file_content = prediction_files.read(tasks.get("lara/hallucination"), path)
    assert ([one.example.id for one in file_content.given], file_content.expected) == (["gull:0", "gull:5"], 77)


def test_the_published_predictions_of_books_and_of_a_question_asked_twice_are_read(realdata: Path) -> None:
    files = sorted((realdata / "lara_books" / "evaluation" / "prediction").glob("*/*.jsonl"))
    counts = {}
    for path in files:
        task = next(one for one in tasks.group("lara") if one.name == f"lara/{LEVELS[path.stem.rpartition('_')[2]]}")
        counts[path.name] = len(prediction_files.read(task, path).given)
    assert counts["full_preds_gpt-4o-mini_128k_financial_hallu.jsonl"] == 7
    assert (len(files), sum(counts.values())) == (len(counts), 434)
