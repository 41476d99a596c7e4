"""SQuALITY's stories: one example per question, one reference per response."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources

DATASETS = sources.DatasetInfo("", {}, "squality", {})
STORY: dict[str, Any] = {
    "metadata": {"passage_id": "52844", "uid": "x", "license": "free"},
    "document": "The Mill\n\nAnna – «née» K. – built it.",
    "questions": [
        {
            "question_text": "What is the plot? ",
            "question_number": 1,
            "responses": [{"worker_id": "6", "response_text": "A mill.\n\nBuilt."}, {"response_text": "Anna’s mill."}],
        },
        {"question_text": "Who is Anna?", "question_number": 2, "responses": []},
    ],
}


def load(path: Path, rows: list[dict[str, Any]], split: str = "validation") -> sources.Dataset:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return sources.load("t", DATASETS, path, split)


def test_every_response_is_a_reference_of_its_question(tmp_path: Path) -> None:
    plot, who, other, _ = load(tmp_path / "dev.jsonl", [STORY, {**STORY, "document": "Another."}]).examples()
    assert plot.document is who.document
    assert plot.document.text == STORY["document"]
    assert plot.document.meta == {"passage_id": "52844"}
    assert (plot.id, plot.query) == ("validation-1-1", "What is the plot?")
    assert plot.references == ("A mill.\n\nBuilt.", "Anna’s mill.")
    assert (who.references, other.id) == ((), "validation-2-1")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"document": None},
            "dev.jsonl:2: a story needs document and questions .*; found metadata, document, questions",
        ),
        ({"questions": [{"question": "x"}]}, "dev.jsonl:2: a story needs document and questions with question_text"),
        ({"document": " \n"}, "dev.jsonl:2: the document is empty"),
        (
            {"questions": [{"question_text": "x", "responses": ["y"]}]},
            "dev.jsonl:2, question 1: responses must be a list",
        ),
    ],
)
def test_a_malformed_story_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    reading = load(tmp_path / "dev.jsonl", [STORY, {**STORY, **change}]).examples()
    next(reading), next(reading)
    with pytest.raises(UserError, match=message):
        next(reading)


@pytest.mark.parametrize(("split", "stories"), [("validation", 25), ("train", 50)])
def test_the_real_stories_have_five_questions_with_four_references_each(
    realdata: Path, split: str, stories: int
) -> None:
    data = sources.load("t", DATASETS, realdata / "squality", split)
    examples = list(data.examples())
    assert data.warnings == []
    assert (len(examples), len({one.document.id for one in examples})) == (5 * stories, stories)
    assert {len(one.references) for one in examples} == {4}
    assert {one.query for one in examples[::5]} == {"What is the plot of the story?"}
    first_documents = {"validation": ("76c4918cf3a61596", 25_252), "train": ("c2296b27804d6827", 38_273)}
    assert (examples[0].document.id, len(examples[0].document.text)) == first_documents[split]
