import pytest

import chunkers
from chunkers import Heading, Layout
from chunkers.paragraphs import Paragraphs
from chunkers.shared.boundaries import lines, paragraphs
from longdoc.errors import UserError


def paragraphs_of(text: str) -> list[str]:
    return [text[start:end] for start, end in paragraphs(text)]


@pytest.mark.parametrize(
    "blank", ["\n\n", "\r\n\r\n", "\n \t\n", "\r\r", "\n\n\n \n", "\u2029", "\u2028\u2028", "\n\r\n"]
)
def test_paragraphs_stand_between_blank_lines(blank: str) -> None:
    assert paragraphs_of(f"One\ntwo.{blank}  Three.{blank}") == ["One\ntwo.", "Three."]


def test_a_line_break_of_two_characters_is_not_a_blank_line() -> None:
    assert paragraphs_of("One\r\ntwo.") == ["One\r\ntwo."]
    assert [("One\r\ntwo.")[a:b] for a, b in lines("One\r\ntwo.")] == ["One", "two."]


def test_neighbouring_paragraphs_are_packed_and_keep_their_blank_lines() -> None:
    text = "One two.\n\nThree.\n\nFour five six.\n"
    assert [chunk.text for chunk in Paragraphs(3).split(text)] == ["One two.\n\nThree.", "Four five six."]


def test_a_text_without_blank_lines_is_packed_by_lines() -> None:
    assert [chunk.text for chunk in Paragraphs(3).split("\n one two\nthree\nfour five\n\n")] == [
        "one two\nthree",
        "four five",
    ]


def test_a_long_paragraph_is_cut_between_sentences_then_between_words() -> None:
    text = "Short.\n\nMr. A came by. He sat down. a b c d e f g h\n\nEnd."
    assert [chunk.text for chunk in Paragraphs(4).split(text)] == [
        "Short.", "Mr. A came by.", "He sat down.", "a b c d", "e f g h", "End.",
    ]  # fmt: skip


def test_sizes_and_languages_are_checked() -> None:
    with pytest.raises(UserError, match="size must be 1 or more, got 0"):
        Paragraphs(0)
    with pytest.raises(UserError, match="unknown language"):
        Paragraphs(language="klingon")


def test_a_declared_heading_is_never_a_chunk_by_itself() -> None:
    text = "Rent\n\nThe rent is nine hundred.\n\nDeposit\n\nPart\n\nTwo months.\n\nAnnex"
    titles = ("Rent", "Deposit", "Part", "Annex")
    headings = [Heading(text.index(title), text.index(title) + len(title), 1, title) for title in titles]
    for name in ("paragraphs:size=5", "sentences:size=5", "paragraphs:size=3", "sentences:size=3", "paragraphs:size=9"):
        chunks = chunkers.get(name).split_document(text, Layout(tuple(headings)))
        assert all(chunk.text == text[chunk.start : chunk.end] for chunk in chunks)
        assert not {chunk.text for chunk in chunks} & {"Rent", "Deposit", "Part"}, name
    chunks = chunkers.get("paragraphs:size=6").split_document(text, Layout(tuple(headings)))
    assert [chunk.text for chunk in chunks] == [
        "Rent\n\nThe rent is nine hundred.", "Deposit\n\nPart\n\nTwo months.\n\nAnnex",
    ]  # fmt: skip


def test_a_table_is_cut_between_rows_and_later_chunks_have_its_header_as_heading() -> None:
    names, rows = "| Model | Fee |", [f"| Boat {number} | {number} crowns |" for number in range(30)]
    table = "\n".join((names, "| --- | --- |", *rows))
    text = f"Fees.\n\n{table}\n\nEnd."
    layout = Layout(tables=((7, 7 + len(table)),))
    for name in ("sentences:size=20", "paragraphs:size=20", "sections:size=20"):
        chunks = chunkers.get(name).split_document(text, layout)
        lines = [line for chunk in chunks for line in chunk.text.split("\n") if line]
        assert lines == ["Fees.", *table.split("\n"), "End."], name
        headings = {text[slice(*chunk.heading)] for chunk in chunks if chunk.heading}
        assert headings == {names}, name
        assert chunks[0].heading is None
    first, *later = chunkers.get("tokens:size=20").split_document(text, layout)
    assert first.heading is None
    assert {text[slice(*chunk.heading)] for chunk in later if chunk.heading} == {names}


def test_the_layout_of_a_part_has_offsets_from_its_start() -> None:
    layout = Layout((Heading(0, 4, 1, "One"), Heading(10, 14, 2, "Two")), ((5, 8), (16, 20)))
    assert layout.within(9, 30) == Layout((Heading(1, 5, 2, "Two"),), ((7, 11),))
