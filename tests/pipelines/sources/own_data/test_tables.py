"""`datasets` as data: its columns in every layout, its splits."""

from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources
from pipelines.benchmarks.muld.tasks import DATASETS

datasets = pytest.importorskip("datasets")
OWN = [{"document": "Anna came.", "question": "Who?", "answers": ["Anna"]}] * 2


def load(data: Any, task: str = "narrativeqa", split: str = "test") -> sources.Dataset:
    return sources.load(task, DATASETS[task], data, split)


def test_own_columns_are_read(tmp_path: Path) -> None:
    data = load(datasets.Dataset.from_list(OWN))
    first, second = data.examples()
    assert (first.id, second.id, first.query, first.references) == ("test-1", "test-2", "Who?", ("Anna",))
    assert first.document is second.document
    assert data.fingerprint["rows"] == 2
    assert data.expected is None


def test_muld_s_columns_are_read() -> None:
    rows = [{"input": "Who came? Anna came.", "output": ["Anna"]}]
    (example,) = load(datasets.Dataset.from_list(rows)).examples()
    assert (example.query, example.document.text, example.references) == ("Who came?", "Anna came.", ("Anna",))


def test_hotpotqa_s_columns_are_read() -> None:
    row = {
        "id": "5a",
        "question": "Who?",
        "answer": "Anna",
        "supporting_facts": {"title": ["A"], "sent_id": [0]},
        "context": {"title": ["A"], "sentences": [["Anna came."]]},
    }
    (example,) = load(datasets.Dataset.from_list([row]), "hotpotqa", "validation").examples()
    assert (example.id, example.document.text, example.evidence) == ("5a", "A\nAnna came.", ((2, 12),))


def test_the_split_is_taken_by_any_of_its_names() -> None:
    both = datasets.DatasetDict({"train": datasets.Dataset.from_list(OWN), "dev": datasets.Dataset.from_list(OWN[:1])})
    assert [one.id for one in load(both, split="validation").examples()] == ["validation-1"]
    with pytest.raises(UserError, match="the DatasetDict has no split 'test'; it has train, dev"):
        load(both)


def test_rows_of_no_layout_and_relative_paths_are_refused() -> None:
    with pytest.raises(UserError, match="row 1: the task narrativeqa cannot read this row; its fields: a"):
        load(datasets.Dataset.from_list([{"a": 1}]))
    with pytest.raises(UserError, match="the dataset has no rows"):
        load(datasets.Dataset.from_list(OWN).select([]))
    relative = datasets.Dataset.from_list([{"document_path": "a.txt", "question": "Who?"}])
    with pytest.raises(UserError, match=r"row 1: the document_path 'a.txt' must be absolute"):
        list(load(relative).examples())
