"""Questions without a reference, and without an answer: how many are scored stands wherever a score is printed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import pipelines
from pipelines.cli.main import app
from pipelines.results.index_page.view import view
from pipelines.results.run_folders.run import finished_run

MISSING = "14 of 20 scored: 6 have no reference"
UNANSWERABLE = "4 of 14 questions have no answer (right: 'Unanswerable')"
OPTIONS = {"metrics": ["f1", "rouge-l", "abstention"]}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight rows with answers, six without, four marked as unanswerable, two with the answer in the second field."""
    answers: list[dict[str, object]] = [{"answers": ["They lived in Bergen."]}] * 8 + [{"answers": []}] * 6
    answers += [{"answers": {"text": [], "answer_start": []}}] * 3 + [{"unanswerable": True}]
    answers += [{"answers": [], "answer": "Bergen"}] * 2
    file = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    lines = [
        {"document": f"They lived in Bergen. In winter {number % 5} they left.", "question": "Where?", "id": number}
        | fields
        for number, fields in enumerate(answers)
    ]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def run(rows: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "lead"
    pipelines.run("qa", data=rows, model="lead", out=out, **OPTIONS)
    return out


def test_the_result_reports_missing_references_in_python_in_notebooks_and_as_json(rows: Path, run: Path) -> None:
    result = pipelines.run("qa", data=rows, model="lead", out=run, **OPTIONS)
    assert (result.examples, result.scored) == (20, 14)
    assert result.scores["rouge-l"] > 0  # over the ten questions that have an answer
    assert (result.scores["abstention"], result.scores["abstention_answerable"]) == (0.0, 0.0)
    for text in (str(result), result._repr_html_().replace("&#x27;", "'"), json.dumps(result.to_dict())):
        assert MISSING in text
        assert f"{UNANSWERABLE}; the model answered all of them; skipped by rouge-l" in text


def test_the_record_and_the_signatures_report_missing_references(run: Path) -> None:
    scored = json.loads((run / "scores.json").read_text())
    assert scored["not_scored"] == MISSING
    assert scored["unanswerable"] == f"{UNANSWERABLE}; the model answered all of them; skipped by rouge-l"
    assert scored["signatures"]["f1"].endswith("|unanswerable:right is to say so")
    assert "unanswerable" not in scored["signatures"]["rouge-l"]
    predictions = finished_run(run).predictions
    counts = {name: sum(name in one.statistics for one in predictions) for name in ("f1", "rouge-l", "abstention")}
    assert counts == {
        "f1": 14, "rouge-l": 10, "abstention": 14,
    }  # fmt: skip


def test_the_commands_and_the_pages_report_missing_references(rows: Path, run: Path) -> None:
    other = run.with_name("extractive")
    pipelines.run("qa", data=rows, model="extractive", k=1, out=other, **OPTIONS)
    grid = ["ablate", "qa", "--data", str(rows), "--model", "lead,extractive", "--metric", "f1"]
    for command in (
        ["run", "qa", "--data", str(rows), "--model", "lead", "--metric", "f1,rouge-l,abstention", "--out", str(run)],
        ["compare", str(run), str(other)],
        ["score", str(run)],
        ["runs", "list", str(run.parent)],
        [*grid, "--out", str(run.with_name("grid"))],
    ):
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.output
        assert MISSING in " ".join(result.output.split()), command
    assert MISSING in (run / "report.html").read_text(encoding="utf-8")
    assert MISSING in view(run.parent, open=False).read_text(encoding="utf-8")


def test_a_run_with_all_references_reports_none_as_missing(tmp_path: Path) -> None:
    rows = [{"document": "They lived in Bergen.", "question": "Where?", "answer": "Bergen"}]
    (tmp_path / "rows.jsonl").write_text(json.dumps(rows[0]), encoding="utf-8")
    result = pipelines.run("qa", data=tmp_path / "rows.jsonl", model="lead", out=tmp_path / "out")
    assert result.reference_notes == []
    assert "abstention" not in {*result.scores, *result.scores.not_computed}
    assert "scored" not in str(result)


def test_a_reference_that_holds_words_of_a_refusal_is_an_answer(tmp_path: Path) -> None:
    row = {"document": "They left. It was empty.", "question": "What did he learn?"}
    rows = [row | {"answer": "He learned that it does not contain gold."}, row | {"answer": "Not mentioned"}]
    result = pipelines.run("qa", data=rows, model="lead", out=tmp_path / "run", metrics=["f1"])
    assert json.loads((tmp_path / "run" / "scores.json").read_text())["unanswerable"] == (
        "1 of 2 questions has no answer (right: to say so); the model answered it"
    )
    assert result.scored == 2
