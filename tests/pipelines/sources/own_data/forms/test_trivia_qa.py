"""TriviaQA's rows: pages of Wikipedia and of the web, an answer and its aliases."""

from collections.abc import Callable
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.records import Example

Rows = Callable[..., list[Example]]
ROW: dict[str, Any] = {
    "question": "Which river flows through Köln?",
    "question_id": "tc_1",
    "question_source": "http://www.example.org/",
    "entity_pages": {
        "doc_source": ["TagMe", "TagMe"],
        "filename": ["Köln.txt", "Rhine.txt"],
        "title": ["Köln", "Rhine"],
        "wiki_context": ["Köln lies on the Rhine.", "The Rhine rises in the Alps."],
    },
    "search_results": {
        "description": ["…"],
        "filename": ["1.txt"],
        "rank": [1],
        "title": ["Travel"],
        "url": ["http://www.example.org/"],
        "search_context": ["Boats on the Rhein."],
    },
    "answer": {
        "aliases": ["Rhein", "Rhine", "River Rhine"],
        "matched_wiki_entity_name": "",
        "normalized_aliases": ["rhein", "rhine", "river rhine"],
        "normalized_value": "rhine",
        "type": "WikipediaEntity",
        "value": "Rhine",
    },
}
WIKI = "Köln\nKöln lies on the Rhine.\n\nRhine\nThe Rhine rises in the Alps."
EMPTY = {"title": [], "wiki_context": []}


def test_the_pages_are_one_document_and_the_aliases_are_references(read: Rows) -> None:
    (example,) = read(ROW)
    assert (example.id, example.query) == ("tc_1", "Which river flows through Köln?")
    assert example.document.text == f"{WIKI}\n\nTravel\nBoats on the Rhein."
    assert (example.references, example.evidence) == (("Rhine", "Rhein", "River Rhine"), ())


def test_pages_may_be_a_list_of_objects_and_either_kind_alone(read: Rows) -> None:
    pages = [{"title": "Köln", "wiki_context": "Köln lies on the Rhine."}]
    web = {name: value for name, value in ROW.items() if name != "entity_pages"}
    first, second = read(
        {**ROW, "entity_pages": pages, "search_results": []}, {**ROW, "question_id": "tc_2", "entity_pages": EMPTY}
    )
    assert first.document.text == "Köln\nKöln lies on the Rhine."
    assert second.document.text == "Travel\nBoats on the Rhein."
    assert read(web)[0].document.text == "Travel\nBoats on the Rhein."


def test_the_test_split_s_unknown_answer_is_no_reference(read: Rows) -> None:
    (example,) = read({**ROW, "answer": {"aliases": [], "value": "<unk>"}})
    assert example.references == ()


def test_rows_of_the_configurations_without_texts_are_refused(read: Rows) -> None:
    with pytest.raises(
        UserError, match=r"rows.jsonl:1: `entity_pages.wiki_context` and .* have no text; .* rc or unfiltered"
    ):
        read({**ROW, "entity_pages": EMPTY, "search_results": {"title": [], "search_context": []}})
