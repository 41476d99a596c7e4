"""The references of own rows: the first field with an answer, no reference, and questions without an answer."""

from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.records import NO_ANSWER
from pipelines.sources.own_data import row_references
from tests.turns import for_each

EMPTY = {"text": [], "answer_start": []}


def references_of(**fields: Any) -> tuple[str, ...]:
    values = {name: fields[name] for name in row_references.FIELDS if fields.get(name) is not None}
    return row_references.references_of(fields, values, "rows.jsonl:1")


@for_each(
    ("fields", "references"),
    [
        ({"answers": [], "answer": "Bergen"}, ("Bergen",)),
        ({"answers": "", "answer": " ", "references": ["Oslo", ""]}, ("Oslo",)),
        ({"answers": ["Oslo"], "answer": "Bergen"}, ("Oslo",)),
        ({"answers": EMPTY, "answer": "Bergen"}, ("Bergen",)),
        ({"answers": {"text": ["Oslo", "in Oslo"], "answer_start": [3, 0]}}, ("Oslo", "in Oslo")),
        ({"answers": []}, ()),
        ({}, ()),
        ({"answers": {"text": []}}, ()),
        ({"answers": [], "unanswerable": False}, ()),
        ({"answers": EMPTY, "unanswerable": False}, ()),
        ({"answers": EMPTY}, NO_ANSWER),
        ({"unanswerable": True}, NO_ANSWER),
        ({"answers": [], "is_impossible": True, "plausible_answers": ["Oslo"]}, NO_ANSWER),
        ({"answers": ["Unanswerable"], "unanswerable": True}, NO_ANSWER),
        ({"unanswerable": "True"}, NO_ANSWER),
        ({"unanswerable": "", "answer": "Oslo"}, ("Oslo",)),
    ],
)
def test_the_first_field_that_holds_an_answer_counts_and_a_bare_empty_list_is_no_reference(
    fields: dict[str, Any], references: tuple[str, ...]
) -> None:
    assert references_of(**fields) == references


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"unanswerable": True, "answer": "Oslo"}, "rows.jsonl:1: unanswerable is true, but answer has an answer"),
        ({"unanswerable": "perhaps"}, "rows.jsonl:1: unanswerable must be true or false, got 'perhaps'"),
        ({"answers": {"text": [True]}}, r"rows.jsonl:1: answers.text is true, not a text"),
        ({"answers": {"start": 3}}, "rows.jsonl:1: answers must be text, got dict"),
    ],
)
def test_contradictory_and_malformed_answers_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        references_of(**fields)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("['May 2031', 'in May']", ["May 2031", "in May"]),
        ("""['May', "Anna's", 'a \\\\ b']""", ["May", "Anna's", "a \\ b"]),
        ("['May']", ["May"]),
        ("[May, June]", "[May, June]"),
        ("['May', 5]", "['May', 5]"),
        ("['May'] or June", "['May'] or June"),
        ("[['May']]", "[['May']]"),
    ],
)
def test_a_cell_may_hold_a_list_of_texts_as_pandas_writes_it(cell: str, value: Any) -> None:
    assert row_references.cell_value("answers", cell) == value
