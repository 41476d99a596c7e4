"""Papers with one or two abstracts, and the shorter papers for training, in every layout."""

import bz2
import json
from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import sources
from pipelines.records import Example
from pipelines.tasks import get

DATASETS = get("vlsp").dataset
RELEASED = {
    "article_id": "math/1",
    "article_text": ["ships sail .", "they float ."],
    "abstract_text": ["<S> we study ships . </S>", "<S> they float . </S>"],
    "section_names": ["introduction", "conclusion"],
    "sections": [["ships sail ."], ["they float ."]],
}
ON_HUB = {
    "article": "ships sail .\nthey float .",
    "abstract": " we study ships . \n they float . ",
    "section_names": "introduction\nconclusion",
}


def read(data: object, split: str = "test") -> list[Example]:
    return list(sources.load("vlsp", DATASETS, data, split).examples())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "b.main.txt": "# Introduction\n\nShips.",
        "b.abstract.txt": "On ships.\n",
        "b.abstract-long.txt": "On ships at\nlength.",
        "a.main.txt": "Boats.",
        "a.abstract.txt": "On boats.",
        "a.abstract-long.txt": "On\nboats.",
        "c.main.txt": "Trains.",
        "c.abstract.txt": "",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_folder_of_papers_has_both_abstracts_where_they_differ(folder: Path) -> None:
    first, second, third = read(folder)
    assert (first.id, first.document.text, first.references) == ("a", "Boats.", ("On\nboats.",))
    assert (second.id, second.query, second.references) == ("b", "", ("On ships.", "On ships at\nlength."))
    assert (third.id, third.references) == ("c", ())
    fingerprint = sources.load("vlsp", DATASETS, folder, "test").fingerprint
    assert fingerprint["documents"]["files"] == 7


def test_one_paper_is_read_by_its_main_file(folder: Path) -> None:
    assert [example.id for example in read(folder / "b.main.txt")] == ["b"]


def test_rows_of_muld_have_one_or_two_outputs_and_the_whole_input_as_document(tmp_path: Path) -> None:
    rows = [
        {"input": "What is it? Chapter 1 Ships\n\nThey sail.", "output": ["Short.", "Long."], "metadata": ""},
        {"input": "Chapter 1 Boats", "output": "One."},
    ]
    file = tmp_path / "vlsp_test.json.bz2"
    file.write_bytes(bz2.compress("\n".join(map(json.dumps, rows)).encode()))
    first, second = read(file)
    assert (first.document.text, first.query, first.references) == (rows[0]["input"], "", ("Short.", "Long."))
    assert (second.id, second.references) == ("test-2", ("One.",))


@pytest.mark.parametrize("name", ["train.txt", "train.jsonl"])
def test_a_released_paper_has_its_sections_under_their_names(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(json.dumps(RELEASED) + "\n")
    for data in (tmp_path, tmp_path / name):
        (example,) = read(data, "train")
        assert example.id == "math/1"
        assert example.document.text == "## introduction\n\nships sail .\n\n## conclusion\n\nthey float ."
        assert example.references == ("we study ships . they float .",)
        assert example.meta == {"section_names": ["introduction", "conclusion"]}


def test_without_its_sections_a_paper_is_its_text(tmp_path: Path) -> None:
    bare = {key: value for key, value in RELEASED.items() if key != "sections"}
    for row in (ON_HUB, bare):
        (tmp_path / "train.jsonl").write_text(json.dumps(row))
        (example,) = read(tmp_path, "train")
        assert example.document.text == "ships sail .\nthey float ."
        assert example.references == ("we study ships . they float .",)
    (tmp_path / "train.jsonl").write_text(json.dumps(ON_HUB))
    assert read(tmp_path, "train")[0].id == "train-1"


def test_papers_without_a_text_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [ON_HUB | {"article": ""}, ON_HUB, {"article_text": [], "abstract_text": []}]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, rows)))
    data = sources.load("vlsp", DATASETS, tmp_path, "train")
    assert len(list(data.examples())) == 1
    assert data.warnings == ["papers left out, because they have no text: 2 (train.jsonl:1, train.jsonl:3)"]


def test_a_release_without_the_split_is_refused(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(json.dumps(RELEASED))
    (tmp_path / "val.txt").write_text(json.dumps(RELEASED))
    assert [example.id for example in read(tmp_path, "validation")] == ["math/1"]
    with pytest.raises(UserError, match=r"no file for the split 'test'; found train.txt, val.txt"):
        read(tmp_path)


def test_a_row_that_is_no_paper_is_named(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text(json.dumps(ON_HUB) + "\n" + json.dumps({"article": "x"}))
    with pytest.raises(UserError, match=r"train.jsonl:2: a paper needs article and abstract; found article"):
        read(tmp_path, "train")


def test_other_rows_are_refused_with_what_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"title": "x"}')
    with pytest.raises(UserError, match=r"<id>\.main\.txt"):
        read(tmp_path)


def test_real_papers_have_one_or_two_abstracts(realdata: Path) -> None:
    examples = read(realdata / "vlsp")
    assert len(examples) == 16
    assert sorted(len(example.references) for example in examples) == [1] * 5 + [2] * 11
