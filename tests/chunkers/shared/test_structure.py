"""The paragraphs of a text, each under its heading."""

from itertools import pairwise

import pytest

from chunkers.shared.structure import Paragraph, structure


def found(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Of each paragraph its text, its heading and its path."""
    return [(text[one.start : one.end], text[slice(*(one.heading or (0, 0)))], one.path) for one in structure(text)]


def test_paragraphs_stand_under_the_heading_above_with_the_titles_down_to_it() -> None:
    text = "Before.\n\n# A\n\nOne.\nStill one.\n\nTwo.\n\n## B\n\nThree.\n\n# C\n\nFour.\n"
    assert found(text) == [
        ("Before.", "", ()),
        ("One.\nStill one.", "# A", ("A",)),
        ("Two.", "# A", ("A",)),
        ("Three.", "## B", ("A", "B")),
        ("Four.", "# C", ("C",)),
    ]


def test_a_section_goes_from_its_first_to_its_last_paragraph_and_there_is_none_without_a_heading() -> None:
    text = "Before.\n\n# A\n\nOne.\n\nTwo.\n\n# B\n\nThree.\n"
    assert [one.section and text[slice(*one.section)] for one in structure(text)] == [
        None, "One.\n\nTwo.", "One.\n\nTwo.", "Three.",
    ]  # fmt: skip


def test_two_headings_of_the_same_words_are_two() -> None:
    text = "# A\n\nOne.\n\n# A\n\nTwo.\n"
    assert [one.heading for one in structure(text)] == [(0, 3), (11, 14)]


def test_a_heading_that_nothing_follows_is_a_paragraph() -> None:
    assert found("# A\n\n# B\n\nOne.\n\n# C\n") == [("# A", "", ()), ("One.", "# B", ("B",)), ("# C", "", ())]


def test_a_heading_at_the_top_of_its_paragraph_is_taken_out_of_it() -> None:
    assert found("# A\nOne.\n\n# B\nTwo.\n") == [("One.", "# A", ("A",)), ("Two.", "# B", ("B",))]


LONG = "This line is one of those that nobody has wrapped, so that it goes on up to a hundred characters, and more."


def test_in_a_collection_of_articles_the_first_line_is_the_title_and_each_further_line_a_paragraph() -> None:
    text = f"Ada Lovelace\n{LONG}\n{LONG}\n\nA. Berg Jr.\n{LONG}\n"
    assert found(text) == [
        (LONG, "Ada Lovelace", ("Ada Lovelace",)),
        (LONG, "Ada Lovelace", ("Ada Lovelace",)),
        (LONG, "A. Berg Jr.", ("A. Berg Jr.",)),
    ]


def test_a_title_may_end_with_a_letter_of_any_kind() -> None:
    assert [title for _, title, _ in found(f"Malcolm X\n{LONG}\n\nAda Lovelace\n{LONG}\n")] == [
        "Malcolm X",
        "Ada Lovelace",
    ]


def test_what_leads_to_a_formula_is_no_title() -> None:
    text = f"Ada Lovelace\n{LONG}\n\nThe form is given by:\n{LONG}\n"
    assert [title for _, title, _ in found(text)] == ["Ada Lovelace", "", ""]


def test_where_few_blocks_begin_with_a_short_line_headings_are_those_of_other_texts() -> None:
    text = f"1 Start\n\n{LONG}\n{LONG}\n\n2 End\n\n{LONG}\n{LONG}\n\nSo it is\n{LONG}\n"
    assert [(paragraph == LONG, title) for paragraph, title, _ in found(text)] == [
        (True, "1 Start"), (True, "1 Start"), (True, "2 End"), (True, "2 End"), (False, "2 End"), (True, "2 End"),
    ]  # fmt: skip


def test_marked_headings_of_unwrapped_texts_have_their_titles_without_the_mark() -> None:
    text = f"# A\n{LONG}\n{LONG}\n\n## B\n{LONG}\n"
    assert [(title, path) for _, title, path in found(text)] == [
        ("# A", ("A",)), ("# A", ("A",)), ("## B", ("A", "B")),
    ]  # fmt: skip


@pytest.mark.parametrize("equals", ["= A =|= = B = =", "= A =|== B ==", " = A = | = = B = = "])
def test_headings_of_wikis_are_headings(equals: str) -> None:
    first, second = equals.split("|")
    text = f"{first}\nOne.\n{second}\nTwo.\n"
    assert [path for _, _, path in found(text)] == [("A",), ("A", "B")]


def test_equations_and_uneven_marks_are_no_headings_of_wikis() -> None:
    assert [one.heading for one in structure("= 5 =\nOne.\n== A =\nTwo.\n= a = b =\nThree.")] == [None] * 6


def test_in_a_text_without_blank_lines_every_line_is_a_paragraph() -> None:
    assert found("One.\r\nTwo.\r\n\tThree.") == [("One.", "", ()), ("Two.", "", ()), ("Three.", "", ())]


def test_white_space_of_every_kind_is_outside() -> None:
    text = "\n\f One.\t\n\u3000\n\u2028Two.\x85\r\n\r\n\x0b"
    assert [one for one, _, _ in found(text)] == ["One.", "Two."]
    assert structure(" \n\t\r\n") == structure("") == []


def test_every_character_that_is_not_white_space_is_in_one_paragraph_or_heading() -> None:
    text = f"A\n\n# B\nc\n\n{LONG}\n# D\n\n\n# E\n\n1. F\n2. G\n\nCHAPTER I\n\nThe end.\n"
    held = [span for one in structure(text) for span in {(one.start, one.end), one.heading} if span]
    once = sorted(set(held))
    assert all(first[1] <= second[0] for first, second in pairwise(once))
    inside = {at for start, end in once for at in range(start, end)}
    assert [char for at, char in enumerate(text) if at not in inside and not char.isspace()] == []


def test_a_paragraph_is_immutable_and_its_places_are_of_the_text() -> None:
    assert structure("x") == [Paragraph(0, 1)]
