"""Slips of people who type a command for the first time: one line says what to type."""

import json
from pathlib import Path

import pytest

import models
import pipelines
from longdoc.errors import UserError
from pipelines import tasks
from pipelines.plugins.ask.cli.words import files_and_question
from pipelines.plugins.evidence.evidence import evidence
from pipelines.plugins.scoring.cli import score
from pipelines.plugins.scoring.score_predictions import distinct_names
from pipelines.results.reports.report import report
from tests.command_line import longdoc


def test_the_words_of_a_question_without_quotes_are_put_in_quotes(tmp_path: Path) -> None:
    file = tmp_path / "mill.txt"
    file.write_text("Anna lives in Oslo.")
    with pytest.raises(UserError) as error:
        files_and_question([str(file), "Where", "is", "Anna?"])
    assert str(error.value) == f"put the question in quotes: longdoc ask {file} 'Where is Anna?'"


def test_a_mistyped_file_before_the_question_is_not_taken_for_a_word_of_it(tmp_path: Path) -> None:
    file = tmp_path / "mill.txt"
    file.write_text("Anna lives in Oslo.")
    with pytest.raises(UserError, match="there is no"):
        files_and_question([str(file), "mil.txt", "other", "Where is Anna?"])


def test_an_address_as_a_model_is_refused_with_how_a_server_is_named() -> None:
    for address, reader in (("http://127.0.0.1:8000/v1", "openai"), ("http://gpu1:11434/", "ollama")):
        with pytest.raises(UserError) as error:
            models.get(address)
        hint = f"give model='{reader}:MODEL,base_url={address}'"
        assert str(error.value) == f"{address} is a server's address, not a model: {hint}"


@pytest.mark.parametrize("name", ["rows.csv", "data/questions.JSONL"])
def test_rows_in_place_of_a_task_are_refused_with_the_task_of_own_rows(name: str) -> None:
    with pytest.raises(UserError) as error:
        tasks.get(name)
    assert str(error.value) == f"{name} is a file of rows, not a task: longdoc run qa --data {name}"


@pytest.mark.parametrize(
    ("names", "paths", "distinct"),
    [
        (["predictions"] * 2, ["A/predictions.jsonl", "B/predictions.jsonl"], ["A", "B"]),
        (["predictions"] * 2, ["runs/a/x/predictions.jsonl", "runs/b/y/predictions.jsonl"], ["a/x", "b/y"]),
        (["predictions", "other"], ["A/predictions.jsonl", "A/other.jsonl"], ["predictions", "other"]),
        (["same", "same"], ["A/p.jsonl", "A/p.jsonl"], ["same", "same"]),
        (["same", "same"], ["A/p.jsonl", "A/q.jsonl"], ["p", "q"]),
    ],
)
def test_systems_of_one_name_are_called_by_what_differs(
    names: list[str], paths: list[str], distinct: list[str]
) -> None:
    assert distinct_names(names, [Path(path) for path in paths]) == distinct


def test_the_report_of_a_run_that_is_not_there_says_so() -> None:
    with pytest.raises(UserError) as error:
        report("runs/nothing")
    assert str(error.value) == "there is no run runs/nothing: longdoc runs list shows your runs"


def test_evidence_is_measured_at_numbers_of_passages() -> None:
    table = evidence("narrativeqa", data="sample", limit=3, chunker="tokens:size=100", retriever="bm25", k=[1, 2])
    assert [(row.budget, round(row.words)) for row in table.rows] == [("1 passage", 100), ("2 passages", 200)]


def test_evidence_has_passages_or_words() -> None:
    with pytest.raises(UserError, match="k and budget cannot be given together: choose one"):
        evidence("narrativeqa", data="sample", k=1, budget="100 words")


def test_the_predictions_of_two_runs_are_two_systems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("A", "B"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "predictions.jsonl").write_text('{"id": "1", "prediction": "Oslo", "references": ["Oslo"]}')
    score("qa", [tmp_path / name / "predictions.jsonl" for name in ("A", "B")], as_json=True)
    assert [system["system"] for system in json.loads(capsys.readouterr().out)["systems"]] == ["A", "B"]


def test_the_size_of_chunks_is_a_field_of_the_chunker(capfd: pytest.CaptureFixture[str]) -> None:
    _, _, errors = longdoc(capfd, "run", "qa", "--chunk-size", "300")
    assert errors == "longdoc: No such option: --chunk-size (it is the chunker's size: --chunker tokens:size=300)\n"
    with pytest.raises(UserError, match="it is the chunker's size: chunker='tokens:size=200'"):
        pipelines.run("qa", data="sample", chunk_size=300)  # type: ignore[call-arg]


def test_own_questions_without_a_model_are_refused_with_the_kinds_of_models() -> None:
    with pytest.raises(UserError) as error:
        pipelines.run("qa", data="sample")
    assert str(error.value) == "qa needs a model: model=NAME, one of these"
    kinds = [line.split("  ")[0] for line in error.value.__notes__]
    assert kinds == ["extractive", "FILE.gguf", "ollama:NAME", "openai:NAME", "ORGANIZATION/NAME"]
