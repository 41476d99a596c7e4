"""Each way several times, with other seeds."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import longdoc
from longdoc.errors import UserError
from tests.command_line import longdoc as command
from tests.pipelines.api.test_repeating import ROWS


def reading(prompts: Counter[str]) -> Any:
    """A model that says the year that it is shown."""

    def answer(prompt: str) -> str:
        prompts[prompt] += 1
        return next((row["answers"][0] for row in ROWS if row["answers"][0] in prompt), "never")

    return answer


def versus_repeats(folder: Path, **arguments: Any) -> Any:
    fields: dict[str, Any] = {
        "data": ROWS, "model": reading(Counter()), "metrics": ["exact_match"], "report": False,
        "retriever": "random", "chunker": "sentences:size=8", "k": 1,
    }  # fmt: skip
    return longdoc.versus_repeats("qa", out=folder, **{**fields, "repeat": 3, **arguments})


def test_each_way_has_its_mean_and_the_spread_that_repeats_gives_for_its_runs(tmp_path: Path) -> None:
    result = versus_repeats(tmp_path)
    assert [table.folder for table in result.results] == [tmp_path / f"repeat-{number}" for number in (1, 2, 3)]
    assert list(result.rows) == ["whole document", "random, k=1", "closed book"]
    whole, random, closed = result.rows.values()
    assert [(row.mean, row.run_score) for row in (whole, closed)] == [(100, 0), (0, 0)]
    run_scores = [table["random, k=1"].scores["exact_match"] for table in result.results]
    assert random.mean == pytest.approx(sum(run_scores) / 3) and 0 < random.mean < 100
    assert (random.runs, random.questions) == (3, 6) and random.run_score > 0
    assert random.interval is not None and (random.interval.units, random.interval.unit) == (6, "document")
    assert random.interval.low < random.mean < random.interval.high
    assert longdoc.repeats([str(table["random, k=1"].folder) for table in result.results]).scores == [random]
    lines = str(result).splitlines()
    assert lines[0] == "qa, test: 6 examples over 6 documents, 3 runs of each way"
    assert lines[1].split()[:2] == ["way", "exact_match"] and lines[1].endswith("a run's score")
    assert lines[3].endswith(f" {random.run_score:.2f}") and f"{random.mean:.2f} [" in lines[3]


def test_the_same_call_again_asks_nothing_again(tmp_path: Path) -> None:
    prompts: Counter[str] = Counter()
    first = versus_repeats(tmp_path, model=reading(prompts)).to_dict()
    asked = prompts.copy()
    assert versus_repeats(tmp_path, model=reading(prompts)).to_dict() == first
    assert prompts == asked and asked


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"repeat": 1}, "at least 2"),
        ({"sample": 3}, "give limit="),
        ({"runs": ["x"]}, "runs= are made already"),
        ({"predictions": {"ours": "x"}}, "predictions= are made already"),
    ],
)
def test_one_run_samples_and_finished_runs_are_refused(tmp_path: Path, arguments: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        versus_repeats(tmp_path / "v", **arguments)
    assert not (tmp_path / "v").exists()


def test_the_command_prints_the_table(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    words = ["versus", "qa", "--data", tmp_path / "rows.jsonl", "--model", "extractive", "--retriever", "random"]
    words += ["--select", "5", "--metric", "f1", "--repeat", "2"]
    code, output, _ = command(capfd, *words, "--set", "report=false", "--out", tmp_path / "v")
    assert code == 0 and "2 runs of each way" in output
    code, _, errors = command(capfd, *words, "--dry-run")
    assert code == 2 and "leave it out with --dry-run" in errors
