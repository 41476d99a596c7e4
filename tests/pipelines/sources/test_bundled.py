import re
import sys
from collections import Counter
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.sources import bundled

ROWS = bundled.questions()
PROVEN = [row for row in ROWS if row["check"]]
WORDED = [row for row in ROWS if row["answers"][0] not in {"Yes", "No"}]
FILLERS = {"a", "an", "and", "it", "the"}


def by_id(row: dict[str, Any]) -> str:
    return str(row["id"])


def stands_in(words: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words.casefold())}(?!\w)", text.casefold()) is not None


def vocabulary(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold())) - FILLERS


# the document


def test_the_document_is_every_topic_in_sorted_order_below_its_name() -> None:
    from pydoc_data.topics import topics

    text = bundled.document().text
    names = sorted(topics)
    assert text.startswith(f"{names[0]}\n\n{topics[names[0]].rstrip()}\n\n{names[1]}\n\n")
    assert text.endswith(f"\n\n{names[-1]}\n\n{topics[names[-1]].rstrip()}")
    assert len(text) == sum(len(name) + 2 + len(topics[name].rstrip()) for name in names) + 2 * (len(names) - 1)


def test_the_document_is_long_and_says_which_python_it_came_from() -> None:
    document = bundled.document()
    assert document.id == "python-reference"
    assert document.title == "The Python Language Reference (pydoc_data.topics)"
    assert len(document.text.split()) > 60_000
    assert document.meta["python"].startswith(f"{sys.version_info.major}.{sys.version_info.minor}.")
    assert re.fullmatch("[0-9a-f]{64}", document.meta["sha256"])


def test_the_document_is_the_same_every_time() -> None:
    assert bundled.document() == bundled.document()


def test_a_python_without_the_reference_is_a_users_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    with pytest.raises(UserError, match="use a complete Python, or give data= a file of your own"):
        next(bundled.examples("narrativeqa"))


# the questions


def test_there_are_enough_questions_of_both_kinds_and_none_twice() -> None:
    kinds = Counter(row["kind"] for row in ROWS)
    assert kinds.keys() == {"fact", "hops"}
    assert kinds["fact"] >= 46
    assert kinds["hops"] >= 14
    assert [row["id"] for row in ROWS] == [f"sample-{number:02d}" for number in range(1, len(ROWS) + 1)]
    assert len({row["question"].casefold() for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=by_id)
def test_a_question_has_one_to_three_answers_and_gives_none_away(row: dict[str, Any]) -> None:
    assert row.keys() == {"id", "kind", "question", "answers", "evidence", "check"}
    assert 1 <= len(row["answers"]) <= 3
    assert all(re.search(r"\w", answer) for answer in row["answers"]), "scorers drop punctuation"
    assert not [answer for answer in row["answers"] if stands_in(answer, row["question"])]


@pytest.mark.parametrize("row", PROVEN, ids=by_id)
def test_the_running_python_agrees_with_the_answer(row: dict[str, Any]) -> None:
    names: dict[str, Any] = {}
    exec(compile(row["check"], row["id"], "exec"), names)
    found = str(names["answer"])
    assert found.strip()
    assert any(stands_in(found, answer) for answer in row["answers"]), f"{found!r} is none of {row['answers']}"


def test_most_answers_are_proven_by_running_code() -> None:
    assert len(PROVEN) > 0.75 * len(ROWS)


# the evidence


@pytest.mark.parametrize("row", ROWS, ids=by_id)
def test_every_phrase_of_the_evidence_stands_in_this_pythons_document(row: dict[str, Any]) -> None:
    text = bundled.document().text
    assert row["evidence"]
    for phrase in row["evidence"]:
        assert len(phrase.split()) <= 20
        ((start, end),) = bundled.spans(text, [phrase])
        assert " ".join(text[start:end].split()) == " ".join(phrase.split())


@pytest.mark.parametrize("row", WORDED, ids=by_id)
def test_the_evidence_holds_the_words_of_an_answer_other_than_yes_and_no(row: dict[str, Any]) -> None:
    evidence = vocabulary(" ".join(row["evidence"]))
    assert any(vocabulary(answer) <= evidence for answer in row["answers"])


def test_the_evidence_is_spread_over_the_whole_document() -> None:
    length = len(bundled.document().text)
    spread = [example for task in bundled.KINDS for example in bundled.examples(task)]
    tenths = Counter(start * 10 // length for example in spread for start, _ in example.evidence)
    assert len(tenths) >= 9
    assert max(tenths.values()) < tenths.total() / 4


def test_a_phrase_is_found_across_line_breaks_and_at_its_first_place() -> None:
    text = "zero  one\n    two three, one two"
    assert bundled.spans(text, ["one two"]) == ((6, 17),)


def test_spans_are_sorted_and_an_absent_phrase_gives_none() -> None:
    assert bundled.spans("first and second", ["second", "third", "first"]) == ((0, 5), (10, 16))


def test_marks_in_a_phrase_are_taken_literally() -> None:
    assert bundled.spans("aXb (a.b)", ["(a.b)"]) == ((4, 9),)


# the examples


@pytest.mark.parametrize(("task", "kind"), [("narrativeqa", "fact"), ("hotpotqa", "hops")])
def test_a_task_gets_all_questions_of_its_kind_in_order(task: str, kind: str) -> None:
    rows = [row for row in ROWS if row["kind"] == kind]
    found = list(bundled.examples(task))
    assert [example.id for example in found] == [row["id"] for row in rows]
    assert [example.query for example in found] == [row["question"] for row in rows]
    assert [example.references for example in found] == [tuple(row["answers"]) for row in rows]
    assert [len(example.evidence) for example in found] == [len(row["evidence"]) for row in rows]


def test_the_examples_of_a_task_share_one_document() -> None:
    assert len({id(example.document) for example in bundled.examples("hotpotqa")}) == 1


def test_examples_are_the_same_every_time() -> None:
    assert list(bundled.examples("narrativeqa")) == list(bundled.examples("narrativeqa"))


def test_a_task_without_sample_questions_is_refused_with_the_ones_that_have_some() -> None:
    with pytest.raises(UserError, match="no examples for vlsp, only for narrativeqa, qa, hotpotqa"):
        next(bundled.examples("vlsp"))
