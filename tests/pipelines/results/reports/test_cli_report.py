"""`longdoc report`: the ending of the file says what is written."""

import json

import pytest
from typer.testing import CliRunner

from longdoc.errors import UserError
from pipelines.cli.main import app


def report(*arguments):
    result = CliRunner().invoke(app, ["report", *(str(argument) for argument in arguments)])
    if isinstance(result.exception, UserError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_a_page_is_written_to_the_given_file(runs, tmp_path):
    file = tmp_path / "report.html"
    assert report(*runs, "--out", file).strip() == str(file)
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(("ending", "beginning"), [("csv", "name,"), ("json", "{"), ("tex", "%")])
def test_the_format_of_a_table_follows_the_file_s_ending(runs, tmp_path, ending, beginning):
    report(*runs, "--out", tmp_path / f"table.{ending}")
    assert (tmp_path / f"table.{ending}").read_text(encoding="utf-8").startswith(beginning)


def test_without_a_file_the_page_is_written_into_the_only_run_or_the_working_folder(runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (runs[0] / "report.html").unlink(missing_ok=True)
    assert report(runs[0]).strip() == str(runs[0] / "report.html")
    assert (runs[0] / "report.html").is_file()
    assert report(*runs).strip() == "report.html"
    assert (tmp_path / "report.html").is_file()


def test_without_a_file_a_table_is_printed(runs):
    assert "| bm25" in report(*runs, "--format", "markdown")
    assert report(*runs, "--format", "csv").startswith("name,")


def test_a_plot_needs_a_file(runs):
    with pytest.raises(UserError, match=r"--out report\.svg"):
        report(runs[0], "--format", "svg")


def test_an_unknown_ending_is_refused_with_a_suggestion(runs, tmp_path):
    with pytest.raises(UserError, match="did you mean"):
        report(runs[0], "--out", tmp_path / "report.htmll")


def test_data_are_only_accepted_for_the_page(runs, tmp_path):
    with pytest.raises(UserError, match="--data"):
        report(runs[0], "--data", "rows.jsonl", "--out", tmp_path / "table.csv")


def test_the_score_to_lead_with_can_be_chosen(runs):
    first, second, *_ = json.loads(report(*runs, "--format", "json"))["runs"][0]["scores"]
    shown = report(*runs, "--format", "markdown", "--primary-metric", second)
    assert f" | {second} | Δ {second} | {first} | " in shown
    with pytest.raises(UserError, match="unknown score 'f2'"):
        report(*runs, "--format", "markdown", "--primary-metric", "f2")
