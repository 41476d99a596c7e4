"""LongBench's rows, out of its one zip and from copies in Parquet."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources, tasks


def row(name: str, question: str | None = "Who?", context: Any = "Anna woke.", **more: Any) -> dict[str, Any]:
    fields = {"input": question, "context": context, "answers": ["Anna", "She"], "length": 2, "dataset": "qasper"}
    return {**fields, "language": "en", "all_classes": None, "_id": name, **more}


def load(folder: Path, task: str, *rows: Any) -> sources.Dataset:
    with zipfile.ZipFile(folder / "data.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in (task, f"{task}_e"):
            task_rows = rows if name == task else [row("other")]
            archive.writestr(f"data/{name}.jsonl", "".join(json.dumps(one) + "\n" for one in task_rows))
    return sources.load(f"longbench/{task}", tasks.get(f"longbench/{task}").dataset, folder / "data.zip")


def test_all_answers_are_references_and_the_id_is_the_rows(tmp_path: Path) -> None:
    one, two = load(tmp_path, "qasper", row("f0"), row("f1", "When?")).examples()
    assert (one.id, one.query, one.document.text, one.references) == ("f0", "Who?", "Anna woke.", ("Anna", "She"))
    assert one.meta == {"dataset": "qasper", "language": "en", "length": 2}
    assert (two.query, one.options) == ("When?", ())
    assert two.document is one.document


@pytest.mark.parametrize("nothing", ["", None])
def test_summaries_have_no_question(tmp_path: Path, nothing: str | None) -> None:
    (one,) = load(tmp_path, "gov_report", row("g", nothing, answers=["A summary."])).examples()
    assert (one.query, one.references) == ("", ("A summary.",))


def test_a_copy_in_parquet_has_its_question_in_the_field_question(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    copied_row = row("f0", all_classes=["yes", "no"])
    copied_row["question"] = copied_row.pop("input")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([copied_row]), tmp_path / "test.parquet")
    (one,) = sources.load("longbench/qasper", tasks.get("longbench/qasper").dataset, tmp_path).examples()
    assert (one.query, one.references, one.options) == ("Who?", ("Anna", "She"), ("yes", "no"))


def test_the_unpacked_zip_is_read_from_its_folder_and_from_the_one_in_it(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in ("qasper", "qasper_e", "hotpotqa"):
        (tmp_path / "data" / f"{name}.jsonl").write_text(json.dumps(row(name)) + "\n")
    for folder in (tmp_path, tmp_path / "data"):
        assert [
            one.id for one in sources.load("longbench/qasper", tasks.get("longbench/qasper").dataset, folder).examples()
        ] == ["qasper"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (row("b", " "), "the row needs a question in 'input'; found input, context"),
        (row("b", context=None), "the row needs a text 'context'"),
        (row("b", context=" "), "the document is empty"),
        (row("b", answers=[{"text": "Anna"}]), "answers must be text, got dict"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(tmp_path: Path, bad: dict[str, Any], message: str) -> None:
    reading = load(tmp_path, "qasper", row("a"), bad).examples()
    assert next(reading).id == "a"
    with pytest.raises(UserError, match=rf"data.zip::data/qasper.jsonl:2: {message}"):
        next(reading)
