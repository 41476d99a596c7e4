"""SummScreen's rows: the lines of an episode and its recap."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources

DATASETS = sources.DatasetInfo("", {}, "summ_screen", {}, has_query=False)
LINES = ["[Scene: A mill – “night”.]", "", "Anna: Who’s there?", "Zoë: Me."]
TEXT = "[Scene: A mill – “night”.]\nAnna: Who’s there?\nZoë: Me."


def load(path: Path, *rows: dict[str, Any]) -> sources.Dataset:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return sources.load("t", DATASETS, path, "validation")


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ({"filename": "Mills_05x03.json", "Transcript": LINES, "Recap": ["Zoë comes.", "Anna sees her."]},
         "fd_Mills_05x03"),
        ({"transcript": TEXT, "recap": "Zoë comes.\nAnna sees her."}, "validation-1"),
    ],
)  # fmt: skip
def test_an_episode_is_its_lines_and_the_whole_recap(tmp_path: Path, row: dict[str, Any], name: str) -> None:
    (example,) = load(tmp_path / "fd_dev.json", row).examples()
    assert (example.id, example.document.text, example.query) == (name, TEXT, "")
    assert example.references == ("Zoë comes.\nAnna sees her.",)


def test_of_the_release_s_files_the_split_s_is_taken(tmp_path: Path) -> None:
    load(tmp_path / "fd_train.json", {"Transcript": LINES, "Recap": ["train"]})
    load(tmp_path / "fd_dev.json", {"Transcript": LINES, "Recap": []})
    (example,) = sources.load("t", DATASETS, tmp_path, "validation").examples()
    assert example.references == ()


def test_the_other_collection_is_named_by_its_file(tmp_path: Path) -> None:
    (example,) = load(tmp_path / "tms_dev.json", {"filename": "x.json", "Transcript": LINES, "Recap": "y"}).examples()
    assert example.id == "tms_x"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"Transcript": ["", " "], "Recap": "x"},
            "fd_dev.json:2: an episode needs a Transcript with lines; found Trans",
        ),
        ({"Recap": "x"}, "fd_dev.json:2: an episode needs a Transcript with lines; found Recap"),
        ({"Transcript": [["x"]], "Recap": "x"}, "fd_dev.json:2: Transcript must be text, got list"),
    ],
)
def test_a_malformed_episode_is_named(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    reading = load(tmp_path / "fd_dev.json", {"Transcript": LINES, "Recap": "x"}, row).examples()
    next(reading)
    with pytest.raises(UserError, match=message):
        next(reading)


def test_the_real_episodes_are_whole(realdata: Path) -> None:
    data = sources.load("t", DATASETS, realdata / "summ_screen", "validation")
    examples = list(data.examples())
    lines = (realdata / "summ_screen" / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    assert (len(examples), data.warnings) == (6, [])
    for row, example in zip(map(json.loads, lines), examples, strict=True):
        assert (example.document.text, example.references) == (row["document"], (row["summary"],))
