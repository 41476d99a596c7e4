"""Files of predictions and references: the field that is read on each side, and what is not an output."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.sources.own_data.outputs import read_outputs


def write_rows(folder: Path, *rows: Any) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("field", ["references", "answers", "answer", "output"])
def test_a_row_with_both_is_a_prediction_on_one_side_and_references_on_the_other(field: str, tmp_path: Path) -> None:
    path = write_rows(tmp_path, {"id": "a", "prediction": "cat", field: ["dog", "hound"]})
    assert read_outputs(path, "predictions") == {"a": ("cat",)}
    assert read_outputs(path, "references") == {"a": ("dog", "hound")}


def test_rows_with_one_field_are_read_on_either_side(tmp_path: Path) -> None:
    path = write_rows(tmp_path, {"prediction": "cat"}, {"output": "dog"})
    assert read_outputs(path, "predictions") == read_outputs(path, "references") == [("cat",), ("dog",)]


@pytest.mark.parametrize("side", ["predictions", "references"])
@pytest.mark.parametrize("value", [None, [None], ["dog", None]])
def test_null_is_no_output(side: Any, value: Any, tmp_path: Path) -> None:
    path = write_rows(tmp_path, {"id": "a", "output": "cat"}, {"id": "b", "output": value})
    with pytest.raises(UserError, match=r"rows.jsonl:2: output is null, which cannot be scored"):
        read_outputs(path, side)


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ([None], [["B"]], "prediction 1 is None, not a text"),
        ({"a": "A", "b": 3}, {"a": ["A"], "b": ["B"]}, "prediction 2 is 3, not a text"),
        (["A"], [[None]], r"the references of prediction 1 must be texts, got \[None\]"),
        (["A"], [None], "the references of prediction 1 must be texts, got None"),
    ],
)
def test_a_value_that_is_no_text_is_refused_by_its_place(predictions: Any, references: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        pipelines.score("f1", predictions, references)


@pytest.mark.parametrize("side", ["predictions", "references"])
def test_nan_and_infinity_are_refused(tmp_path: Path, side: Any) -> None:
    field = side.removesuffix("s") if side == "predictions" else side
    with pytest.raises(UserError, match=rf"rows.jsonl:1: {field} is nan, not a text; leave the row out, or fill it in"):
        read_outputs(write_rows(tmp_path, {field: float("nan")}), side)
    with pytest.raises(UserError, match=rf"rows.jsonl:1: {field} is inf, not a text"):
        read_outputs(write_rows(tmp_path, {field: float("inf")}), side)


def test_a_number_is_the_text_that_says_it(tmp_path: Path) -> None:
    assert read_outputs(write_rows(tmp_path, {"prediction": 3}, {"prediction": 2.5}), "predictions") == [
        ("3",),
        ("2.5",),
    ]


@pytest.mark.parametrize("metric_or_task", ["bleu-1", "narrativeqa"])
@pytest.mark.parametrize("nothing", [[], {}])
def test_empty_predictions_and_references_are_refused(metric_or_task: str, nothing: Any) -> None:
    with pytest.raises(UserError, match="there is nothing to score: predictions and references are empty"):
        pipelines.score(metric_or_task, nothing, nothing)
