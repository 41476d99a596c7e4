"""Runs of AA-LCR: a judge's verdicts as shares, a first row with their sums, skipped questions, other words."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import tasks
from pipelines.plugins.scoring import prediction_files
from tests.api_server import ApiServer, chat

CORRECT = {  # of the 30 questions on seven sets
    "deepseek-reasoner/20260204_124703": 24,
    "deepseek-reasoner/20260204_134753": 23,
    "doubao-seed-1-8-251228/20260204_122351": 23,
    "doubao-seed-1-8-251228/20260204_125706": 25,
    "doubao-seed-1-8-251228/20260204_133224": 23,
    "doubao-seed-2-0-pro-260215/20260302_115105": 25,
    "doubao-seed-2-0-pro-260215/20260302_125312": 23,
    "doubao-seed-2-0-pro-260215/20260302_132745": 26,
}


def row(number: int, verdict: Any = "CORRECT", **changes: Any) -> dict[str, Any]:
    fields = {"question_id": str(number), "question": "Who flew?", "gold_answer": "1. A gull\\n2. A bee"}
    return {**fields, "llm_answer": "A gull, a bee", "judge_result": verdict, "prompt_token": 9, **changes}


def write(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


@pytest.mark.parametrize("name", CORRECT)
def test_the_share_of_correct_answers_is_that_of_the_published_verdicts(realdata: Path, name: str) -> None:
    scores = pipelines.score_predictions("aa_lcr", realdata / "aa_lcr" / "predictions" / f"{name}.jsonl")
    assert scores.scores["label_correct"] == pytest.approx(100 * CORRECT[name] / 30)
    assert tuple(scores.label_counts.values()) == (CORRECT[name], 30 - CORRECT[name])
    assert (scores.system, scores.expected) == (name.replace("/", " "), 100)
    assert not scores.warnings


def test_the_verdicts_stay_beside_the_data(realdata: Path) -> None:
    path = realdata / "aa_lcr" / "predictions" / "deepseek-reasoner" / "20260204_124703.jsonl"
    scores = pipelines.score_predictions("aa_lcr", path, data=realdata / "aa_lcr", metrics=["labels"])
    assert (scores.scores["label_correct"], scores.expected) == (80.0, 30)
    assert len(scores.by_document) == 7
    assert scores.by_document["gc_screen"] == {"label_correct": 50.0, "label_incorrect": 50.0}
    assert not scores.warnings


def test_the_sums_of_the_first_row_are_compared_with_the_verdicts(tmp_path: Path) -> None:
    summary = {"_meta_stats": True, "accuracy": 50.0, "correct": 1, "total": 2, "updated_at": "2026"}
    rows = [row(2, "INCORRECT"), row(1)]
    file = prediction_files.read(tasks.get("aa_lcr"), write(tmp_path / "m-1" / "run.jsonl", summary, *rows))
    assert (file.system, [prediction.example.id for prediction in file.given]) == ("m-1 run", ["2", "1"])
    assert file.given[1].example.references == ("1. A gull\n2. A bee",)
    assert file.warnings == []
    path = write(tmp_path / "m-1" / "run.jsonl", {**summary, "correct": 2}, *rows)
    assert prediction_files.read(tasks.get("aa_lcr"), path).warnings == [
        "run.jsonl: its first row says 2 of 2 correct, its verdicts 1 of 2: the verdicts count"
    ]


def test_skipped_questions_are_counted_and_wrong_over_all(tmp_path: Path) -> None:
    rows = [row(1), row(2, "SKIPPED", llm_answer="", skipped_reason="too long"), row(3, "INCORRECT", llm_answer="")]
    scores = pipelines.score_predictions("aa_lcr", write(tmp_path / "run.jsonl", *rows), metrics=["labels"])
    assert (scores.scores["label_correct"], scores.refused) == (50.0, {"SKIPPED": 1})
    assert scores.all_scores["label_correct"] == pytest.approx(100 / 3)


@pytest.mark.parametrize("word", ["CORRECT: yes", "Partially correct", "1", "ERROR"])
def test_other_words_than_the_two_are_reported(tmp_path: Path, word: str) -> None:
    path = write(tmp_path / "run.jsonl", row(1), row(2, word), row(3, " incorrect\n"))
    scores = pipelines.score_predictions("aa_lcr", path, metrics=["labels"])
    assert scores.scores["label_correct"] == 50.0
    assert scores.warnings == (f"labels other than CORRECT, INCORRECT, which do not count: 1 (run.jsonl:2: {word!r})",)


def test_another_layout_and_a_question_that_comes_twice_are_refused(tmp_path: Path) -> None:
    task = tasks.get("aa_lcr")
    with pytest.raises(UserError, match=r":2: expected AA-LCR's runs"):
        prediction_files.read(task, write(tmp_path / "run.jsonl", row(1), {"question_id": "2"}))
    with pytest.raises(UserError, match=r"1 id occurs more than once \(1\)"):
        prediction_files.read(task, write(tmp_path / "run.jsonl", row(1), row(1)))
    with pytest.raises(UserError, match="longdoc score aa_lcr FILE"):
        prediction_files.read(tasks.get("financebench"), write(tmp_path / "run.jsonl", row(1)))
    with pytest.raises(UserError, match="holds no predictions for aa_lcr"):
        prediction_files.read(task, write(tmp_path / "run.jsonl", {"_meta_stats": True, "correct": 0, "total": 0}))


def test_a_judge_s_verdicts_are_written_in_the_same_layout_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = ApiServer(lambda request, times: chat("yes" if "a bee" in request.prompt else "no"))
    rows = [row(1), row(2, llm_answer="A hen"), row(3, "SKIPPED", llm_answer="SKIPPED")]
    path = write(tmp_path / "m" / "run.jsonl", *rows)
    judge = {"name": "openai", "model": "j", "base_url": f"{server.url}/v1", "max_retries": 0}
    pipelines.score_predictions("aa_lcr", path, judge=judge, out=tmp_path / "judged")
    server.close()
    summary, *verdicts = map(json.loads, (tmp_path / "judged" / "verdicts.jsonl").read_text().splitlines())
    assert summary == {"_meta_stats": True, "accuracy": 1 / 3, "correct": 1, "total": 3}
    assert [verdict["judge_result"] for verdict in verdicts] == ["CORRECT", "INCORRECT", "SKIPPED"]
    again = pipelines.score_predictions("aa_lcr", tmp_path / "judged" / "verdicts.jsonl")
    assert again.scores["label_correct"] == 50 and again.refused == {"SKIPPED": 1}
    assert not again.warnings
