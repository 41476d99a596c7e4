import pytest

from pipelines.strategies.shared.line_numbers import read
from tests.turns import for_each

ABC = {1: "a", 2: "b", 3: "c"}


@for_each(
    "reply",
    [
        "1: a\n2: b\n3: c",
        "3: c\n1: a\n2: b",
        "1: a\r\n2: b\r\n3: c\r\n",
        "Here are the lines:\n\n1: a\n\n2: b\n\n3: c\n\nLet me know if 4 lines are better!",
        "```text\n1: a\n2: b\n3: c\n```\nThat is all.",
        "- 1: a\n- 2: b\n- 3: c",
        "1. a\n2) b\n(3) c",
        "[1] a\n**2:** b\n**3: c**",
        "Line 1: a\nline 2 - b\n| 3 | c |",
        "1:\na\n2:\n\nb\n3: c",
        "1: a\n1: a\n2: b\n3: c",
        "1: a 2: b\n3: c",
        "1. a 2. b 3. c",
        "0: a\n1: b\n2: c",
        "41: a\n42: b\n43: c",
        "1: a\n2: b\n3: c\n4: d",
        "a\nb\n\nc",
        "Here is the translation:\na\nb\nc",
    ],
)
def test_lines_are_read_however_they_are_numbered(reply):
    assert read(reply, 3) == ABC


@pytest.mark.parametrize(
    ("reply", "texts"),
    [
        ("1: a\n3: c", {1: "a", 3: "c"}),
        ("1: a\n1: x\n2: b\n3: c", {2: "b", 3: "c"}),
        ("1-2: a b\n3: c", {3: "c"}),
        ("Lines 1 and 2: a b\n3: c", {3: "c"}),
        ("1: a\n2:\n3: c", {1: "a", 3: "c"}),
        ("a b c", {}),
        ("a\nb", {}),
        ('{"1": "a", "2": "b", "3": "c"}', {}),
        ("I cannot translate this.", {}),
        ("", {}),
    ],
)
def test_lines_left_out_joined_or_there_twice_are_missing(reply, texts):
    assert read(reply, 3) == texts


def test_the_last_line_of_a_reply_that_ends_early_is_missing_too_as_it_may_have_been_cut():
    assert read("1: the mill\n2: the riv", 3) == {1: "the mill"}
    assert read("2: b\n1: a", 3) == {1: "a", 2: "b"}


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("1: Hallo.", "Hallo."),
        ("7: Hallo.", "Hallo."),
        ("Hallo.", "Hallo."),
        ("Hallo,\nTom.\n\n(Informal.)", "Hallo, Tom."),
        ("Here it is:\nHallo.", "Hallo."),
    ],
)
def test_a_line_that_was_asked_for_alone_needs_no_number(reply, text):
    assert read(reply, 1) == {1: text}


@pytest.mark.parametrize("reply", ["", " \n", "1:", "1: ", "```\n```"])
def test_a_line_without_a_text_is_missing(reply):
    assert read(reply, 1) == {}


@pytest.mark.parametrize(
    ("reply", "texts"),
    [
        ("1: - Ja.\n- Nein.\n2: b", {1: "- Ja. - Nein.", 2: "b"}),
        ("1: Um\n12:30 Uhr.\n2: b", {1: "Um 12:30 Uhr.", 2: "b"}),
        ("1: 24 Stunden.\n2: *leise* Ja.", {1: "24 Stunden.", 2: "*leise* Ja."}),
        ("1: 3: x\n2: Kapitel 2. Der Fluss", {1: "3: x", 2: "Kapitel 2. Der Fluss"}),
        ("1: „Ja“, sagt er.\n2: b", {1: "„Ja“, sagt er.", 2: "b"}),
    ],
)
def test_numbers_dashes_and_marks_within_a_text_stay(reply, texts):
    assert read(reply, 2) == texts
