"""The texts of a file of rows, for questions of one's own."""

import json
from pathlib import Path
from typing import Any

import pytest

import longdoc
from longdoc.errors import UserError
from pipelines.plugins.ask.indexing.document_reading import read_documents
from pipelines.sources.own_data import row_documents

LEASE, BOAT = "The rent is 900 euros. Pets are allowed.", "The ferry to Oslo leaves at dawn."
SQUAD: list[dict[str, Any]] = [
    {
        "id": "a",
        "title": "Lease",
        "context": LEASE,
        "question": "How much?",
        "answers": {"text": [], "answer_start": []},
    },
    {"id": "b", "title": "", "context": BOAT, "question": "When?", "answers": {"text": ["dawn"], "answer_start": [28]}},
    {"id": "c", "title": "Lease", "context": LEASE, "question": "Pets?", "answers": {"text": [], "answer_start": []}},
]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_each_document_is_read_once_and_located_by_its_number_and_title(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", SQUAD)
    first, second = read_documents(path, cache=False).documents
    assert (first.text, first.title, first.meta["marks"]) == (LEASE, "Lease", ((0, "document 1 (Lease)"),))
    assert (second.text, second.title, second.meta["marks"]) == (BOAT, "rows.jsonl", ((0, "document 2"),))


def test_an_answer_comes_from_the_text_and_names_the_document(tmp_path: Path) -> None:
    answer = longdoc.ask(write(tmp_path / "rows.jsonl", SQUAD), "When does the ferry leave?")
    assert answer.best_sentence is not None
    assert (answer.best_sentence.text, answer.best_sentence.location) == (BOAT, "document 2")


@pytest.mark.parametrize("rows", [[{"document": BOAT}], [{"article": BOAT, "highlights": "A ferry."}]])
def test_rows_without_a_question_have_texts_too(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    (document,) = read_documents(write(tmp_path / "rows.jsonl", rows), cache=False).documents
    assert document.text == BOAT


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("broken.json", '{"context": "The ferry", "question"'),
        ("prices.csv", "ship,price\nferry,900\n"),
        ("rows.txt", json.dumps(SQUAD[0])),
    ],
)
def test_any_other_file_is_read_as_plain_text(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert not row_documents.recognizes(tmp_path / name)
    assert read_documents(tmp_path / name, cache=False).documents[0].text == text


def test_json_without_documents_is_read_as_its_values(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"level": "info", "said": "The ferry left."}\n')
    assert not row_documents.recognizes(tmp_path / "log.jsonl")
    (document,) = read_documents(tmp_path / "log.jsonl", cache=False).documents
    assert document.text == "level: info\nsaid: The ferry left."


def test_a_malformed_row_is_refused_at_its_place(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", [*SQUAD, {"context": None, "question": "Why?"}])
    with pytest.raises(UserError, match=r"rows.jsonl:4: the first row is one of SQuAD's rows .* `context` is missing"):
        read_documents(path, cache=False)


def test_a_file_named_as_a_split_gives_no_warning(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text('{"document": "Anna lives in Oslo.", "question": "Where?"}\n')
    warnings: list[str] = []
    assert [one.text for one in row_documents.read(path, warnings)] == ["Anna lives in Oslo."]
    assert warnings == []


def test_rows_that_name_files_have_the_texts_of_these(tmp_path: Path) -> None:
    (tmp_path / "anna.txt").write_text("Anna lives in Oslo.")
    path = tmp_path / "rows.jsonl"
    path.write_text('{"document_path": "anna.txt", "question": "Where?"}\n')
    assert row_documents.recognizes(path)
    assert [one.text for one in row_documents.read(path, [])] == ["Anna lives in Oslo."]
