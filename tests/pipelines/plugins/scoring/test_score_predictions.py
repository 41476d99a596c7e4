"""Other systems' predictions: joined to the data, counted, and refused where they do not fit."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError

TASK = "infinitebench/en_qa"
DATA = [
    {"id": 0, "context": "The gull left.", "input": "Who left?", "answer": ["the gull"], "options": []},
    {"id": 1, "context": "The gull left.", "input": "What did it do?", "answer": ["left", "it left"], "options": []},
    {"id": 2, "context": "An owl slept.", "input": "Who slept?", "answer": ["the owl"], "options": []},
]
PREDICTIONS = [
    {"id": 0, "prediction": "the gull", "ground_truth": ["the gull"]},
    {"id": 1, "prediction": "it slept", "ground_truth": ["it left", "left"]},
    {"id": 2, "prediction": "an owl", "ground_truth": ["the owl"]},
]


def write_rows(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "longbook_qa_eng.jsonl", DATA)


@pytest.fixture
def predictions_file(tmp_path: Path) -> Path:
    return tmp_path / "preds_longbook_qa_eng.jsonl"


def test_predictions_are_scored_by_the_labels_of_their_file(predictions_file: Path) -> None:
    scores = pipelines.score_predictions(TASK, write_rows(predictions_file, PREDICTIONS))
    assert scores.scores["f1"] == pytest.approx(100 * (1 + 0.5 + 1) / 3)
    assert (scores.counts(), scores.all_scores, scores.by_document) == ("3 predictions of 351", {}, {})


def test_with_data_the_labels_of_the_data_count_and_differing_labels_are_reported(
    predictions_file: Path, data: Path
) -> None:
    changed = [*PREDICTIONS[:2], {**PREDICTIONS[2], "ground_truth": ["a gull"]}]
    alone = pipelines.score_predictions(TASK, write_rows(predictions_file, changed))
    joined = pipelines.score_predictions(TASK, predictions_file, data=data)
    assert alone.scores["f1"] == pytest.approx(50)
    assert joined.scores["f1"] == pytest.approx(100 * (1 + 0.5 + 1) / 3)
    assert joined.warnings[-1].startswith("1 of 3 labels in the file differ from the data's: the data's are used")
    assert (joined.expected, len({one.document for one in joined.predictions})) == (3, 2)


def test_special_tokens_in_predictions_are_reported(predictions_file: Path) -> None:
    rows = [{**PREDICTIONS[0], "prediction": "the gull<|eot_id|>"}, *PREDICTIONS[1:]]
    scores = pipelines.score_predictions(TASK, write_rows(predictions_file, rows))
    line = "1 of 3 outputs contains special tokens such as <|eot_id|>, which are scored as words"
    assert scores.warnings == (f"{line}: check the model's chat template",)
    assert line in str(scores)


def test_examples_without_a_prediction_are_counted_and_scored_apart(predictions_file: Path, data: Path) -> None:
    rows = [{**PREDICTIONS[0], "prediction": None}, {**PREDICTIONS[1], "prediction": {"error": "too long"}}]
    scores = pipelines.score_predictions(TASK, write_rows(predictions_file, [*rows, PREDICTIONS[2]]), data=data)
    assert scores.refused == {"without an answer": 1, "with an error": 1}
    assert scores.scores["f1"] == 100
    assert scores.all_scores["f1"] == pytest.approx(100 / 3)
    assert "f1     100.00     33.33" in str(scores)
    missing = pipelines.score_predictions(TASK, write_rows(predictions_file, PREDICTIONS[:1]), data=data)
    assert (missing.refused, missing.counts()) == (
        {"missing from the file": 2},
        "1 prediction of 3; 2 missing from the file",
    )


def test_predictions_for_other_ids_are_refused(predictions_file: Path, data: Path) -> None:
    with pytest.raises(UserError, match=r"1 prediction is for ids that .* does not have \(7\): leave them out, or"):
        pipelines.score_predictions(
            TASK, write_rows(predictions_file, [*PREDICTIONS, {**PREDICTIONS[0], "id": 7}]), data=data
        )
    with pytest.raises(UserError, match=r"none of the 2 ids \(a, b\) is in .*: the predictions are for other data"):
        pipelines.score_predictions(
            TASK,
            write_rows(predictions_file, [{**PREDICTIONS[0], "id": "a"}, {**PREDICTIONS[0], "id": "b"}]),
            data=data,
        )


def test_doubled_ids_are_refused_or_cannot_be_joined(predictions_file: Path, data: Path) -> None:
    rows = [{"id": "a", "prediction": "x", "references": ["x"]}] * 2
    with pytest.raises(UserError, match=r"1 id occurs more than once \(a\): leave out all but one row of each"):
        pipelines.score_predictions(TASK, write_rows(predictions_file, rows))
    with pytest.raises(UserError, match=r"cannot be joined to .*: some ids come more than once"):
        pipelines.score_predictions(TASK, write_rows(predictions_file, [*PREDICTIONS, PREDICTIONS[0]]), data=data)


def test_rows_without_ids_go_by_order_where_there_are_as_many(predictions_file: Path, data: Path) -> None:
    bare = [{name: value for name, value in row.items() if name != "id"} for row in PREDICTIONS]
    scores = pipelines.score_predictions(TASK, write_rows(predictions_file, bare), data=data)
    assert [one.id for one in scores.predictions] == ["0", "1", "2"]
    assert scores.scores["f1"] == pytest.approx(100 * (1 + 0.5 + 1) / 3)
    with pytest.raises(
        UserError, match=r"2 predictions without ids for 3 examples of .*: without ids there must be one"
    ):
        pipelines.score_predictions(TASK, write_rows(predictions_file, bare[:2]), data=data)


def test_rows_of_ones_own_need_only_id_and_prediction_and_the_data(predictions_file: Path, data: Path) -> None:
    rows = [{"id": row["id"], "prediction": row["prediction"]} for row in PREDICTIONS]
    scores = pipelines.score_predictions(TASK, write_rows(predictions_file, rows), data=data)
    assert scores.scores["f1"] == pytest.approx(100 * (1 + 0.5 + 1) / 3)
    with pytest.raises(UserError, match=r"has no labels: give the benchmark's data, --data PATH"):
        pipelines.score_predictions(TASK, predictions_file)
    mixed = [*rows, {"prediction": "x"}]
    with pytest.raises(UserError, match=r"jsonl:4: this row has no id, but others have one: give every row an id"):
        pipelines.score_predictions(TASK, write_rows(predictions_file, mixed), data=data)


def test_the_predictions_of_a_run_are_scored_by_its_references(predictions_file: Path) -> None:
    rows = [{"id": "a", "document": "d", "prediction": "the gull", "references": ["a gull"]}]
    assert pipelines.score_predictions("narrativeqa", write_rows(predictions_file, rows), metrics="f1").scores == {
        "f1": 100
    }


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is empty"),
        ("[]", "holds no predictions"),
        ('{"id": 0, "prediction": "a", "ground_truth": ["a"]}\n{"id": 1, "predic', "2: the file ends in the middle"),
        ('{"id": 0, "output": "a"}', r"expected ∞Bench's predictions .*, found id, output"),
        ('{"id": 0, "prediction": ["a"], "ground_truth": ["a"]}', "prediction must be text, got list"),
        (
            '{"book_title": "x", "claim": "y", "type": true, "index": 1, "response-a": "TRUE"}',
            r"these are NoCha's claims with responses .*: longdoc score nocha FILE",
        ),
    ],
)
def test_files_that_are_no_predictions_are_refused_in_one_line(
    predictions_file: Path, content: str, problem: str
) -> None:
    predictions_file.write_text(content)
    with pytest.raises(UserError, match=problem) as caught:
        pipelines.score_predictions(TASK, predictions_file)
    assert "\n" not in str(caught.value)


def test_a_split_without_data_is_refused(predictions_file: Path) -> None:
    with pytest.raises(UserError, match="give data=PATH too"):
        pipelines.score_predictions(TASK, write_rows(predictions_file, PREDICTIONS), split="validation")


def test_several_files_give_a_table_and_a_plain_object(predictions_file: Path, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    other = write_rows(tmp_path / "b" / predictions_file.name, [{**row, "prediction": ""} for row in PREDICTIONS])
    table = pipelines.score_prediction_files(TASK, [write_rows(predictions_file, PREDICTIONS), other])
    assert [one.scores["f1"] for one in table.systems] == [pytest.approx(83.33, abs=0.01), 0]
    record = table.to_dict()["systems"][1]
    assert (record["system"], record["scores"], record["predictions"]) == ("b", {"f1": 0}, 3)
    assert json.loads(json.dumps(record)) == record


def test_a_file_in_the_layout_of_another_benchmark_is_named_where_it_has_no_labels(predictions_file: Path) -> None:
    with pytest.raises(UserError, match=r"preds_\w+.jsonl: these are ∞Bench's predictions .* has no labels: "):
        pipelines.score_predictions("nocha", write_rows(predictions_file, PREDICTIONS))


def test_a_folder_and_a_file_of_another_task_are_named(predictions_file: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder: give the files of predictions in it"):
        pipelines.score_predictions(TASK, tmp_path)
    other = write_rows(tmp_path / "preds_longbook_choice_eng.jsonl", PREDICTIONS)
    assert pipelines.score_predictions(TASK, other).warnings == (
        "preds_longbook_choice_eng.jsonl is scored as infinitebench/en_qa, but is named like infinitebench/en_mc",
    )


def test_published_data_that_do_not_exist_are_refused(predictions_file: Path) -> None:
    rows = [{"id": "1-true", "prediction": "TRUE"}]
    with pytest.raises(UserError, match="the task nocha has no published files; pass data=FILE or data=FOLDER"):
        pipelines.score_predictions("nocha", write_rows(predictions_file, rows), data="published")


def test_examples_of_a_single_document_say_nothing_of_others_and_decide_no_gate(tmp_path: Path) -> None:
    rows = [
        {"id": str(n), "document": "Anna came.", "question": f"Who came, {n}?", "answers": ["Anna"]} for n in range(12)
    ]
    data = write_rows(tmp_path / "rows.jsonl", rows)
    files = [
        write_rows(tmp_path / f"{text}.jsonl", [{"id": str(n), "prediction": text} for n in range(12)])
        for text in ("Anna", "Tom")
    ]
    note = "there is only one document: intervals are over its examples, and say nothing about other documents"
    single = pipelines.score_predictions("qa", files[0], data=data, metrics="f1")
    table = pipelines.score_prediction_files("qa", files, data=data, metrics="f1")
    assert single.scores.intervals and str(single).count(note) == str(table).count(note) == 1
    runs = [
        pipelines.run("qa", data=data, model=reader, metrics="f1", out=tmp_path / reader, report=False)
        for reader in ("extractive", "lead")
    ]
    comparison = pipelines.compare(*runs, fail_if=["f1 < baseline - 1", "f1 < 90"])
    assert note in comparison.warnings and [gate.verdict for gate in comparison.gates] == ["in doubt"] * 2
    assert comparison.differences == {} or comparison.differences["f1"].interval is not None
