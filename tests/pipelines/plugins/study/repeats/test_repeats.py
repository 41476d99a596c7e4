"""Repeats of one log and of several: what varies between runs, apart from what varies between documents."""

from pathlib import Path

import numpy as np
import pytest

import pipelines
from longdoc.errors import UserError

DOCUMENTS, QUESTIONS, RUNS = 40, 5, 4
SDS = {"document": 0.12, "question": 0.05, "run": 0.04, "repeat": 0.08}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Simulated runs: each a file, and all of them in one file with epochs."""
    draw = np.random.default_rng(3)
    documents = draw.normal(0.5, SDS["document"], DOCUMENTS)
    questions = documents.repeat(QUESTIONS) + draw.normal(0, SDS["question"], DOCUMENTS * QUESTIONS)
    lines = []
    for epoch, shift in enumerate(draw.normal(0, SDS["run"], RUNS), 1):
        values = np.clip(questions + shift + draw.normal(0, SDS["repeat"], len(questions)), 0, 1)
        rows = [f"q{number},d{number // QUESTIONS},{epoch},{value}" for number, value in enumerate(values)]
        (tmp_path / f"{epoch}.csv").write_text("\n".join(["id,document,epoch,f1", *rows]), encoding="utf-8")
        lines += rows
    (tmp_path / "all.csv").write_text("\n".join(["id,document,epoch,f1", *lines]), encoding="utf-8")
    return tmp_path


def test_components_are_those_of_the_simulation_in_points(folder: Path) -> None:
    (row,) = pipelines.repeats(folder / "all.csv").scores
    assert (row.score, row.runs, row.questions, row.documents) == ("f1", 4, 200, 40)
    assert row.between_documents == pytest.approx(12, rel=0.25)
    assert row.between_questions == pytest.approx(5, rel=0.25)
    assert row.between_repeats == pytest.approx(8, rel=0.1)
    assert 1 < row.between_runs < 8
    assert row.run_score == pytest.approx((row.between_runs**2 + row.between_repeats**2 / 200) ** 0.5)


def test_several_files_are_as_one_with_epochs(folder: Path) -> None:
    several = pipelines.repeats([folder / f"{run}.csv" for run in range(1, RUNS + 1)])
    assert several.scores == pipelines.repeats(folder / "all.csv").scores
    assert str(several).startswith("1: 4 runs of 200 questions over 40 documents\n")


def test_epochs_of_unequal_number_count(folder: Path) -> None:
    rows = (folder / "all.csv").read_text(encoding="utf-8").splitlines()
    (folder / "fewer.csv").write_text("\n".join(rows[: 1 + 650]), encoding="utf-8")
    (row,) = pipelines.repeats(folder / "fewer.csv").scores
    assert (row.runs, row.questions) == (4, 200)
    assert row.between_repeats == pytest.approx(8, rel=0.1)


def test_without_repeats_and_without_documents(folder: Path) -> None:
    with pytest.raises(UserError, match="do not say how it varies between runs: give several runs of these samples"):
        pipelines.repeats(folder / "1.csv")
    with pytest.raises(UserError, match=r"unknown field of the samples to cluster by 'book'"):
        pipelines.repeats(folder / "all.csv", cluster="book")
    text = (folder / "all.csv").read_text(encoding="utf-8").replace("document", "part")
    (folder / "parts.csv").write_text(text, encoding="utf-8")
    table = pipelines.repeats(folder / "parts.csv")
    assert (table.scores[0].documents, table.scores[0].between_documents) == (0, None)
    assert any("they are taken as independent" in note for note in table.notes)
    assert (
        pipelines.repeats(folder / "parts.csv", cluster="part").scores == pipelines.repeats(folder / "all.csv").scores
    )


def test_scores_that_are_right_or_wrong_have_pass_rates_up_to_the_least_number_of_repeats(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = ["a,1,1,0.5", "a,2,0,0.2", "a,3,1,0.1", "b,1,0,0.5", "b,2,0,0.6", "c,1,1,0.1", "c,2,1,0.3"]
    path.write_text("\n".join(["id,epoch,right,f1", *rows]) + "\n")
    rates = pipelines.repeats(path).pass_rates
    assert [(rate.score, rate.k) for rate in rates] == [("right", 1), ("right", 2)]
    assert [rate.pass_at_k for rate in rates] == pytest.approx([100 * (2 / 3 + 1) / 3, 200 / 3])
    assert [rate.pass_all_k for rate in rates] == pytest.approx([100 * (2 / 3 + 1) / 3, 100 * (1 / 3 + 1) / 3])
