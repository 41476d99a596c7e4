"""PAN's folders and MuLD's rows of style change."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources
from pipelines.sources import Dataset
from pipelines.tasks import get

DATASETS = get("style_change").dataset


def load(data: Path, split: str = "test") -> Dataset:
    return sources.load("style_change", DATASETS, data, split)


def problem(folder: Path, number: int, text: str, **truth: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"problem-{number}.txt"
    path.write_text(text, encoding="utf-8")
    if truth:
        fields = {key.replace("_", "-"): value for key, value in truth.items()}
        (folder / f"truth-problem-{number}.json").write_text(json.dumps(fields), encoding="utf-8")
    return path


def write_rows(path: Path, *outputs: Any, text: str = "One.\nTwo.\nThree.") -> Path:
    path.write_text("".join(json.dumps({"input": text, "output": o}) + "\n" for o in outputs), encoding="utf-8")
    return path


def test_a_folder_is_read_in_the_order_of_its_numbers(tmp_path: Path) -> None:
    problem(tmp_path, 10, "a\nb\nc", authors=2, changes=[1, 0])
    problem(tmp_path, 2, "a\nb", authors=2, paragraph_authors=[1, 2], changes=[1], site="x")
    problem(tmp_path, 3, "a\nb")
    examples = list(load(tmp_path).examples())
    assert [(e.id, e.references, e.document.text) for e in examples] == [
        ("problem-2", ("1,2",), "a\nb"),
        ("problem-3", (), "a\nb"),
        ("problem-10", ("changes=1,0 authors=2",), "a\nb\nc"),
    ]


def test_splits_are_folders_named_so_at_any_depth(tmp_path: Path) -> None:
    problem(tmp_path / "easy" / "pan23-train", 1, "a\nb", changes=[0], authors=1)
    problem(tmp_path / "easy" / "pan23-validation", 1, "a\nb", changes=[1], authors=2)
    problem(tmp_path / "hard" / "pan23-train", 1, "a\nb", changes=[1], authors=2)
    assert [e.id for e in load(tmp_path, "train").examples()] == [
        "easy/pan23-train/problem-1", "hard/pan23-train/problem-1"
    ]  # fmt: skip
    assert [e.references for e in load(tmp_path, "dev").examples()] == [("changes=1 authors=2",)]
    assert load(tmp_path, "train").fingerprint != load(tmp_path, "validation").fingerprint
    with pytest.raises(UserError, match="no folder for the split 'test', only for train, validation"):
        load(tmp_path)


def test_a_single_problem_brings_its_truth(tmp_path: Path) -> None:
    path = problem(tmp_path, 1, "a\nb", changes=[1], authors=2)
    assert [e.references for e in load(path).examples()] == [("changes=1 authors=2",)]


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        ({"paragraph_authors": [1, 5]}, "truth-problem-1.json: paragraph 2 has the author 5; authors are 1 to 4"),
        ({"paragraph_authors": []}, "truth-problem-1.json: expected the author of each paragraph"),
        ({"paragraph_authors": ["A", "B"]}, "paragraph-authors must be a list of whole numbers"),
        ({"changes": [0, 2]}, "truth-problem-1.json: changes must be 0 or 1, got 2"),
        ({"site": "x"}, "needs 'paragraph-authors', or 'changes' and 'authors'; found site"),
    ],
)
def test_labels_outside_the_known_set_are_refused_by_file(tmp_path: Path, truth: Any, message: str) -> None:
    problem(tmp_path, 1, "a\nb", **truth)
    with pytest.raises(UserError, match=message):
        list(load(tmp_path).examples())


def test_labels_that_do_not_fit_the_paragraphs_are_reported(tmp_path: Path) -> None:
    problem(tmp_path, 1, "a\nb\n\nc\n", paragraph_authors=[1, 2])
    data = load(tmp_path)
    assert len(list(data.examples())) == 1
    assert data.warnings == ["documents with more or fewer labels than paragraphs (lines): 1 (problem-1)"]


@pytest.mark.parametrize("output", ["1,1,2", "1 1 2", "[1, 1, 2]", ["1", "1", "2"], [1, 1, 2], ["1,1,2"], "1\n1\n2"])
def test_rows_of_muld_have_their_labels_however_they_are_written(tmp_path: Path, output: Any) -> None:
    data = load(write_rows(tmp_path / "style_change_test.jsonl", output))
    (example,) = data.examples()
    assert (example.references, example.query, example.document.text) == (("1,1,2",), "", "One.\nTwo.\nThree.")
    assert data.warnings == []


def test_rows_without_labels_have_no_references_and_odd_ones_are_refused_by_row(tmp_path: Path) -> None:
    assert [e.references for e in load(write_rows(tmp_path / "a.jsonl", None)).examples()] == [()]
    for output, message in (
        ("1,1,7", "b.jsonl:2: paragraph 3 has the author 7"),
        ("none", "b.jsonl:2: expected the author of"),
    ):
        with pytest.raises(UserError, match=message):
            list(load(write_rows(tmp_path / "b.jsonl", "1,1,2", output)).examples())


def test_the_problems_of_pan_2023_fit_their_truth(realdata: Path) -> None:
    data = load(realdata / "style_change")
    examples = list(data.examples())
    assert (len(examples), data.warnings) == (160, [])
    assert all(e.references[0].startswith("changes=") for e in examples)
