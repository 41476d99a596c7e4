"""Which numbers in brackets cite a passage, which are the document's own, and which are wrong."""

import pytest

from pipelines.plugins.ask.citations import cited_numbers, is_only_citations, without_citations
from tests.turns import for_each

PASSAGES = [
    "The mill [12] was built in 1931 [1999], as Roth\nshows [2].",
    "Anna keeps the bees.",
    "Interval [0, 1] and a[3].",
    "Wine.",
    "Corn.",
]


def cited_and_wrong(answer: str, shown: tuple[int, ...] = (1, 2, 3, 4, 5)) -> tuple[tuple[int, ...], tuple[str, ...]]:
    result = cited_numbers(answer, PASSAGES, shown)
    return result.numbers, result.wrong


@for_each(
    ("answer", "numbers"),
    [
        ("Anna does [2].", (2,)),
        ("Anna does[2].", (2,)),
        ("Anna [2], or Tom [1].", (2, 1)),
        ("Anna [1, 3].", (1, 3)),
        ("Anna [1][3].", (1, 3)),
        ("Anna [1; 3] and [1 and 4].", (1, 3, 4)),
        ("Anna [1-3].", (1, 2, 3)),
        ("Anna [2–4, 1].", (2, 3, 4, 1)),
        ("安娜【2】和［3］。", (2, 3)),
        ("Anna 【2†bees.txt】.", (2,)),
        ("アンナ［２、３］", (2, 3)),
        ("Anna [passage 2] and [Passages 3, 4].", (2, 3, 4)),
        ("Anna [^2].", (2,)),
        ("Anna [[2]].", (2,)),
        ("Anna [2] keeps them [2].", (2,)),
        ("[2](https://example.org)", (2,)),
        ("Anna [3-2].", (3, 2)),
    ],
)
def test_numbers_in_square_brackets_are_citations(answer: str, numbers: tuple[int, ...]) -> None:
    assert cited_and_wrong(answer) == (numbers, ())


@pytest.mark.parametrize(
    "answer",
    [
        "Anna (2).",
        "1. Anna 2) Tom",
        "In 1931 [1931].",
        "Anna [sic] keeps [...] bees [a].",
        "The interval [0, 1].",
        "Write `x[2]` or\n```\ny = x[3]\n```",
        "",
    ],
)
def test_other_numbers_and_brackets_are_no_citations(answer: str) -> None:
    assert cited_and_wrong(answer) == ((), ())


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("Anna [9].", ("[9]",)),
        ("Anna [9] and [7, 8] and [9].", ("[9]", "[7, 8]")),
        ("Anna [6-8].", ("[6-8]",)),
    ],
)
def test_other_numbers_in_brackets_are_wrong(answer: str, wrong: tuple[str, ...]) -> None:
    assert cited_and_wrong(answer) == ((), wrong)


def test_of_a_bracket_with_a_wrong_number_the_right_ones_count() -> None:
    assert cited_and_wrong("Anna [2, 9], Tom [4-6].") == ((2, 4, 5), ("[2, 9]", "[4-6]"))


def test_passages_that_were_not_shown_cannot_be_cited() -> None:
    assert cited_and_wrong("Anna [4], Tom [1].", shown=(1, 3)) == ((1,), ("[4]",))


@pytest.mark.parametrize(
    "answer",
    [
        'It says "as Roth shows [2]" [1].',
        "It says “was built in 1931 [1999], as Roth shows [2].” [1]",
        "Il dit « as Roth shows [2] » [1].",
        "> The mill [12] was built in 1931 [1999], as\n> Roth shows [2].\n\nSo it says [1].",
    ],
)
def test_brackets_in_a_quotation_that_a_passage_has_are_its_own(answer: str) -> None:
    assert cited_and_wrong(answer) == ((1,), ())


def test_brackets_in_a_quotation_that_no_passage_has_are_citations() -> None:
    assert cited_and_wrong('He said "as Anna shows [2]".') == ((2,), ())


def test_a_bracket_that_a_passage_has_too_is_the_document_s_own() -> None:
    assert cited_and_wrong("The mill [12] was built in 1931 [1].") == ((1,), ())
    assert cited_and_wrong("The mill [13] was built in 1931 [1].") == ((1,), ("[13]",))


def test_citations_are_taken_out_of_answers_that_are_compared() -> None:
    assert without_citations("Anna Berg [2], and Tom[1, 3]. 【4】") == "Anna Berg, and Tom."
    assert without_citations("In [1931] (2)") == "In [1931] (2)"


def test_an_answer_of_citations_alone_says_nothing() -> None:
    for answer in ("[2][5]", "[2], [5].", "Passages [2] and [5]", "See [1-3].", "The answer: [2]", "【2】"):
        assert is_only_citations(answer)
    for answer in ("Anna [2]", "5 [2]", "", "2", "Passages", "[1] (the mill)"):
        assert not is_only_citations(answer)
