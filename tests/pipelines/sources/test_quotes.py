"""Quotations are found in a document whatever happened to their white space, quotation marks and dashes."""

import pytest

from pipelines.sources._quotes import Quotes, normalized

TEXT = "The “old” gull–\n  a bird of 1919[2] – sat. Part of it slept. At dawn, the ﬁrst ship left.\nNobody saw the art."


def find(quotation: str, text: str = TEXT) -> tuple[list[str], bool]:
    spans, whole, _ = Quotes(text).find(quotation)
    return [text[start:end] for start, end in spans], whole


@pytest.mark.parametrize(
    ("quotation", "part"),
    [
        ("Part of it slept.", "Part of it slept."),
        ("the 'old' gull- a bird", None),
        ("“old” gull - a", "old” gull–\n  a"),
        ('"old"  gull -- a  bird', "old” gull–\n  a bird"),
        ("the first ship", "the ﬁrst ship"),
        ("  At\u00a0dawn,\nthe ﬁrst\tship left. ", "At dawn, the ﬁrst ship left."),
        ("sat.Part", "sat. Part"),
        ("art", "art"),
    ],
)
def test_a_quotation_is_found_as_it_stands_in_the_text(quotation: str, part: str | None) -> None:
    assert find(quotation) == (([part], True) if part else ([], False)), "letters keep their case"


def test_whole_words_come_before_parts_of_words_and_the_first_place_before_others() -> None:
    assert Quotes(TEXT).find("art") == ([(TEXT.index("art."), TEXT.index("art.") + 3)], True, False)
    assert Quotes("aab ab ab").find("ab") == ([(4, 6)], True, False)
    assert Quotes("aab").find("ab") == ([(1, 3)], True, False), "a quotation may begin within a word"


def test_reference_marks_of_the_quotation_are_left_out_where_the_text_has_none() -> None:
    assert find("Part of it[6][7] slept.") == (["Part of it slept."], True)
    assert find("a bird of 1919[2] – sat.") == (["a bird of 1919[2] – sat."], True)


def test_sentences_that_are_apart_in_the_text_are_found_one_by_one_each_behind_the_last() -> None:
    assert find("Part of it slept. Nobody saw the art.") == (["Part of it slept.", "Nobody saw the art."], True)
    assert find("Part of it slept ... the art.") == (["Part of it slept", "the art."], True)
    text = "One. Yes. Two. Yes. Three."
    assert Quotes(text).find("Two. Three. Yes.") == ([(10, 14), (20, 26), (5, 9)], True, False)


def test_a_quotation_found_in_part_is_kept_and_marked_incomplete() -> None:
    assert find("Part of it slept. The owl woke.") == (["Part of it slept."], False)
    assert find("The owl woke.") == ([], False)
    assert find(" - ") == (["–"], True)
    assert find("''") == ([], False)


@pytest.mark.parametrize("text", ["", "a – b", "é “x” 1--2", "ﬁ…½\u200bx", "\ud800 \U0001f6a2 e\u0301"])
def test_every_character_of_the_normal_form_has_its_place(text: str) -> None:
    normal, places = normalized(text)
    assert len(normal) == len(places)
    assert places == sorted(places)
    assert all(0 <= place < len(text) for place in places)
