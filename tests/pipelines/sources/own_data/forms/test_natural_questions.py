"""Natural Questions' simplified rows: answers as numbers of words."""

from collections.abc import Callable
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.records import NO_ANSWER, Example

Rows = Callable[..., list[Example]]
TEXT = "<H1> Köln </H1> <P> Köln lies on the Rhine – since 50 AD . </P> <P> It is old . </P>"
WORDS = TEXT.split(" ")
LONG = (WORDS.index("<P>"), WORDS.index("</P>") + 1)
AT = WORDS.index("50")
PASSAGE = "<P> Köln lies on the Rhine – since 50 AD . </P>"
NO_PLACE = {"start_token": -1, "candidate_index": -1, "end_token": -1}


def person(
    long: tuple[int, int] | None = None, short: tuple[tuple[int, int], ...] = (), yes_or_no: str = "NONE"
) -> dict[str, Any]:
    place = NO_PLACE if long is None else {"start_token": long[0], "candidate_index": 0, "end_token": long[1]}
    pieces = [{"start_token": first, "end_token": last} for first, last in short]
    return {"yes_no_answer": yes_or_no, "long_answer": place, "short_answers": pieces, "annotation_id": 1}


def row(*people: dict[str, Any]) -> dict[str, Any]:
    return {
        "example_id": 5655493461695504401,
        "question_text": "when was köln founded",
        "document_text": TEXT,
        "document_url": "https://en.wikipedia.org/w/index.php?title=Cologne",
        "long_answer_candidates": [{"start_token": LONG[0], "end_token": LONG[1], "top_level": True}],
        "annotations": list(people),
    }


def evidence(example: Example) -> list[str]:
    return [example.document.text[start:end] for start, end in example.evidence]


def test_the_short_answer_is_the_reference_and_the_long_one_the_evidence(read: Rows) -> None:
    (example,) = read(row(person(LONG, ((AT, AT + 2),))))
    assert (example.id, example.query) == ("5655493461695504401", "when was köln founded")
    assert (example.document.text, example.references) == (TEXT, ("50 AD",))
    assert evidence(example) == [PASSAGE]


def test_yes_and_no_are_references_and_a_long_answer_alone_is_only_evidence(read: Rows) -> None:
    yes_or_no, only_long, nothing = (read(row(one))[0] for one in (person(LONG, (), "YES"), person(LONG), person()))
    assert (yes_or_no.references, evidence(yes_or_no)) == (("yes",), [PASSAGE])
    assert (only_long.references, evidence(only_long)) == ((), [PASSAGE])
    assert (nothing.references, nothing.evidence) == (NO_ANSWER, ())


def test_of_five_people_two_have_to_give_an_answer(read: Rows) -> None:
    other = (LONG[1], len(WORDS))
    one = [person(LONG, ((AT, AT + 2),)), *[person()] * 4]
    two = [person(other, ((AT, AT + 1),)), person(LONG, ((AT, AT + 2),)), person(LONG), *[person()] * 2]
    assert read(row(*one))[0].references == NO_ANSWER
    (example,) = read(row(*two))
    assert (example.references, evidence(example)) == (("50", "50 AD"), [PASSAGE])


def test_words_that_the_page_does_not_have_are_refused(read: Rows) -> None:
    with pytest.raises(UserError, match=r"rows.jsonl:1: the words \[4, 99\) of `annotations` are not among the 21 of"):
        read(row(person((4, 99))))
