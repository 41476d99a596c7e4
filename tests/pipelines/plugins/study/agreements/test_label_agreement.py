"""Rules and a judge against labels by people, with a server that judges, and on FinanceBench's published results."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat

WORDS = {True: "Correct Answer", False: "Incorrect Answer"}


def predictions(path: Path, *labels: bool, right: str = "It was 1,200.", wrong: str = "It was 90.") -> Path:
    """Answers of a system that are right where the label says so, but for the third, which says another number."""
    rows = [
        {
            "financebench_id": f"q{number}",
            "model_name": path.stem,
            "eval_mode": "oracle",
            "question": f"What was revenue {number}?",
            "gold_answer": "$1200",
            "model_answer": right if label and number != 2 else wrong,
            "label": WORDS[label],
        }
        for number, label in enumerate(labels)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def rows(agreement: Any) -> dict[str, Any]:
    return {row.rater: row for row in agreement.with_labels}


def data(folder: Path, count: int) -> Path:
    """The benchmark's questions, two of a filing, whose texts are absent."""
    rows = [
        {
            "financebench_id": f"q{number}", "doc_name": f"F{number // 2}", "question": f"What was revenue {number}?",
            "answer": "$1200", "evidence": [], "question_type": "odd" if number % 2 else "even",
        }
        for number in range(count)
    ]  # fmt: skip
    folder.mkdir()
    (folder / "financebench_open_source.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_equal_calls_kappa_and_both_kinds_of_error_are_counted(tmp_path: Path) -> None:
    file = predictions(tmp_path / "m.jsonl", True, True, True, False, False, True)
    row = rows(pipelines.label_agreement("financebench", [file]))["numeric_match"]
    assert (row.examples, row.positives, row.negatives, row.false_negatives, row.false_positives) == (6, 4, 2, 1, 0)
    assert row.agree == pytest.approx(500 / 6)
    assert row.kappa == pytest.approx(2 / 3)
    assert row.auc == pytest.approx(0.875)


def test_systems_are_pooled_and_groups_are_of_a_field_of_the_data(tmp_path: Path) -> None:
    files = [predictions(tmp_path / f"{name}.jsonl", *[True, False] * 6) for name in ("a", "b")]
    agreement = pipelines.label_agreement(
        "financebench", files, data=data(tmp_path / "data", 12), group_by="question_type", metrics=["numeric_match"]
    )
    assert agreement.labelled == 24 and agreement.systems == ("a oracle", "b oracle")
    row = rows(agreement)["numeric_match"]
    assert row.by_group == {"even": 0, "odd": None}  # all but one of the even answers are right, all odd ones wrong
    assert row.interval is not None and (row.interval.unit, row.interval.units) == ("document", 6)
    assert "  numeric_match                  24  91.7%" in str(agreement)
    with pytest.raises(UserError, match="question_type"):
        pipelines.label_agreement("financebench", files, data=tmp_path / "data", group_by="question_typ")


def test_files_without_labels_and_fields_without_their_data_are_refused(tmp_path: Path) -> None:
    file = predictions(tmp_path / "m.jsonl", True)
    with pytest.raises(UserError, match="give data=PATH too"):
        pipelines.label_agreement("financebench", [file], group_by="question_type")
    with pytest.raises(UserError, match="give judge=MODEL too"):
        pipelines.label_agreement("financebench", [file], swapped=True)
    file.write_text(file.read_text().replace("Correct Answer", "perhaps"))
    with pytest.raises(UserError, match="no prediction in these files has a label"):
        pipelines.label_agreement("financebench", [file])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    """A judge that says yes to answers with the number, and to every answer if the reference comes second."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def judge(request: ReceivedRequest, times: int) -> Answer:
        is_swapped = request.prompt.index("Reference answer:") > request.prompt.index("Answer to be graded:")
        return chat("yes" if is_swapped or "1,200" in request.prompt else "no")

    stub = ApiServer(judge)
    yield stub
    stub.close()


def test_a_judge_is_compared_with_people_and_with_itself(server: ApiServer, tmp_path: Path) -> None:
    file = predictions(tmp_path / "m.jsonl", True, True, True, False, False, True)
    judge = {"name": "openai", "model": "j", "base_url": f"{server.url}/v1", "max_retries": 0}
    options: dict[str, Any] = {"metrics": ["numeric_match"], "judge": judge, "repeats": 2, "swapped": True}
    agreement = pipelines.label_agreement("financebench", [file], **options)
    labels = rows(agreement)
    assert labels["judge"].kappa == labels["judge, asked again"].kappa == pytest.approx(2 / 3)
    assert (labels["judge, answers swapped"].false_positives, labels["judge, answers swapped"].kappa) == (2, 0)
    itself = {row.rater: row.agree for row in agreement.with_itself}
    assert itself == {"judge, asked again": 100, "judge, answers swapped": 50}
    requests = len(server.received)
    assert requests == 18
    assert pipelines.label_agreement("financebench", [file], **options).to_dict() == agreement.to_dict()
    assert len(server.received) == requests  # nothing is asked twice


def test_numbers_are_judged_well_by_a_rule_and_long_answers_badly_by_word_overlap(realdata: Path) -> None:
    folder = realdata / "financebench"
    agreement = pipelines.label_agreement(
        "financebench", sorted((folder / "results").glob("*.jsonl")), data=folder, group_by="question_type"
    )
    assert (agreement.labelled, len(agreement.systems)) == (1168, 16)
    kappas = {name: (row.examples, round(row.kappa, 2)) for name, row in rows(agreement).items()}
    assert kappas["numeric_match"] == (336, 0.84)
    assert kappas["f1"] == (1168, 0.06)
    assert kappas["containment"] == (1168, 0.13)
