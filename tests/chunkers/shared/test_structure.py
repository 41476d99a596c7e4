"""The paragraphs of a text, each under its heading."""

from itertools import pairwise

import pytest

from chunkers.shared.structure import Paragraph, structure


def paragraphs_of(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """The text, the heading and the path of each paragraph."""
    return [
        (text[paragraph.start : paragraph.end], text[slice(*(paragraph.heading or (0, 0)))], paragraph.path)
        for paragraph in structure(text)
    ]


def test_a_paragraph_has_the_heading_above_it_and_the_titles_down_to_it() -> None:
    text = "Before.\n\n# A\n\nOne.\nStill one.\n\nTwo.\n\n## B\n\nThree.\n\n# C\n\nFour.\n"
    assert paragraphs_of(text) == [
        ("Before.", "", ()),
        ("One.\nStill one.", "# A", ("A",)),
        ("Two.", "# A", ("A",)),
        ("Three.", "## B", ("A", "B")),
        ("Four.", "# C", ("C",)),
    ]


def test_a_section_spans_its_paragraphs_and_paragraphs_without_a_heading_have_none() -> None:
    text = "Before.\n\n# A\n\nOne.\n\nTwo.\n\n# B\n\nThree.\n"
    assert [paragraph.section and text[slice(*paragraph.section)] for paragraph in structure(text)] == [
        None, "One.\n\nTwo.", "One.\n\nTwo.", "Three.",
    ]  # fmt: skip


def test_two_headings_with_the_same_words_are_kept_apart() -> None:
    text = "# A\n\nOne.\n\n# A\n\nTwo.\n"
    assert [paragraph.heading for paragraph in structure(text)] == [(0, 3), (11, 14)]


def test_a_heading_that_nothing_follows_is_a_paragraph() -> None:
    assert paragraphs_of("# A\n\n# B\n\nOne.\n\n# C\n") == [("# A", "", ()), ("One.", "# B", ("B",)), ("# C", "", ())]


def test_a_heading_at_the_top_of_its_paragraph_is_taken_out_of_it() -> None:
    assert paragraphs_of("# A\nOne.\n\n# B\nTwo.\n") == [("One.", "# A", ("A",)), ("Two.", "# B", ("B",))]


LONG = "This line is one of those that nobody has wrapped, so that it goes on up to a hundred characters, and more."


def test_in_a_collection_of_articles_the_first_line_is_the_title_and_each_further_line_a_paragraph() -> None:
    text = f"Ada Lovelace\n{LONG}\n{LONG}\n\nA. Berg Jr.\n{LONG}\n"
    assert paragraphs_of(text) == [
        (LONG, "Ada Lovelace", ("Ada Lovelace",)),
        (LONG, "Ada Lovelace", ("Ada Lovelace",)),
        (LONG, "A. Berg Jr.", ("A. Berg Jr.",)),
    ]


def test_a_title_may_end_with_a_letter_of_any_kind() -> None:
    assert [title for _, title, _ in paragraphs_of(f"Malcolm X\n{LONG}\n\nAda Lovelace\n{LONG}\n")] == [
        "Malcolm X",
        "Ada Lovelace",
    ]


def test_a_line_that_introduces_a_formula_is_not_a_title() -> None:
    text = f"Ada Lovelace\n{LONG}\n\nThe form is given by:\n{LONG}\n"
    assert [title for _, title, _ in paragraphs_of(text)] == ["Ada Lovelace", "", ""]


def test_where_few_blocks_begin_with_a_short_line_it_is_not_taken_for_a_title() -> None:
    text = f"1 Start\n\n{LONG}\n{LONG}\n\n2 End\n\n{LONG}\n{LONG}\n\nSo it is\n{LONG}\n"
    assert [(paragraph == LONG, title) for paragraph, title, _ in paragraphs_of(text)] == [
        (True, "1 Start"), (True, "1 Start"), (True, "2 End"), (True, "2 End"), (False, "2 End"), (True, "2 End"),
    ]  # fmt: skip


def test_marked_headings_of_unwrapped_texts_have_their_titles_without_the_mark() -> None:
    text = f"# A\n{LONG}\n{LONG}\n\n## B\n{LONG}\n"
    assert [(title, path) for _, title, path in paragraphs_of(text)] == [
        ("# A", ("A",)), ("# A", ("A",)), ("## B", ("A", "B")),
    ]  # fmt: skip


@pytest.mark.parametrize("equals", ["= A =|= = B = =", "= A =|== B ==", " = A = | = = B = = "])
def test_headings_of_wikis_are_headings(equals: str) -> None:
    first, second = equals.split("|")
    text = f"{first}\nOne.\n{second}\nTwo.\n"
    assert [path for _, _, path in paragraphs_of(text)] == [("A",), ("A", "B")]


def test_equations_and_uneven_marks_are_not_headings_of_wikis() -> None:
    assert [paragraph.heading for paragraph in structure("= 5 =\nOne.\n== A =\nTwo.\n= a = b =\nThree.")] == [None] * 6


def test_in_a_text_without_blank_lines_every_line_is_a_paragraph() -> None:
    assert paragraphs_of("One.\r\nTwo.\r\n\tThree.") == [("One.", "", ()), ("Two.", "", ()), ("Three.", "", ())]


def test_white_space_of_every_kind_is_outside_of_paragraphs() -> None:
    text = "\n\f One.\t\n\u3000\n\u2028Two.\x85\r\n\r\n\x0b"
    assert [paragraph for paragraph, _, _ in paragraphs_of(text)] == ["One.", "Two."]
    assert structure(" \n\t\r\n") == structure("") == []


def test_every_character_that_is_not_white_space_is_in_one_paragraph_or_heading() -> None:
    text = f"A\n\n# B\nc\n\n{LONG}\n# D\n\n\n# E\n\n1. F\n2. G\n\nCHAPTER I\n\nThe end.\n"
    spans = {span for paragraph in structure(text) for span in ((paragraph.start, paragraph.end), paragraph.heading)}
    distinct = sorted(span for span in spans if span)
    assert all(first[1] <= second[0] for first, second in pairwise(distinct))
    inside = {at for start, end in distinct for at in range(start, end)}
    assert [char for at, char in enumerate(text) if at not in inside and not char.isspace()] == []


def test_a_text_of_one_character_is_a_paragraph() -> None:
    assert structure("x") == [Paragraph(0, 1)]
