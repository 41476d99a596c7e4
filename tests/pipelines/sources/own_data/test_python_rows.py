"""Rows that Python holds as data: lists of dicts, pandas and polars frames."""

from pathlib import Path
from typing import Any

import pytest

import longdoc
from longdoc.errors import UserError
from pipelines import sources
from pipelines.benchmarks.muld.tasks import DATASETS
from pipelines.records import Document, Example
from pipelines.sources.own_data import python_tables

OWN = [
    {"id": "a", "document": "Anna came. Bo slept.", "question": "Who came?", "answers": ["Anna"]},
    {"id": "b", "document": "Anna came. Bo slept.", "question": "Who slept?", "answers": ["Bo", "Boris"]},
]


def load(data: Any, task: str = "narrativeqa") -> sources.Dataset:
    return sources.load(task, DATASETS[task], data)


def frame(library: str) -> Any:
    return pytest.importorskip(library, reason=f"{library} is not installed").DataFrame(OWN)


def rows_in(form: str) -> Any:
    return {"list": lambda: OWN, "tuple": lambda: tuple(OWN)}.get(form, lambda: frame(form))()


@pytest.mark.parametrize("form", ["list", "tuple", "pandas", "polars"])
def test_rows_in_python_are_read_as_those_of_a_file(form: str) -> None:
    data = load(rows_in(form))
    first, second = data.examples()
    assert (first.id, first.query, first.references) == ("a", "Who came?", ("Anna",))
    assert (second.id, second.query, second.references) == ("b", "Who slept?", ("Bo", "Boris"))
    assert first.document is second.document
    assert data.layout == "rows"


@pytest.mark.parametrize("form", ["list", "pandas", "polars"])
def test_a_run_takes_such_rows_and_cannot_be_rerun_without_them(form: str, tmp_path: Path) -> None:
    result = longdoc.run("qa", data=rows_in(form), model="extractive", out=tmp_path / "run", report=False)
    assert [one.references for one in result.predictions] == [("Anna",), ("Bo", "Boris")]
    with pytest.raises(UserError, match="2 rows given in Python"):
        longdoc.rerun(tmp_path / "run")


def test_the_same_rows_have_the_same_fingerprint_and_others_another() -> None:
    reordered = [dict(reversed(row.items())) for row in OWN]
    first, again = load(OWN).fingerprint, load(reordered).fingerprint
    assert (first["rows"], first) == (2, again)
    assert load([OWN[0], {**OWN[1], "answers": ["Bo"]}]).fingerprint["sha256"] != first["sha256"]


def test_muld_s_columns_are_read_too() -> None:
    (example,) = load([{"input": "Who came? Anna came.", "output": ["Anna"]}]).examples()
    assert (example.query, example.document.text, example.references) == ("Who came?", "Anna came.", ("Anna",))


def test_missing_cells_of_pandas_become_none_and_its_arrays_lists() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    numpy = pytest.importorskip("numpy")
    cells = {
        "a": [float("nan"), 1.5], "b": [pandas.NA, "x"], "c": [numpy.array(["Bo", "Boris"]), None],
        "d": [numpy.int64(3), numpy.int64(4)], "e": [pandas.NaT, {"text": numpy.array(["Bo"])}],
    }  # fmt: skip
    first, second = python_tables.table(pandas.DataFrame(cells, dtype=object), "test").data
    assert first == {"a": None, "b": None, "c": ["Bo", "Boris"], "d": 3, "e": None}
    assert second == {"a": 1.5, "b": "x", "c": None, "d": 4, "e": {"text": ["Bo"]}}


def test_a_row_with_a_wrong_field_is_named_by_its_number() -> None:
    with pytest.raises(UserError, match="data=, row 2"):
        list(load([OWN[0], {**OWN[1], "answers": 3.5, "document": 4}]).examples())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([OWN[0], "Anna"], "item 2 of data= is a str, not a dict; give dicts only"),
        ([Example("a", Document("d", "Text."), "Who?"), OWN[0]], "item 2 of data= is a dict, not an Example"),
        (dict(OWN[0]), "data= must be a path, a list of rows"),
        ([{"text": "Anna came."}], "data=, row 1"),
    ],
    ids=["a text", "examples and a row", "one row", "no layout"],
)
def test_data_other_than_a_list_of_rows_are_refused_in_a_line(data: Any, message: str) -> None:
    with pytest.raises(UserError, match=message.replace("(", "[(]")):
        list(load(data).examples())


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_without_rows_is_refused(library: str) -> None:
    with pytest.raises(UserError, match="data= has no rows"):
        load(frame(library)[:0])


def test_several_tasks_have_data_each() -> None:
    with pytest.raises(UserError, match="several tasks need data for each"):
        longdoc.pipelines.run_tasks("narrativeqa,hotpotqa", data=frame("pandas"))
