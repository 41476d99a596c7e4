"""BABILong's rows, and runs on them."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from models import Generate, Reader, Reply
from pipelines import sources
from pipelines.benchmarks.babilong.tasks import TASKS

TEXT = "It was a cold night. Anna went to the kitchen. The sea was loud. Anna went to the garden. Nobody slept."
ROWS = (
    {"input": TEXT, "question": "Where is Anna? ", "target": "garden"},
    {"input": TEXT, "question": "Where was Anna before the garden?", "target": "kitchen"},
)


def write(file: Path, *rows: dict[str, Any]) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def examples(path: Path) -> list[Any]:
    return list(sources.load("babilong", TASKS[0].dataset, path).examples())


@pytest.mark.parametrize("name", ["qa3_8k.jsonl", "qa3/0k.jsonl"])
def test_rows_share_their_text_and_the_name_says_the_task(name: str, tmp_path: Path) -> None:
    first, second = examples(write(tmp_path / name, *ROWS))
    assert (first.id, first.query, first.references) == ("test-1", "Where is Anna?", ("garden",))
    assert (first.meta, second.meta) == ({"task": "qa3"}, {"task": "qa3"})
    assert second.document is first.document


def test_a_field_says_the_task_before_the_name(tmp_path: Path) -> None:
    (example,) = examples(write(tmp_path / "qa3.jsonl", {**ROWS[0], "task": "qa1"}))
    assert example.meta == {"task": "qa1"}


def test_yes_and_no_need_a_task(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"rows.jsonl:1: qa6, qa9 and qa10 answer yes or no.*a field task \(\"qa6\"\)"):
        examples(write(tmp_path / "rows.jsonl", {**ROWS[0], "target": "no"}))


class RecordingReader(Reader):
    """A chat model that keeps its prompts and always gives the same answer."""

    supports = frozenset({Generate})
    is_chat = True
    max_input_tokens = None

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def count(self, texts: Any) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Any) -> list[Reply]:
        self.prompts += [request.prompt.text for request in requests]
        return [Reply("Anna is in the garden.") for _ in requests]


def test_a_file_is_run_and_scored_with_a_chat_model_and_without_weights(tmp_path: Path) -> None:
    data, reader = write(tmp_path / "qa1.jsonl", *ROWS), RecordingReader()
    chat_run = pipelines.run("babilong", data=data, model=reader, out=tmp_path / "chat", report=False)
    assert chat_run.scores == {"babilong_accuracy": 50.0}
    assert len(reader.prompts) == 2
    assert TEXT in reader.prompts[0]
    selection = {"chunker": "sentences:size=8", "retriever": "bm25", "k": 1}
    lead_run = pipelines.run("babilong", data=data, model="lead", out=tmp_path / "lead", report=False, **selection)
    assert lead_run.scores == {"babilong_accuracy": 0.0}
    assert lead_run.examples == 2
