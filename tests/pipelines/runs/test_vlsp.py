"""Very long papers end to end: sections summarized one by one and joined, scored against every abstract."""

import json
from pathlib import Path

import pytest

import pipelines
from pipelines.tasks import get

PAPER = """# Contents

- Introduction

# Introduction

Ships sail on the sea. They float.

# Methods

## Data

We counted every old ship. It was a lot.

## Models

We built small ships too.

# References

[1] We never say this.
"""


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.main.txt").write_text(PAPER, encoding="utf-8")
    (folder / "a.abstract.txt").write_text("Ships sail on the sea. We counted every old ship.", encoding="utf-8")
    (folder / "a.abstract-long.txt").write_text("Something else that nobody would say.", encoding="utf-8")
    (folder / "b.main.txt").write_text("Boats have no headings.\n\nThey float all the same.", encoding="utf-8")
    (folder / "b.abstract.txt").write_text("Boats have no headings.", encoding="utf-8")
    return folder


def predictions(folder: Path) -> dict[str, str]:
    lines = (folder / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    return {record["id"]: record["prediction"] for record in map(json.loads, lines)}


def test_the_recipe_is_the_papers() -> None:
    task = get("vlsp")
    assert (task.chunker, task.retriever, task.strategy) == ("sections:level=1,keep=body", "all", "map")
    assert task.metrics == ("bleu-1", "bleu-4", "rouge-l", "meteor")
    assert task.dataset.counts == {"test": 482}
    assert not task.dataset.has_query


def test_each_section_is_summarized_and_the_summaries_are_joined(papers: Path, tmp_path: Path) -> None:
    result = pipelines.run("vlsp", data=papers, model="lead", max_new_tokens=5, out=tmp_path / "run")
    assert predictions(result.folder) == {
        "a": "Ships sail on the sea.\nWe counted every old ship.",
        "b": "Boats have no headings.",
    }
    assert result.scores["bleu-1"] == pytest.approx(100)
    assert result.scores["rouge-l"] == pytest.approx(100)


def test_sections_of_every_level_are_an_option(papers: Path, tmp_path: Path) -> None:
    result = pipelines.run(
        "vlsp", data=papers, model="textrank", chunker="sections:keep=body", max_new_tokens=5, out=tmp_path / "run"
    )
    assert predictions(result.folder)["a"].splitlines() == [
        "Ships sail on the sea.",
        "We counted every old ship.",
        "We built small ships too.",
    ]


def test_a_section_over_the_readers_limit_is_split(papers: Path, tmp_path: Path) -> None:
    result = pipelines.run(
        "vlsp", data=papers, model="lead:max_input_tokens=13", max_new_tokens=5, out=tmp_path / "run"
    )
    assert predictions(result.folder)["a"].splitlines() == [
        "Ships sail on the sea.",
        "We counted every old ship.",
        "It was a lot.",
        "We built small ships too.",
    ]
    assert result.truncated == {"examples": 0, "tokens": 0}


def test_chapters_of_a_real_thesis(realdata: Path, tmp_path: Path) -> None:
    paper = realdata / "vlsp" / "1201.5712v1.main.txt"
    result = pipelines.run(
        "vlsp", data=paper, model="lead", chunker="sections:level=1,keep=body,size=1000000", out=tmp_path / "run",
        metrics=["bleu-1", "rouge-l"],
    )  # fmt: skip
    assert len(predictions(result.folder)["1201.5712v1"].splitlines()) == 8
    assert 25 < result.scores["bleu-1"] < 60
