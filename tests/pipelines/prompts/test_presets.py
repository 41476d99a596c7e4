"""Prompts that models were trained with, by name."""

import pytest

import pipelines
from models.prompts import Part
from pipelines.prompts.presets import FAMILIES
from pipelines.records import Document, Example


def rendered(name: str, query: str) -> str:
    example = Example("a", Document("a", "Bees fly."), query=query)
    return FAMILIES[name].prompt.render(example, [Part("document", "Bees fly.", 0, 9)]).text


@pytest.mark.parametrize(
    ("name", "question", "summary"),
    [
        ("t5", "question: Who flies? context: Bees fly.", "summarize: Bees fly."),
        (
            "flan",
            "Read this and answer the question\n\nBees fly.\n\nWho flies?",
            "Write highlights for this article:\n\nBees fly.",
        ),
        ("unifiedqa", "Who flies? \\n Bees fly.", "Bees fly."),
        ("document", "Bees fly.", "Bees fly."),
    ],
)
def test_the_wording_is_the_published_one_with_and_without_a_query(name: str, question: str, summary: str) -> None:
    assert rendered(name, "Who flies?") == question
    assert rendered(name, "") == summary


def test_a_run_takes_a_prompt_by_name() -> None:
    prompt = pipelines.prompt("narrativeqa", "sample-01", data="sample", model="extractive", k=1, prompt="t5")
    assert prompt.text.startswith("question: ")
    assert " context: " in prompt.text
