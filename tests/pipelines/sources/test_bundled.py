import re
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.sources import bundled
from tests.conftest import ROOT
from tests.turns import for_each

ROWS = bundled.questions()
PROVEN = [row for row in ROWS if row["check"]]
WORDED = [row for row in ROWS if row["answers"][0] not in {"Yes", "No"}]
SHA256 = "da260dc0e423b56b38404db1fb0852cc55f76d78b1d86d614f98e6d5661f3fdf"
METRICS = ["bleu-1", "bleu-4", "rouge-l", "f1", "exact_match", "answer_recall", "evidence_recall"]
SCORES: dict[tuple[str, str], dict[str, float]] = {
    ("narrativeqa", "tfidf"): {
        "bleu-1": 6.603774, "bleu-4": 1.119812, "rouge-l": 15.227729, "f1": 13.005475, "exact_match": 11.764706,
        "answer_recall": 80.882353, "evidence_recall": 66.936634,
    },
    ("narrativeqa", "tfidf:"): {
        "bleu-1": 6.904232, "bleu-4": 1.314154, "rouge-l": 16.978802, "f1": 14.86822, "exact_match": 13.235294,
        "answer_recall": 80.882353, "evidence_recall": 66.936634,
    },
    ("hotpotqa", "first"): {
        "bleu-1": 6.976744, "bleu-4": 0.0, "rouge-l": 8.344016, "f1": 8.666667, "exact_match": 0.0,
        "answer_recall": 13.333333, "evidence_recall": 4.017094,
    },
}  # fmt: skip
FILLERS = {"a", "an", "and", "it", "the"}


def by_id(row: dict[str, Any]) -> str:
    return str(row["id"])


def stands_in(words: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words.casefold())}(?!\w)", text.casefold()) is not None


def vocabulary(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold())) - FILLERS


# the document


def test_the_document_is_the_same_text_on_every_python() -> None:
    document = bundled.document()
    assert sha256(document.text.encode()).hexdigest() == SHA256
    assert (document.id, document.meta) == ("python-reference", {"sha256": SHA256})
    assert document.title == "The Python Language Reference (pydoc_data.topics)"
    assert (len(document.text), len(document.text.split())) == (465_927, 65_580)


@pytest.mark.skipif(sys.version_info[:3] != (3, 11, 7), reason="another Python's topics have another text")
def test_the_document_is_every_topic_of_pythons_own_help_in_sorted_order_below_its_name() -> None:
    from pydoc_data.topics import topics

    assert bundled.document().text == "\n\n".join(f"{name}\n\n{topics[name].rstrip()}" for name in sorted(topics))


def test_its_licence_is_beside_it_and_named_in_the_notice() -> None:
    licence = bundled.DOCUMENT.with_name("bundled_document_LICENSE.txt").read_text(encoding="utf-8")
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2" in licence
    for text in (licence, notice):
        assert re.search(r"2022,\s2023 Python Software Foundation;\s*All Rights Reserved", text)
    assert "Changes made" in notice


def test_git_and_editors_leave_its_line_ends_alone() -> None:
    assert b"\r" not in bundled.DOCUMENT.read_bytes()
    assert f"{bundled.DOCUMENT.relative_to(ROOT)} -text" in (ROOT / ".gitattributes").read_text(encoding="utf-8")


@pytest.mark.parametrize(("task", "retriever"), SCORES)
def test_the_scores_are_the_same_on_every_machine(task: str, retriever: str, tmp_path: Path) -> None:
    result = pipelines.run(
        task, data="sample", model="extractive", retriever=retriever, metrics=METRICS, out=tmp_path / "run"
    )
    assert {name: round(score, 6) for name, score in result.scores.items()} == SCORES[task, retriever]


# the questions


def test_there_are_enough_different_questions_of_both_kinds() -> None:
    kinds = Counter(row["kind"] for row in ROWS)
    assert kinds.keys() == {"fact", "hops"}
    assert kinds["fact"] >= 46
    assert kinds["hops"] >= 14
    assert [row["id"] for row in ROWS] == [f"sample-{number:02d}" for number in range(1, len(ROWS) + 1)]
    assert len({row["question"].casefold() for row in ROWS}) == len(ROWS)


@for_each("row", ROWS)
def test_a_question_has_one_to_three_answers_and_contains_none_of_them(row: dict[str, Any]) -> None:
    assert row.keys() == {"id", "kind", "question", "answers", "evidence", "check"}
    assert 1 <= len(row["answers"]) <= 3
    assert all(re.search(r"\w", answer) for answer in row["answers"]), "scorers drop punctuation"
    assert not [answer for answer in row["answers"] if stands_in(answer, row["question"])]


@for_each("row", PROVEN)
def test_the_running_python_agrees_with_the_answer(row: dict[str, Any]) -> None:
    names: dict[str, Any] = {}
    exec(compile(row["check"], row["id"], "exec"), names)
    answer_text = str(names["answer"])
    assert answer_text.strip()
    assert any(stands_in(answer_text, answer) for answer in row["answers"]), (
        f"{answer_text!r} is none of {row['answers']}"
    )


def test_most_answers_are_proven_by_running_code() -> None:
    assert len(PROVEN) > 0.75 * len(ROWS)


# the evidence


@for_each("row", ROWS)
def test_every_phrase_of_the_evidence_stands_in_the_document(row: dict[str, Any]) -> None:
    text = bundled.document().text
    assert row["evidence"]
    for phrase in row["evidence"]:
        assert len(phrase.split()) <= 20
        ((start, end),) = bundled.spans(text, [phrase])
        assert " ".join(text[start:end].split()) == " ".join(phrase.split())


@for_each("row", WORDED)
def test_the_evidence_holds_the_words_of_an_answer_other_than_yes_and_no(row: dict[str, Any]) -> None:
    evidence = vocabulary(" ".join(row["evidence"]))
    assert any(vocabulary(answer) <= evidence for answer in row["answers"])


def test_the_evidence_is_spread_over_the_whole_document() -> None:
    length = len(bundled.document().text)
    all_examples = [example for task in ("narrativeqa", "hotpotqa") for example in bundled.examples(task)]
    tenths = Counter(start * 10 // length for example in all_examples for start, _ in example.evidence)
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
    examples = list(bundled.examples(task))
    assert [example.id for example in examples] == [row["id"] for row in rows]
    assert [example.query for example in examples] == [row["question"] for row in rows]
    assert [example.references for example in examples] == [tuple(row["answers"]) for row in rows]
    assert [len(example.evidence) for example in examples] == [len(row["evidence"]) for row in rows]


def test_the_examples_of_a_task_share_one_document() -> None:
    assert len({id(example.document) for example in bundled.examples("hotpotqa")}) == 1


def test_examples_are_the_same_every_time() -> None:
    assert list(bundled.examples("narrativeqa")) == list(bundled.examples("narrativeqa"))


def test_a_task_without_sample_questions_is_refused_with_the_ones_that_have_some() -> None:
    with pytest.raises(UserError, match="no examples for vlsp, only for narrativeqa, qa, hotpotqa"):
        next(bundled.examples("vlsp"))
