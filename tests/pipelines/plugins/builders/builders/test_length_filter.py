"""Rows are kept by the length of their document, and read back unchanged."""

import json
from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks
from tests.pipelines.plugins.builders import small_sources

LONG = "It was a long night – and <html> a cold one. " * 3  # 30 words


def test_documents_of_the_minimum_and_above_stay(tmp_path: Path) -> None:
    texts = {"nine": "w " * 9, "ten": "w " * 10, "eleven": "w " * 11}
    rows = [{"document": text, "question": f"{name}?", "answers": [name]} for name, text in texts.items()]
    source = small_sources.jsonl(tmp_path / "rows.jsonl", rows)
    built = pipelines.build("length_filter", source, out=tmp_path / "set", minimum=10)
    assert [row["output"] for row in small_sources.read(built.folder / "test.jsonl")] == ["ten", "eleven"]
    assert built.manifest["dropped"] == {"rows whose document is shorter than 10 words": 1}


def test_the_question_does_not_count_and_the_unit_may_be_characters(tmp_path: Path) -> None:
    rows = [{"document": "abcde", "question": "What is that? " * 9, "answers": []}]
    source = small_sources.jsonl(tmp_path / "rows.jsonl", rows)
    built = pipelines.build("length_filter", source, out=tmp_path / "five", minimum=5, unit="characters")
    assert built.manifest["kept"] == 1
    with pytest.raises(UserError, match="rows whose document is shorter than 6 characters: 1"):
        pipelines.build("length_filter", source, out=tmp_path / "six", minimum=6, unit="characters")


@pytest.mark.parametrize(
    "questions",
    [("What was it like?",), ("Name the night",), ("Is it so? Or not?", "Name it"), ("Who?", "Where was the night?")],
)
def test_questions_and_documents_are_told_apart_when_read_back(questions: tuple[str, ...], tmp_path: Path) -> None:
    rows = [{"document": LONG, "question": question, "answers": ["cold", "long"]} for question in questions]
    source = small_sources.jsonl(tmp_path / "rows.jsonl", rows)
    built = pipelines.build("length_filter", source, out=tmp_path / "set", minimum=10)
    task = tasks.get("narrativeqa")
    examples = list(sources.load(task.name, task.dataset, built.folder).examples())
    assert [(one.query, one.document.text, one.references) for one in examples] == [
        (question, LONG, ("cold", "long")) for question in questions
    ]


def test_a_question_that_shows_its_end_is_followed_by_a_space_only(tmp_path: Path) -> None:
    rows = [{"document": "w " * 10, "question": "Who is it?", "answers": ["w"], "evidence": [[2, 3]]}]
    built = pipelines.build(
        "length_filter", small_sources.jsonl(tmp_path / "r.jsonl", rows), out=tmp_path / "set", minimum=1
    )
    assert small_sources.read(built.folder / "test.jsonl") == [
        {"input": "Who is it? " + "w " * 10, "output": "w", "metadata": {"id": "test-1", "evidence": [[13, 14]]}}
    ]


def test_metadata_of_muld_rows_stays_and_rows_left_out_are_reported(tmp_path: Path) -> None:
    text = "It was a long night. " * 5
    rows = [{"input": f"Who? {text}", "output": "a", "metadata": "m"}, {"input": "no question", "output": ""}]
    source = small_sources.jsonl(tmp_path / "test.jsonl", rows)
    built = pipelines.build("length_filter", source, out=tmp_path / "set", minimum=10)
    assert small_sources.read(built.folder / "test.jsonl") == [rows[0]]
    assert built.manifest["warnings"] == [
        "rows left out, because nothing tells the question from the document: 1 (test.jsonl:2)"
    ]


def test_invalid_arguments_and_rows_are_refused(tmp_path: Path) -> None:
    source = small_sources.jsonl(tmp_path / "rows.jsonl", [{"text": "w"}])
    for fields, message in (
        ({"minimum": 0}, "length_filter: minimum must be at least 1, got 0"),
        ({"task": "narativeqa"}, "did you mean narrativeqa"),
        ({}, "the task narrativeqa cannot read this row"),
    ):
        with pytest.raises(UserError, match=message):
            pipelines.build("length_filter", source, out=tmp_path / "set", **fields)


def test_the_real_books_that_are_long_enough_stay(realdata: Path, tmp_path: Path) -> None:
    folder = realdata / "narrativeqa"
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    word_counts = {one["story"]: len((folder / one["story"]).read_text(encoding="utf-8").split()) for one in questions}
    built = pipelines.build("length_filter", folder / "questions.jsonl", out=tmp_path / "set", minimum=30_000)
    assert built.manifest["kept"] == sum(word_counts[one["story"]] >= 30_000 for one in questions)
    assert (built.manifest["read"], 0 < built.manifest["kept"] < len(questions)) == (len(questions), True)
