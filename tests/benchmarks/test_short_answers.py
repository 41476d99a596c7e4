"""The rules for short answers, when an answer is right, and the real questions that are reported."""

from pathlib import Path

import pytest

from benchmarks.ask import Headline
from benchmarks.short_answers import RULES, Lead, count_answers, held_out, is_reported, leads, precision
from pipelines.records import Document

BOTH = "The agreement enters into force on 1 April 2024 and ends on 31 March 2027."


@pytest.mark.parametrize(
    ("question", "sentence", "answers"),
    [
        ("When does the agreement end?", BOTH, ["1 April 2024", "", "", "31 March 2027", "31 March 2027",
                                                "31 March 2027", "31 March 2027"]),
        ("When does the lease of Anna end?", "It ends in May 2031.",
         ["", "May 2031", "", "May 2031", "May 2031", "", ""]),
        ("What of the lease?", BOTH, [""] * 7),
    ],
)  # fmt: skip
def test_each_rule_gives_a_stretch_of_the_sentence_or_nothing(question: str, sentence: str, answers: list[str]) -> None:
    lead = Lead(question, ["on 31 March 2027"], sentence, "1 April 2024")
    assert [rule(lead) for rule in RULES.values()] == answers


@pytest.mark.parametrize(
    ("answer", "is_right"),
    [
        ("31 March 2027", True),
        ("March 2027", True),
        ("the 31 March, 2027!", True),
        ("Sunday, on 31 March 2027", True),
        ("1 March 2027", False),
        ("", False),
    ],
)
def test_an_answer_is_right_within_a_reference_or_around_it(answer: str, is_right: bool) -> None:
    assert Lead("When?", ["on 31 March 2027"], BOTH, "").is_right(answer) is is_right
    assert not Lead("When?", [], BOTH, "").is_right(answer)


def test_answers_and_right_answers_are_counted() -> None:
    all_leads = [Lead("When does it end?", [reference], BOTH, "1 April 2024") for reference in ("31 March 2027", "May")]
    assert count_answers(all_leads, RULES["nearest after the predicate"]) == (2, 1)
    assert count_answers(all_leads, RULES["the only stretch"]) == (0, 0)
    assert precision(2, 1) == "50.0 [1.3, 98.7]"
    assert precision(0, 0) == "–"


def test_a_lead_has_the_leading_sentence_of_the_documents_and_the_reader_s_output() -> None:
    documents = [Document("a", "Ships sail. The lease ends in May 2031.")]
    group = "A", "a", documents, [("When does the lease end?", ["2031"])]
    assert list(leads(iter([group]), Headline())) == [
        ("A", Lead("When does the lease end?", ["2031"], "The lease ends in May 2031.", "May 2031"))
    ]


def test_over_300_questions_are_in_the_reported_half(realdata: Path) -> None:
    sizes: dict[str, int] = {}
    for name, document, _, questions in held_out(realdata):
        if is_reported(document):
            sizes[name] = sizes.get(name, 0) + len(questions)
    assert sizes == {
        "MuSiQue": 16, "NarrativeQA": 44, "LiteraryQA": 59, "LaRA": 112, "QASPER": 31, "QuALITY": 25, "L-Eval": 70,
    }  # fmt: skip
