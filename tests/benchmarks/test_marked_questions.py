"""Questions about stories whose evidence was marked by hand; marks of a text that changed are ignored."""

import json
from pathlib import Path

import pytest

from benchmarks.marked_questions import FILE, SETS, digest, is_for_tuning, marked_questions
from pipelines.records import Document

STORY = "Anna kept the mill.\n\nBen went to sea, and he never came back."
ROW = {"id": "1", "title": "Mill", "story": "stories/mill.txt", "question": "Who went to sea?", "answers": ["Ben"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in SETS:
        (tmp_path / name).mkdir()
    (tmp_path / "narrativeqa/stories").mkdir()
    (tmp_path / "narrativeqa/stories/mill.txt").write_text(STORY)
    (tmp_path / "narrativeqa/questions.jsonl").write_text(json.dumps(ROW) + "\n")
    return tmp_path


def marks_file(folder: Path, text: str) -> Path:
    row = {"set": "narrativeqa", "id": "1", "sha256": digest(Document("", text)), "spans": [[21, 36]]}
    (folder / "marks.jsonl").write_text(json.dumps(row) + "\n")
    return folder / "marks.jsonl"


def test_a_marked_question_has_its_evidence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.marked_questions.SETS", {"narrativeqa": "narrativeqa"})
    (example,) = marked_questions(folder, marks_file(folder, STORY))
    assert [example.document.text[start:end] for start, end in example.evidence] == ["Ben went to sea"]


def test_a_question_about_a_changed_text_is_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.marked_questions.SETS", {"narrativeqa": "narrativeqa"})
    assert list(marked_questions(folder, marks_file(folder, STORY + "!"))) == []


def test_the_marks_are_offsets_without_text() -> None:
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    assert {key for row in rows for key in row} == {"set", "id", "sha256", "spans"}
    assert all(0 <= start < end for row in rows for start, end in row["spans"])
    assert {row["set"] for row in rows} <= set(SETS)
    assert len({(row["set"], row["id"]) for row in rows}) == len(rows)


def test_half_of_the_documents_are_for_tuning() -> None:
    texts = [f"A story of {number} mills." for number in range(200)]
    assert 80 < sum(is_for_tuning(Document("", text)) for text in texts) < 120
