"""LongBench v2's rows, one JSON list."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources
from pipelines.benchmarks.longbench_v2.tasks import DATASET


def row(name: str, **more: Any) -> dict[str, Any]:
    fields = {
        "_id": name,
        "domain": "Single-Document QA",
        "sub_domain": "Novel",
        "difficulty": "hard",
        "length": "short",
    }
    choices = {"choice_A": "bees", "choice_B": "bees and goats", "choice_C": "goats ", "choice_D": "nothing"}
    return {**fields, "question": " What did she keep?\n", **choices, "answer": "B", "context": "\nAnna woke. ", **more}


def load(folder: Path, *rows: Any) -> sources.Dataset:
    (folder / "data.json").write_text(json.dumps(rows))
    return sources.load("longbench_v2", DATASET, folder)


def test_choices_are_options_and_the_letter_is_the_reference_without_white_space_around(tmp_path: Path) -> None:
    one, two = load(tmp_path, row("q0"), row("q1", answer="D ")).examples()
    assert (one.id, one.query, one.document.text, one.references) == ("q0", "What did she keep?", "Anna woke.", ("B",))
    assert one.options == ("bees", "bees and goats", "goats", "nothing")
    assert one.meta == {
        "difficulty": "hard",
        "length": "short",
        "domain": "Single-Document QA",
        "sub_domain": "Novel",
        "options_text": "(A) bees\n(B) bees and goats\n(C) goats\n(D) nothing",
    }
    assert (two.references, two.document) == (("D",), one.document)
    assert two.document is one.document


def test_the_hub_s_file_is_read_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from models import hub

    (tmp_path / "data.json").write_text(json.dumps([row("q0")]))
    requests = []

    def file(repository: str, name: str, revision: str | None = None) -> hub.Fetched:
        requests.append((repository, name))
        return hub.Fetched(tmp_path / name, "0")

    monkeypatch.setattr(hub, "file", file)
    dataset = sources.load("longbench_v2", DATASET)
    assert [one.id for one in dataset.examples()] == ["q0"]
    assert requests == [("zai-org/LongBench-v2", "data.json")]
    assert dataset.warnings == ["1 example read where the paper's table counts 503"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (row("b", answer="b"), "the answer must be a letter A to D, got 'b'"),
        (row("b", answer="bees"), "the answer must be a letter A to D, got 'bees'"),
        (row("b", context=" "), "the document is empty"),
        (
            {"_id": "b", "input": "?", "context": "x", "answers": ["B"]},
            "expected LongBench v2's rows .*found _id, input, co",
        ),
    ],
)
def test_a_row_that_cannot_be_read_is_named(tmp_path: Path, bad: dict[str, Any], message: str) -> None:
    reading = load(tmp_path, row("a"), bad).examples()
    assert next(reading).id == "a"
    with pytest.raises(UserError, match=rf"data.json:1: {message}"):
        next(reading)
