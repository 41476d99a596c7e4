"""∞Bench's files of predictions: their fields, their ids, and the published scores of real systems."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError

PUBLISHED = {
    "gpt4": (22.44, 67.25, 14.73, 8.50),
    "kimi": (16.52, 72.49, 17.96, 11.50),
    "yi-34b-200k": (12.17, 38.43, "< 5", "< 5"),
}
TASKS = {
    "en_qa": "preds_longbook_qa_eng.jsonl",
    "en_mc": "preds_longbook_choice_eng.jsonl",
    "en_sum": "preds_longbook_sum_eng.jsonl",
    "en_dia": "preds_longdialogue_qa_eng.jsonl",
}


def score(folder: Path, *rows: Any, task: str = "en_qa") -> Any:
    file = folder / "system" / "preds.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return pipelines.score_predictions(f"infinitebench/{task}", file)


@pytest.mark.parametrize("system", PUBLISHED)
def test_every_published_score_comes_out_to_its_last_digit(realdata: Path, system: str) -> None:
    for (task, file), published in zip(TASKS.items(), PUBLISHED[system], strict=True):
        scores = pipelines.score_predictions(f"infinitebench/{task}", realdata / "infinitebench" / system / file)
        (score,) = scores.scores.values()
        assert score < 5 if published == "< 5" else round(score, 2) == published, (task, score)
        assert (scores.system, len(scores.predictions), scores.refused) == (system, scores.expected, {})


def test_ids_of_a_larger_release_are_reported(realdata: Path) -> None:
    by_system = {
        system: pipelines.score_predictions("infinitebench/en_qa", realdata / "infinitebench" / system / TASKS["en_qa"])
        for system in PUBLISHED
    }
    assert by_system["yi-34b-200k"].warnings == ()
    for system in ("gpt4", "kimi"):
        (warning,) = by_system[system].warnings
        assert warning.startswith("80 ids are beyond the benchmark's 351 examples: they count the rows of a larger")


@pytest.mark.parametrize(
    ("output", "label"), [("prediction", "ground_truth"), ("pred", "label"), ("pred", "ground_truth")]
)
def test_both_names_of_outputs_and_labels_are_read(tmp_path: Path, output: str, label: str) -> None:
    scores = score(tmp_path, {"id": 0, output: "Anna", label: ["Anna", "She"]}, {output: "x", label: "Bo"})
    assert (scores.scores, scores.system, scores.counts()) == ({"f1": 50.0}, "system", "2 predictions of 351")


def test_repeated_ids_are_reported_and_every_row_counts(tmp_path: Path) -> None:
    rows = [
        {"id": name, "prediction": text, "ground_truth": ["Anna"]} for name, text in ((7, "Anna"), (7, "x"), (8, "x"))
    ]
    scores = score(tmp_path, *rows, {**rows[0], "id": 9})
    assert scores.scores == {"f1": 50.0}
    assert [one.id for one in scores.predictions] == ["0", "1", "2", "3"]
    assert scores.warnings == ("1 id comes more than once, 7 first: every row counts, as in ∞Bench's scorer",)


def test_more_rows_than_the_benchmark_has_are_reported(tmp_path: Path) -> None:
    rows = [{"id": number, "prediction": "A", "ground_truth": ["x", "A"]} for number in range(230)]
    assert score(tmp_path, *rows, task="en_mc").warnings == (
        "there are 230 rows, and the benchmark has 229 examples: of another release",
    )


def test_an_answer_that_is_missing_is_counted_and_an_empty_one_is_wrong(tmp_path: Path) -> None:
    scores = score(
        tmp_path,
        {"id": 0, "prediction": None, "ground_truth": ["Anna"]},
        {"id": 1, "prediction": "", "ground_truth": ["Anna"]},
        {"id": 2, "prediction": "Anna", "ground_truth": ["Anna"]},
    )
    assert (scores.scores, scores.refused) == ({"f1": 50.0}, {"without an answer": 1})


def test_rows_without_an_output_or_a_label_are_refused(tmp_path: Path) -> None:
    whole = {"id": 0, "prediction": "Anna", "ground_truth": ["Anna"]}
    with pytest.raises(UserError, match=r"preds.jsonl:1: expected ∞Bench's predictions .*, found id, output"):
        score(tmp_path, {"id": 0, "output": "Anna"})
    with pytest.raises(UserError, match=r"preds.jsonl:2: expected ∞Bench's predictions .*; found id, prediction"):
        score(tmp_path, whole, {"id": 1, "prediction": "Anna"})
    with pytest.raises(UserError, match=r"preds.jsonl:2: ground_truth has no answer"):
        score(tmp_path, whole, {**whole, "ground_truth": []})


def test_a_system_s_name_is_refused(tmp_path: Path) -> None:
    score(tmp_path, {"id": 0, "prediction": "Anna", "ground_truth": ["Anna"]})
    with pytest.raises(UserError, match="has the predictions of one system: leave ::gpt4 out"):
        pipelines.score_predictions("infinitebench/en_qa", f"{tmp_path}/system/preds.jsonl::gpt4")


def data_of(folder: Path, labels: list[Any]) -> Path:
    """Data of ∞Bench's layout with these labels: ten questions a book."""
    file = folder / "longbook_qa_eng.jsonl"
    rows = [
        {"id": number, "context": f"Book {number // 10}.", "input": "Who?", "answer": answer, "options": []}
        for number, answer in enumerate(labels)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_rows_with_ids_of_a_larger_release_are_joined_by_order_and_other_labels_counted(
    realdata: Path, tmp_path: Path
) -> None:
    folder = realdata / "infinitebench"
    labels = [json.loads(line)["ground_truth"] for line in (folder / "yi-34b-200k" / TASKS["en_qa"]).open()]
    data = data_of(tmp_path, labels)
    scores = pipelines.score_predictions("infinitebench/en_qa", folder / "gpt4" / TASKS["en_qa"], data=data)
    assert scores.warnings[-1].startswith("29 of 351 labels in the file differ from the data's: the data's are used")
    assert (len(scores.predictions), len({one.document for one in scores.predictions})) == (351, 36)
    assert scores.scores["f1"] == pytest.approx(21.316, abs=0.001)
    data = data_of(tmp_path, labels[1:] + labels[:1])
    with pytest.raises(UserError, match=r"of 351 labels in the file differ from those of "):
        pipelines.score_predictions("infinitebench/en_qa", folder / "gpt4" / TASKS["en_qa"], data=data)
