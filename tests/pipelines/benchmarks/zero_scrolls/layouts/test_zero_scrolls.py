"""ZeroSCROLLS' rows: the document and the query by their places, and the parts that make up the prompt."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources
from pipelines.benchmarks.scrolls.layouts import scrolls
from pipelines.benchmarks.zero_scrolls.layouts import zero_scrolls
from pipelines.benchmarks.zero_scrolls.tasks import DATASETS

HEAD, STORY, LINK, CUE = "You get a story.\n\nStory:\n", "Anna – woke.\n\nShe left.", "\n\nQuestion:\n", "\n\nAnswer:\n"
NOTICE = "... [The rest is left out]\n\n"


def row(*parts: str, document: int = 1, query: int | None = 3, name: str = "a", **more: Any) -> dict[str, Any]:
    """A row of an input made of parts, two of which are the document and the query."""
    starts = [sum(map(len, parts[:n])) for n in range(len(parts) + 1)]
    query_span = (starts[query], starts[query + 1]) if query is not None else (starts[-1], starts[-1])
    return {
        "id": name,
        "pid": f"{name}_0",
        "input": "".join(parts),
        "output": None,
        "document_start_index": starts[document],
        "document_end_index": starts[document + 1],
        "query_start_index": query_span[0],
        "query_end_index": query_span[1],
        "truncation_seperator": NOTICE,
        **more,
    }


def load(folder: Path, task: str, *rows: Any) -> sources.Dataset:
    (folder / "test.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return sources.load(f"zero_scrolls/{task}", replace(DATASETS[task], originals=()), folder, "test")


def test_document_and_query_are_at_their_places_and_the_rest_is_kept(tmp_path: Path) -> None:
    (one,) = load(tmp_path, "narrative_qa", row(HEAD, STORY, LINK, "Who woke?", CUE)).examples()
    assert (one.id, one.query, one.document.text, one.references) == ("a", "Who woke?", STORY, ())
    assert one.meta == {
        "pid": ["a_0"],
        "before": HEAD,
        "after": LINK + "Who woke?" + CUE,
        "truncation": NOTICE,
        "query_in_after": [len(LINK), len(LINK) + 9],
        "inner": [],
    }


def test_before_document_and_after_are_the_input_to_the_letter_and_the_query_is_at_its_indices(
    tmp_path: Path,
) -> None:
    rows = [
        row(HEAD, STORY, LINK, "Who woke?", CUE, name="behind"),
        row("Question: ", "Who?", "\n\n", STORY, CUE, document=3, query=1, name="before"),
        row(HEAD, STORY, CUE, query=None, name="none"),
        row(HEAD, STORY, "Who?", query=2, name="touching"),
    ]
    examples = list(load(tmp_path, "qmsum", *rows).examples())
    for one, example in zip(rows, examples, strict=True):
        assert example.meta["before"] + example.document.text + example.meta["after"] == one["input"]
        for side in ("before", "after"):
            if span := example.meta.get(f"query_in_{side}"):
                assert example.meta[side][slice(*span)] == example.query
    assert [one.query for one in examples] == ["Who woke?", "Who?", "", "Who?"]
    assert [sorted(one.meta.keys() & {"query_in_before", "query_in_after"}) for one in examples] == [
        ["query_in_after"], ["query_in_before"], ["query_in_after"], ["query_in_after"],
    ]  # fmt: skip


def test_a_header_within_the_query_s_places_is_no_part_of_the_query(tmp_path: Path) -> None:
    query = "Question and Answers:\nWho: he?\n\n (A) Anna\n (B) Bert\n (C) Carla\n (D) Nobody"
    (one,) = load(tmp_path, "quality", row(HEAD, STORY, "\n\n", query, CUE)).examples()
    assert one.query == query.removeprefix("Question and Answers:\n")
    assert (one.meta["header"], one.meta["query_in_after"]) == ("Question and Answers:\n", [2, 2 + len(query)])
    assert one.meta["before"] + STORY + one.meta["after"] == HEAD + STORY + "\n\n" + query + CUE
    assert one.options == ("Anna", "Bert", "Carla", "Nobody")


@pytest.mark.parametrize(
    ("link", "query"),
    [
        ("\n\nQuestion:\n", "Tell me of:\nthe mill"),  # its header stands before it
        ("\n\n", "Who: Anna?"),
        ("\n\n", "Question:\n"),
        ("\n\n", "Who woke?\nSay: why?"),
    ],
)
def test_a_query_that_begins_otherwise_is_kept_whole(tmp_path: Path, link: str, query: str) -> None:
    (one,) = load(tmp_path, "qmsum", row(HEAD, STORY, link, query, CUE)).examples()
    assert one.query == query and "header" not in one.meta


def test_where_nothing_is_asked_the_places_are_the_response_header_s(tmp_path: Path) -> None:
    published_row = row(HEAD, STORY, "\n\n", "Summary:\n", query=None)
    published_row |= dict.fromkeys(("query_start_index", "query_end_index"), len(HEAD + STORY) + 2)
    (one,) = load(tmp_path, "gov_report", published_row).examples()
    assert (one.query, one.meta["after"], one.meta["query_in_after"]) == ("", "\n\nSummary:\n", [2, 2])


def test_inner_documents_start_where_they_do_in_the_document(tmp_path: Path) -> None:
    reviews = "Review 1: Good.\n\nReview 2: Bad.\n\n"
    starts = [len(HEAD), len(HEAD) + reviews.index("Review 2")]
    published_row = row(HEAD, reviews, "Percentage:", query=None, inner_docs_start_indices=starts)
    (one,) = load(tmp_path, "space_digest", published_row).examples()
    assert [one.document.text[start : start + 8] for start in one.meta["inner"]] == ["Review 1", "Review 2"]


def test_the_answers_to_choose_from_are_read_out_of_the_query(tmp_path: Path) -> None:
    query = "Who woke?\n (A) Anna\n (B) Bert\n (C) Carla\n (D) Nobody"
    (one,) = load(tmp_path, "quality", row(HEAD, STORY, LINK, query, CUE, output="A")).examples()
    assert (one.query, one.options, one.references) == (query, ("Anna", "Bert", "Carla", "Nobody"), ("A",))


def test_rows_of_one_id_are_several_references_and_any_number_of_rows_is_read(tmp_path: Path) -> None:
    parts = (HEAD, STORY, LINK, "Who?", CUE)
    rows = [row(*parts, output="Anna", pid="a_0"), row(*parts, name="b"), row(*parts, output="She", pid="a_1")]
    first, second = load(tmp_path, "squality", *rows).examples()
    assert (first.references, first.meta["pid"], second.references) == (("Anna", "She"), ["a_0", "a_1"], ())
    assert first.document is second.document


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"document_end_index": 9_999}, r"the document's span 25 to 9999 is not within the input's 79"),
        ({"document_start_index": -1}, "the document's span -1 to 48 is not within"),
        ({"document_start_index": 50}, "the document's span 50 to 48 is not within"),
        ({"document_end_index": 25}, "the document is empty"),
        ({"query_end_index": 83}, "the query's 60 to 83 are not before or after the document"),
        ({"query_start_index": 80, "query_end_index": 70}, "the query's 80 to 70 are not"),
        ({"query_start_index": 40}, "the query's 40 to 69 are not before or after the document"),
        ({"query_start_index": 99, "query_end_index": 99}, "the query's 99 to 99 are not"),
        ({"query_start_index": None}, r"must be whole numbers, got \[25, 48, None, 69\]"),
        ({"document_start_index": "25"}, "must be whole numbers"),
        ({"inner_docs_start_indices": [24]}, "inner_docs_start_indices must be rising positions within the document"),
        ({"inner_docs_start_indices": [30, 30]}, "inner_docs_start_indices must be rising"),
        ({"inner_docs_start_indices": [48]}, "inner_docs_start_indices must be rising"),
        ({"inner_docs_start_indices": 30}, "inner_docs_start_indices must be rising"),
    ],
)
def test_impossible_positions_are_refused_naming_the_row(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    good = row(HEAD, STORY, LINK, "Who woke?", CUE)
    bad = row(HEAD, STORY, LINK, "Who woke?", CUE, name="b") | change
    reading = load(tmp_path, "narrative_qa", good, bad).examples()
    assert next(reading).id == "a"
    with pytest.raises(UserError, match=rf"test.jsonl:2: .*{message}"):
        next(reading)


def test_rows_are_not_confused_with_those_of_scrolls() -> None:
    ours = row(HEAD, STORY, LINK, "Who?", CUE)
    assert zero_scrolls.recognizes(ours)
    assert not scrolls.recognizes(ours)
    assert not zero_scrolls.recognizes({"id": "", "pid": "", "input": "", "output": ""})
