"""MuSiQue's rows: twenty paragraphs, an answer or the word that says there is none."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources

DATASETS = sources.DatasetInfo("", {}, "musique", {})
ROW: dict[str, Any] = {
    "id": "2hop__1_2",
    "question": "Where was he born? ",
    "answer": "Köln",
    "answer_aliases": ["Cologne", ""],
    "answerable": True,
    "paragraphs": [
        {"idx": 0, "title": "Ed", "paragraph_text": "Ed – «née» Edda.", "is_supporting": True},
        {"idx": 1, "title": "Ed", "paragraph_text": "Ed is a town.", "is_supporting": False},
        {"idx": 2, "title": "Köln", "paragraph_text": "Köln is a city.", "is_supporting": True},
    ],
}
TEXT = "Ed\nEd – «née» Edda.\n\nEd\nEd is a town.\n\nKöln\nKöln is a city."


def load(path: Path, rows: list[dict[str, Any]]) -> sources.Dataset:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return sources.load("t", DATASETS, path, "validation")


def test_a_row_is_a_question_with_its_paragraphs_and_the_answer_that_is_scored(tmp_path: Path) -> None:
    (example,) = load(tmp_path / "dev.jsonl", [ROW]).examples()
    assert (example.id, example.query, example.references) == ("2hop__1_2", "Where was he born?", ("Köln",))
    assert example.document.text == TEXT
    assert [TEXT[start:end] for start, end in example.evidence] == ["Ed – «née» Edda.", "Köln is a city."]
    starts = [0, TEXT.index("Ed\nEd is"), TEXT.index("Köln\n")]
    assert dict(example.meta) == {"answerable": True, "inner": starts, "aliases": ("Cologne",)}


def test_the_unanswerable_twin_of_a_question_is_distinguished_from_it(tmp_path: Path) -> None:
    twin = {**ROW, "answerable": False, "paragraphs": ROW["paragraphs"][1:]}
    one, other = load(tmp_path / "dev.jsonl", [ROW, twin]).examples()
    assert (one.id, other.id) == ("2hop__1_2", "2hop__1_2-unanswerable")
    assert (other.references, other.meta["answerable"]) == (("unanswerable",), False)


def test_questions_of_the_test_split_have_no_references(tmp_path: Path) -> None:
    paragraphs = [{"idx": 0, "title": "Ed", "paragraph_text": "Ed."}]
    (example,) = load(tmp_path / "dev.jsonl", [{"question": "Who?", "paragraphs": paragraphs}]).examples()
    assert (example.id, example.references, example.evidence) == ("validation-1", (), ())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"paragraphs": []}, "dev.jsonl:2: a row of MuSiQue needs question and paragraphs; found id"),
        ({"paragraphs": [{"title": "x"}]}, "dev.jsonl:2: a row of MuSiQue needs question and paragraphs"),
        ({"question": None}, "dev.jsonl:2: a row of MuSiQue needs question and paragraphs"),
        ({"answerable": "no"}, "dev.jsonl:2: answerable must be true or false, got 'no'"),
        ({"answer": ["a", {}]}, "dev.jsonl:2: answer must be text, got dict"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    reading = load(tmp_path / "dev.jsonl", [ROW, {**ROW, **change}]).examples()
    next(reading)
    with pytest.raises(UserError, match=message):
        next(reading)


def test_the_real_questions_have_their_supporting_paragraphs(realdata: Path) -> None:
    data = sources.load("t", DATASETS, realdata / "musique", "validation")
    examples = list(data.examples())
    lines = (realdata / "musique" / "musique_80.jsonl").read_text(encoding="utf-8").splitlines()
    assert (len(examples), data.warnings) == (80, [])
    assert (examples[0].document.id, len(examples[0].document.text)) == ("c0493006ce01bf52", 7_435)
    for row, example in zip(map(json.loads, lines), examples, strict=True):
        assert (example.id, example.references) == (row["id"], (row["answer"],))
        gold = [one["paragraph_text"] for one in row["paragraphs"] if one["is_supporting"]]
        assert [example.document.text[start:end] for start, end in example.evidence] == gold
