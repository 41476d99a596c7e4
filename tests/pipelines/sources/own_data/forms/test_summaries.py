"""Texts with their summary or class, by the names that sets of the hub use."""

from collections.abc import Callable

import pytest

from longdoc.errors import UserError
from pipelines.records import Example

Rows = Callable[..., list[Example]]
PAIRS = [
    ("document", "summary"),
    ("article", "highlights"),
    ("article", "abstract"),
    ("dialogue", "summary"),
    ("report", "summary"),
    ("text", "summary"),
    ("description", "abstract"),
]


@pytest.mark.parametrize(("text", "summary"), PAIRS)
def test_a_pair_is_a_document_with_its_reference(read: Rows, text: str, summary: str) -> None:
    (example,) = read({"id": "a", text: "Anna – «née» Berg – sang.", summary: "Anna sang."}, task="scrolls/gov_report")
    assert (example.id, example.document.text) == ("a", "Anna – «née» Berg – sang.")
    assert (example.query, example.references) == ("", ("Anna sang.",))


def test_a_text_with_its_class_is_an_example_of_the_task_classify(read: Rows) -> None:
    first, second = read({"text": "Anna sang.", "label": 0}, {"text": "Bo ran.", "label": "run"}, task="classify")
    assert [(one.document.text, one.references) for one in (first, second)] == [
        ("Anna sang.", ("0",)),
        ("Bo ran.", ("run",)),
    ]


@pytest.mark.parametrize(("text", "summary"), PAIRS)
def test_a_task_with_questions_refuses_pairs_and_names_tasks_without(read: Rows, text: str, summary: str) -> None:
    with pytest.raises(
        UserError, match=r"rows.jsonl:1: .* question.*[.;] [Aa]dd a field `question`, or run a task without"
    ):
        read({text: "Anna sang.", summary: "She sang."})
