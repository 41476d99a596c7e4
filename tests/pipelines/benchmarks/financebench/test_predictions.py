"""FinanceBench's files of results: the labels that people gave, as shares."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import tasks
from pipelines.plugins.scoring import prediction_files

SHARES = {  # of the 73 questions of half of the companies: correct, incorrect, refused
    "gpt-4-1106-preview_closedBook": (7, 4, 62),
    "gpt-4-1106-preview_singleStore": (36, 10, 27),
    "gpt-4-1106-preview_sharedStore": (14, 7, 52),
    "gpt-4-1106-preview_inContext": (17, 27, 29),
    "gpt-4-1106-preview_inContext_reverse": (55, 14, 4),
    "gpt-4-1106-preview_oracle": (60, 13, 0),
}


def row(number: int, label: Any, **changes: Any) -> dict[str, Any]:
    fields = {"financebench_id": f"financebench_id_{number:05}", "model_name": "m-1", "eval_mode": "oracle"}
    fields |= {"temp": 0.01, "question": "What was revenue?", "gold_answer": 1200, "model_answer": "It was 1200."}
    return {**fields, "label": label, **changes}


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


@pytest.mark.parametrize("name", SHARES)
def test_the_shares_are_those_of_the_labels_that_people_gave(realdata: Path, name: str) -> None:
    scores = pipelines.score_predictions("financebench", realdata / "financebench" / "results" / f"{name}.jsonl")
    assert tuple(scores.label_counts.values()) == SHARES[name]
    shares = [scores.scores[f"label_{label}"] for label in ("correct", "incorrect", "refused")]
    assert shares == pytest.approx([100 * count / 73 for count in SHARES[name]])
    assert (scores.system, scores.expected, len(scores.predictions)) == (name.replace("_", " ", 1), 150, 73)
    assert not scores.warnings


def test_all_published_results_are_read(realdata: Path) -> None:
    files = sorted((realdata / "financebench" / "results").glob("*.jsonl"))
    table = pipelines.score_prediction_files("financebench", files, metrics=["labels"])
    assert [len(scores.predictions) for scores in table.systems] == [73] * 16
    assert len({scores.system for scores in table.systems}) == 16


def test_labels_stand_beside_the_task_s_metrics_or_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", row(1, "Correct Answer"), row(2, "Incorrect Answer"), row(3, "refusal "))
    scores = pipelines.score_predictions("financebench", path)
    assert list(scores.scores)[:4] == ["label_correct", "label_incorrect", "label_refused", "f1"]
    assert (
        scores.scores.signatures["label_correct"] == "labels|of:the file of predictions|empty without a label:incorrect"
    )
    assert scores.counts() == "3 predictions of 150; labelled 1 correct, 1 incorrect, 1 refused"
    assert list(pipelines.score_predictions("financebench", path, metrics=["f1"]).scores) == ["f1"]
    alone = pipelines.score_predictions("financebench", path, metrics=["labels"])
    assert dict(alone.scores) == pytest.approx(dict.fromkeys(alone.scores, 100 / 3))


def test_another_word_is_no_label_and_is_reported(tmp_path: Path) -> None:
    path = write(
        tmp_path / "m.jsonl", row(1, "Correct Answer"), row(2, "Nearly"), row(3, ""), row(4, None, model_answer="")
    )
    scores = pipelines.score_predictions("financebench", path, metrics=["labels"])
    assert tuple(scores.label_counts.values()) == (1, 1, 0)  # an empty answer without a label is incorrect
    assert scores.scores["label_correct"] == 50.0
    assert scores.warnings == (
        "labels other than Correct Answer, Incorrect Answer, Refusal, which do not count: 1 (m.jsonl:2: 'Nearly')",
    )


def test_a_file_without_any_label_has_no_shares(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", row(1, ""), row(2, None))
    assert "label_correct" not in pipelines.score_predictions("financebench", path).scores
    labels_alone = pipelines.score_predictions("financebench", path, metrics=["labels"])
    assert labels_alone.scores.not_computed["labels"].startswith("no prediction has a label; ")


def test_predictions_keep_their_labels_beside_the_data(tmp_path: Path) -> None:
    folder = tmp_path / "financebench"
    for name in ("data", "texts"):
        (folder / name).mkdir(parents=True)
    (folder / "texts" / "MILL.txt").write_text("Revenue: 1200")
    fields = {"doc_name": "MILL", "question": "What was revenue?", "answer": "$1200", "evidence": []}
    rows = [{"financebench_id": f"financebench_id_{number:05}", **fields} for number in (1, 2)]
    write(folder / "data" / "financebench_open_source.jsonl", *rows)
    scores = pipelines.score_predictions(
        "financebench", write(tmp_path / "m.jsonl", row(2, "Correct Answer")), data=folder
    )
    assert scores.scores["label_correct"] == 100.0
    assert scores.all_scores["label_correct"] == 50.0
    assert scores.refused == {"missing from the file": 1}


def test_the_data_give_filings_to_resample_by_without_their_texts(realdata: Path) -> None:
    path = realdata / "financebench" / "results" / "gpt-4-1106-preview_inContext.jsonl"
    scores = pipelines.score_predictions("financebench", path, data=realdata / "financebench", metrics=["labels"])
    assert (tuple(scores.label_counts.values()), scores.expected, len(scores.by_document)) == ((17, 27, 29), 73, 43)
    alone = pipelines.score_predictions("financebench", path, metrics=["labels"])
    assert dict(scores.scores) == dict(alone.scores)
    assert scores.scores.intervals["label_correct"] != alone.scores.intervals["label_correct"]


def test_another_layout_and_an_id_that_comes_twice_are_refused(tmp_path: Path) -> None:
    task = tasks.get("financebench")
    with pytest.raises(UserError, match=r":2: expected FinanceBench's results"):
        prediction_files.read(task, write(tmp_path / "m.jsonl", row(1, "Refusal"), {"financebench_id": "2"}))
    with pytest.raises(UserError, match=r"1 id occurs more than once \(financebench_id_00001\)"):
        prediction_files.read(task, write(tmp_path / "m.jsonl", row(1, "Refusal"), row(1, "Refusal")))
    with pytest.raises(UserError, match="longdoc score financebench FILE"):
        prediction_files.read(tasks.get("nocha"), write(tmp_path / "m.jsonl", row(1, "Refusal")))
    file = prediction_files.read(
        task, write(tmp_path / "both.jsonl", row(1, "Refusal"), row(2, "Refusal", eval_mode="x"))
    )
    assert file.system == "both"
