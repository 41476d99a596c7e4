"""QuALITY's layouts: the same questions from its own files, the hub's rows, and rows with gold labels."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources

DATASETS = sources.DatasetInfo("", {}, "quality", {})
STORY, ESSAY = "Anna – «née» K. – built\nthe mill.", "On bread."
OPTIONS = ["Anna", "Berta", "Anna", ""]
# story, question, options, gold index, hard
QUESTIONS = [(STORY, "Who built it?", 2, 1), (ESSAY, "Of what?", 3, 0), (STORY, "Why?", 0, 0)]
META = [{"gold": "C", "difficult": 1}, {"gold": "A", "difficult": 0}, {"gold": "D", "difficult": 0}]

LISTED_OPTIONS = {"options_text": " (A) Anna\n (B) Berta\n (C) Anna\n (D) "}


def release_rows(first: int = 1) -> list[dict[str, Any]]:
    return [
        {
            "article_id": "7",
            "article": article,
            "title": "The Mill",
            "questions": [{"question": q, "options": OPTIONS, "gold_label": gold + first, "difficult": hard}],
        }
        for article, q, gold, hard in QUESTIONS
    ]


def hub_rows() -> list[dict[str, Any]]:
    return [
        {"article": article, "question": q, "options": OPTIONS, "answer": gold, "hard": bool(hard)}
        for article, q, gold, hard in QUESTIONS
    ]


def flat_rows(*labels: Any) -> list[dict[str, Any]]:
    labelled = [(article, q, label) for (article, q, *_), label in zip(QUESTIONS, labels, strict=False)]
    return [{"article": a, "question": q, "options": OPTIONS, "gold_label": label} for a, q, label in labelled]


def load(path: Path, rows: list[dict[str, Any]]) -> sources.Dataset:
    if path.suffix == ".parquet":
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return sources.load("t", DATASETS, path, "validation")


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("QuALITY.v1.0.1.htmlstripped.dev", release_rows()),
        ("validation.parquet", hub_rows()),
        ("validation.jsonl", hub_rows()),
    ],
)
def test_every_layout_gives_the_same_questions_put_together_by_article(
    tmp_path: Path, name: str, rows: list[dict[str, Any]]
) -> None:
    data = load(tmp_path / name, rows)
    who, why, what = data.examples()
    assert who.document is why.document
    assert (who.document.text, what.document.text) == (STORY, ESSAY)
    assert [one.query for one in (who, why, what)] == ["Who built it?", "Why?", "Of what?"]
    assert [one.references for one in (who, why, what)] == [("Anna",), ("Anna",), ("",)]
    assert {one.options for one in (who, why, what)} == {("Anna", "Berta", "Anna", "")}
    assert [dict(one.meta) for one in (who, why, what)] == [{**meta, **LISTED_OPTIONS} for meta in META]
    assert (who.evidence, data.warnings) == ((), [])


def test_the_release_s_file_of_a_split_is_found_in_its_folder(tmp_path: Path) -> None:
    load(tmp_path / "QuALITY.v1.0.1.train", release_rows())
    load(tmp_path / "QuALITY.v1.0.1.dev", release_rows()[:1])
    (tmp_path / "notes.test").write_text("no data")
    (example,) = sources.load("t", DATASETS, tmp_path, "validation").examples()
    assert (example.id, example.document.title) == ("validation-1-1", "The Mill")


def test_a_question_has_its_own_id_where_the_release_gives_one(tmp_path: Path) -> None:
    (article,) = release_rows()[:1]
    (question,) = [
        {**one, "question_unique_id": f"52845_75VB1ISR_{n}"} for n, one in enumerate(article["questions"], 1)
    ]
    (example,) = load(tmp_path / "QuALITY.v1.0.1.dev", [{**article, "questions": [question]}]).examples()
    assert example.id == "52845_75VB1ISR_1"


@pytest.mark.parametrize(
    ("labels", "golds"),
    [((0, 3, 1), "ABD"), ((4, 1, 2), "DBA"), ((0, 1, 1), "ABB"), ((None, 4, None), " D ")],
)
def test_a_label_at_an_end_decides_how_all_are_counted(tmp_path: Path, labels: tuple[Any, ...], golds: str) -> None:
    data = load(tmp_path / "rows.jsonl", flat_rows(*labels))
    letters = "".join(one.meta.get("gold", " ") for one in data.examples())
    assert sorted(letters) == sorted(golds)
    assert data.warnings == []


def test_labels_that_leave_it_open_are_counted_as_their_layout_does_with_a_warning(tmp_path: Path) -> None:
    data = load(tmp_path / "rows.jsonl", flat_rows(1, 2, 3))
    assert [one.meta["gold"] for one in data.examples()] == ["A", "C", "B"]
    note = "no label tells whether labels count from 0 or 1:"
    assert data.warnings == [f"{note} gold_label is read as counting from 1"]
    data = load(tmp_path / "hub.jsonl", [{**hub_rows()[0], "answer": 1}])
    assert [one.meta["gold"] for one in data.examples()] == ["B"]
    assert data.warnings == [f"{note} answer is read as counting from 0"]


def test_questions_without_labels_have_no_references(tmp_path: Path) -> None:
    data = load(tmp_path / "rows.jsonl", flat_rows(None, None))
    assert [(one.references, dict(one.meta)) for one in data.examples()] == [((), LISTED_OPTIONS), ((), LISTED_OPTIONS)]
    assert data.warnings == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (flat_rows(0, 4), "rows.jsonl:2: gold_label must be from 0 to 3, since other rows count from 0; got 4"),
        (flat_rows(1, 5), "rows.jsonl:2: gold_label must be the number of one of 4 options, got 5"),
        (flat_rows(1, "B"), "rows.jsonl:2: gold_label must be the number of one of 4 options, got 'B'"),
        (flat_rows(1, True), "rows.jsonl:2: gold_label must be the number of one of 4 options, got True"),
        (
            [*flat_rows(1), {"article": STORY, "options": OPTIONS}],
            "rows.jsonl:2: expected a question and two or more options",
        ),
        (
            [*flat_rows(1), {"article": STORY, "question": "x"}],
            "rows.jsonl:2: a row of QuALITY needs article and questions",
        ),
        ([*release_rows(), {"article": STORY, "questions": ["x"]}], "rows.jsonl:4, question 1: expected an object"),
        ([{**flat_rows(1)[0], "article": " "}], "rows.jsonl:1: the document is empty"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(UserError, match=message):
        list(load(tmp_path / "rows.jsonl", rows).examples())


def test_the_real_questions_count_their_labels_from_0(realdata: Path) -> None:
    data = sources.load("t", DATASETS, realdata / "quality", "validation")
    examples = list(data.examples())
    rows = json.loads((realdata / "quality" / "quality_dev_50.json").read_text(encoding="utf-8"))
    assert data.warnings == []
    assert (len(examples), len({one.document.id for one in examples})) == (50, 50)
    assert (examples[0].document.id, len(examples[0].document.text)) == ("dfa4253c8fd4badb", 22_637)
    assert (examples[0].id, examples[0].meta["gold"]) == ("validation-1", "B")
    for row, example in zip(rows, examples, strict=True):
        assert example.references == (row["options"][row["gold_label"]],)
        assert example.options == tuple(row["options"])
