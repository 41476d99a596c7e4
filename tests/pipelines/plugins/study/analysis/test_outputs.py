"""The outputs of a run's model."""

from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError
from models import Generate, Reader, Reply
from pipelines.plugins.study.analysis.outputs import cannot_answer
from pipelines.records import Document, Example


class ScriptedReader(Reader):
    """A reader whose reply is the question's text before the bar."""

    supports = frozenset({Generate})

    def count(self, texts: list[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: list[Generate]) -> list[Reply]:
        return [Reply(str(request.prompt.text).partition("|")[0]) for request in requests]  # type: ignore[union-attr]


def run(folder: Path, task: str, *replies: str, references: tuple[str, ...] = ("one two",)) -> Path:
    document = Document("d", "a text")
    rows = [Example(str(i), document, f"{text}|", references) for i, text in enumerate(replies)]
    pipelines.run(task, data=rows, model=ScriptedReader(), prompt="{query}{document}", out=folder)
    return folder


def test_lengths_are_compared_with_the_references(tmp_path: Path) -> None:
    outputs = pipelines.outputs(run(tmp_path / "run", "scrolls/qasper", "", "one", "one two", "one two three four"))
    assert outputs.values == {"outputs": [0, 1, 2, 4], "references": [2] * 4}
    assert (outputs.empty, outputs.shorter, outputs.longer) == (25.0, 50.0, 25.0)
    assert outputs.to_dict()["lengths"]["outputs"]["median"] == 1.5
    assert "   50.0% shorter, 25.0% longer than 90% of the references" in str(outputs)


def test_malformed_outputs_are_the_metric_s_own_count(tmp_path: Path) -> None:
    outputs = pipelines.outputs(
        run(tmp_path / "run", "zero_scrolls/space_digest", "40%", "many", "4 %", "7.5%", references=("40%",))
    )
    assert outputs.malformed == {"no_percentage": 50.0}
    assert "50.0% malformed: no percentage" in str(outputs)


def test_without_references_the_comparisons_with_them_are_none(tmp_path: Path) -> None:
    outputs = pipelines.outputs(run(tmp_path / "run", "scrolls/qasper", "unanswerable", "Anna", references=()))
    assert (outputs.shorter, outputs.longer, outputs.references_cannot_answer) == (None, None, None)
    assert outputs.cannot_answer == 50.0
    assert "references" not in outputs.quantiles


def test_references_that_say_there_is_no_answer_are_counted(tmp_path: Path) -> None:
    outputs = pipelines.outputs(run(tmp_path / "run", "scrolls/qasper", "Anna", references=("Anna", "Unanswerable")))
    assert (outputs.cannot_answer, outputs.references_cannot_answer) == (0.0, 100.0)


def test_an_option_of_the_task_does_not_count(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", "contract_nli", "Not mentioned", "not answerable", references=("Not mentioned",))
    assert pipelines.outputs(folder).cannot_answer == 50.0


@pytest.mark.parametrize(
    "text",
    [
        "Unanswerable.", "I don't know.", "Not specified", "The passage does not mention her name.",
        "It cannot be determined from the excerpt.", "I am unable to answer this question.",
        "There is not enough information to say.", "Her age is not stated in the given text.",
    ],
)  # fmt: skip
def test_texts_that_say_there_is_no_answer_are_recognized(text: str) -> None:
    assert cannot_answer(text)


@pytest.mark.parametrize(
    "text", ["", "No", "He did not know the man.", "I don't know what he wanted, said Anna.", "An unknown soldier"]
)
def test_other_answers_are_not_recognized(text: str) -> None:
    assert not cannot_answer(text)


def test_a_folder_without_a_finished_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a run's folder"):
        pipelines.outputs(tmp_path)
    folder = run(tmp_path / "run", "scrolls/qasper", "x")
    (folder / "predictions.jsonl").unlink()
    with pytest.raises(UserError, match="is not finished: start it again"):
        pipelines.outputs(folder)
