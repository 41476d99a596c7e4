"""Every task: a run, and the run made again by the arguments that its folder keeps, are equal byte for byte."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import pipelines
from models import Classify, Compare, Reader, Reply
from pipelines import tasks

TEXT = "\n\n".join(f"Paragraph {i}: Room{i} holds chest {i * 7 % 11}." for i in range(6))
OPTIONS = [f"chest {i}" for i in range(4)]
FILES = ("predictions.jsonl", "scores.json", "requests.jsonl")
QUICK = (
    "narrativeqa",
    "style_change",
    "classify",
    "chunking_evaluation",
    "loogle/shortdep_cloze",
)
ANSWERS: dict[str, str] = {
    "zero_scrolls/quality": "B",
    "zero_scrolls/space_digest": "45%",
    "zero_scrolls/book_sum_sort": "1, 2",
    "longbench/passage_retrieval_en": "Paragraph 2",
    "longbench/passage_retrieval_zh": "段落2",
    "loogle/shortdep_cloze": json.dumps({"<mask-0>": "chest 7"}),
    **dict.fromkeys(("leval/coursera", "leval/quality", "leval/tpo"), "B"),
    "leval/sci_fi": "True [fact: False]",
    "nocha": "TRUE",
    "babilong": "kitchen",
}


@dataclass(frozen=True)
class Guesses(Reader):
    """Compares and classifies by lengths of texts."""

    supports = frozenset({Compare, Classify})
    labels: tuple[str, ...] | None = None
    max_input_tokens: int | None = None

    def count(self, texts: Any) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Any) -> list[Reply]:
        return [Reply(self._value(request), tokens_in=1) for request in requests]

    def _value(self, request: Any) -> Any:
        if isinstance(request, Compare):
            return tuple((a + b) % 3 / 2 for a, b in request.pairs)
        labels = self.labels or ("yes", "no")
        return {label: float(place == 0) for place, label in enumerate(labels)}


def model_of(name: str) -> Any:
    """A reader without weights that answers what the task's strategy asks."""
    task = tasks.all_tasks()[name]
    needs = pipelines.strategies.get(task.strategy).needs
    if not needs:
        return "none"
    return Guesses(tuple(task.labels) or None) if needs & {Compare, Classify} else "naive"


# Tasks whose references are letters take these from their own layouts only: in own rows a letter becomes its text.
LETTERED_FIELDS: dict[str, dict[str, Any]] = {
    "infinitebench/en_mc": {"input": "What?", "context": TEXT, "options": OPTIONS, "answer": ["chest 1", "B"]},
    "longbench_v2": {"context": TEXT, "answer": "B", "difficulty": "easy", "length": "short"}
    | {f"choice_{letter}": option for letter, option in zip("ABCD", OPTIONS, strict=True)},
}


def write_rows(name: str, file: Path) -> Path:
    """Two examples about one document."""
    labels = tasks.all_tasks()[name].labels
    answer = ANSWERS.get(name, labels[0] if labels else "chest 7")
    options = {"options": OPTIONS} if name in TASKS_WITH_OPTIONS else {}
    fields = LETTERED_FIELDS.get(name, {"document": TEXT, "answers": [answer], **options})
    rows = [{"id": f"q{i}", "_id": f"q{i}", "question": f"What does Room{i} hold?", **fields} for i in (1, 2)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


TASKS_WITH_OPTIONS = ("longbench/trec", "longbench/lsht")


def task_params() -> list[Any]:
    """All tasks; all but a few are marked slow."""
    marks = {True: (), False: (pytest.mark.slow,)}
    return [pytest.param(name, marks=marks[name in QUICK]) for name in tasks.all_tasks()]


@pytest.mark.parametrize("name", task_params())
def test_a_run_made_again_by_its_own_arguments_is_equal_byte_for_byte(name: str, tmp_path: Path) -> None:
    model = model_of(name)
    arguments = {"data": write_rows(name, tmp_path / "rows.jsonl"), "model": model, "report": False}
    first = pipelines.run(name, out=tmp_path / "first", **arguments)
    changes = {} if isinstance(model, str) else {"model": model}
    again = pipelines.rerun(tmp_path / "first", out=tmp_path / "again", **changes)
    assert first.examples == again.examples == 2
    for file in FILES:
        assert (tmp_path / "again" / file).read_bytes() == (tmp_path / "first" / file).read_bytes(), file
    resumed = pipelines.rerun(tmp_path / "first", **changes)
    assert (resumed.new_requests, resumed.resumed) == (0, 2)
    assert pipelines.verify(tmp_path / "again", **changes).agrees
