"""The same run several times."""

import json
from pathlib import Path
from typing import Any

import pytest

import longdoc
from longdoc.errors import UserError
from tests.command_line import longdoc as command

ROWS = [
    {"document": f"The lease of {name} ends in {year}. It began in May.", "question": "When does it end?",
     "answers": [str(year)]}
    for year, name in enumerate(("Ann", "Bo", "Carl", "Dora", "Eve", "Fritz"), 2031)
]  # fmt: skip


def alternating_model(replies: dict[str, int]) -> Any:
    """A model that answers each prompt correctly the first and the third time only."""

    def answer(prompt: str) -> str:
        replies[prompt] = replies.get(prompt, 0) + 1
        year = next(row["answers"][0] for row in ROWS if str(row["document"]) in prompt)
        return year if replies[prompt] % 2 else "never"

    return answer


def repeats(folder: Path, **arguments: Any) -> Any:
    fields = {
        "data": ROWS,
        "model": alternating_model({}),
        "retriever": "all",
        "metrics": ["exact_match"],
        "report": False,
    }
    return longdoc.pipelines.run_repeats("qa", out=folder, **{**fields, "repeat": 3, **arguments})


def test_runs_differ_in_their_seed_and_lie_in_a_folder_each(tmp_path: Path) -> None:
    result = repeats(tmp_path)
    folders = [tmp_path / f"repeat-{number}" for number in (1, 2, 3)]
    assert [Path(str(run.folder)) for run in result.results] == folders
    assert [json.loads((folder / "run.json").read_text())["spec"]["seed"] for folder in folders] == [0, 1, 2]


def test_the_spread_and_the_pass_rates_are_those_of_the_runs(tmp_path: Path) -> None:
    result = repeats(tmp_path)
    (row,) = result.variation.scores
    assert (row.score, row.runs, row.questions) == ("exact_match", 3, 6)
    assert row.mean == pytest.approx(200 / 3)
    assert row.between_runs == pytest.approx(57.735, abs=0.001)  # 100, 0, 100
    rates = {rate.k: (round(rate.pass_at_k, 2), round(rate.pass_all_k, 2)) for rate in result.variation.pass_rates}
    assert rates == {1: (66.67, 66.67), 2: (100, 33.33), 3: (100, 0)}
    assert "pass@k" in str(result) and f"in {tmp_path / 'repeat-3'}" in str(result)


def test_scores_other_than_right_or_wrong_have_no_pass_rates(tmp_path: Path) -> None:
    rows = [{**row, "answers": [f"{row['answers'][0]} or so"]} for row in ROWS]
    result = repeats(tmp_path, data=rows, metrics=["f1"])
    assert result.variation.pass_rates == [] and len(result.tables()) == 1


def test_a_second_equal_call_asks_nothing_again(tmp_path: Path) -> None:
    replies: dict[str, int] = {}
    first = repeats(tmp_path, model=alternating_model(replies)).to_dict()
    replies_before = dict(replies)
    assert repeats(tmp_path, model=alternating_model(replies)).to_dict() == first
    assert replies == replies_before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"repeat": 1}, "at least 2"), ({"repeat": "3"}, "a number"), ({"sample": 3}, "give limit=")],
)
def test_one_run_and_samples_of_the_data_are_refused(tmp_path: Path, arguments: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        repeats(tmp_path, **arguments)


def test_the_command_prints_the_tables(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "qa", "--data", "sample", "--model", "extractive", "--retriever", "random", "-k", "1"]
    arguments += ["--limit", "8", "--metric", "f1", "--repeat", "2"]
    code, output, _ = command(capfd, *arguments, "--out", tmp_path)
    assert code == 0
    assert "2 runs of 8 questions" in output and "a run's score" in output
    code, _, errors = command(capfd, "run", "qa,classify", "--data", "sample", "--repeat", "2")
    assert code == 2 and "leave it out with several" in errors
