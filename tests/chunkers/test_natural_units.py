"""Natural units: chunks of one sentence, paragraph or turn."""

import pytest

from chunkers import Chunk, Heading, Layout, get, moved
from chunkers.shared.turns import has_turns
from chunkers.units import LONG
from longdoc.errors import UserError

TEXT = "Before. Then.\n\n# A\n\nOne. Two.\n\n## B\n\nThree.\n"


def test_a_paragraph_has_its_path_its_section_and_its_heading() -> None:
    assert get("units").split(TEXT) == [
        Chunk("Before. Then.", 0, 13, None, None, None),
        Chunk("One. Two.", 20, 29, "A", (20, 29), (15, 18)),
        Chunk("Three.", 37, 43, "A > B", (37, 43), (31, 35)),
    ]


def test_a_sentence_has_its_paragraph_as_parent() -> None:
    assert get("units:of=sentence").split(TEXT) == [
        Chunk("Before.", 0, 7, None, (0, 13), None),
        Chunk("Then.", 8, 13, None, (0, 13), None),
        Chunk("One.", 20, 24, "A", (20, 29), (15, 18)),
        Chunk("Two.", 25, 29, "A", (20, 29), (15, 18)),
        Chunk("Three.", 37, 43, "A > B", (37, 43), (31, 35)),
    ]


@pytest.mark.parametrize("mark", ["9.", "III.", "1.2.1.", "A)", "§ 4."])
def test_the_mark_of_a_paragraph_is_a_part_of_its_first_sentence(mark) -> None:
    chunks = get("units:of=sentence").split(f"{mark} Oaks grow here. Elms do too.\n\nAsh grows.\n")
    assert [chunk.text for chunk in chunks] == [f"{mark} Oaks grow here.", "Elms do too.", "Ash grows."]


def test_a_mark_at_the_end_is_a_sentence_of_its_own() -> None:
    assert [chunk.text for chunk in get("units:of=sentence").split("Oaks grow. 9.")] == ["Oaks grow.", "9."]


def test_short_sentences_are_not_taken_for_marks() -> None:
    chunks = get("units:of=sentence").split("No. It was not so. Tom. He left.\n\nBye.\n")
    assert [chunk.text for chunk in chunks][-3:] == ["Tom.", "He left.", "Bye."]


def turns(text: str) -> list[tuple[str | None, str]]:
    return [(chunk.label, chunk.text) for chunk in get("units:of=turn").split(text)]


def test_a_turn_goes_on_to_the_next_speaker_and_text_before_the_first_has_no_label() -> None:
    assert turns("A room.\n\nANNA: Hi.\nAre you well?\n\nBen (off): Yes.\nANNA: Good.\n") == [
        (None, "A room."), ("ANNA", "ANNA: Hi.\nAre you well?"), ("Ben (off)", "Ben (off): Yes."),
        ("ANNA", "ANNA: Good."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "[12:01] Anna: Hi\n[12:02] Ben: Ho",
        "2024-01-02 12:01 - Anna: Hi\n2024-01-02 12:02 - Ben: Ho",
        "Anna : Hi\r\nBen : Ho",
        "Anna：Hi\nBen：Ho",
    ],
)
def test_speakers_may_follow_a_time_and_precede_any_colon(text: str) -> None:
    assert [label for label, _ in turns(text)] == ["Anna", "Ben"]


def test_colons_of_other_texts_make_no_turns() -> None:
    text = (
        "Title: A mill\nAuthor: B\n\n"
        + "It went on for long.\n" * 9
        + "For example:\nthis\nand that: so it went.\nEnd.\n"
    )
    assert [label for label, _ in turns(text)] == [None] * 2
    assert get("units:of=turn").remark(text) == "no turns: split at paragraphs"


def test_in_a_dialogue_of_long_turns_a_name_that_occurs_once_must_be_capitalised() -> None:
    text = "ANNA: A.\nb\nc\nBEN: D.\ne\nf\nANNA: G.\nh\nThis means: i\nj\nBEN: K\nl\nMale Nurse: M\nn\no\n"
    assert [label for label, _ in turns(text)] == ["ANNA", "BEN", "ANNA", "BEN", "Male Nurse"]
    assert get("units:of=turn").remark(text) is None


def test_languages_without_spaces_and_without_capitals_have_turns() -> None:
    assert turns("王明：你好。\n李华：好。\n王明：走吧。") == [
        ("王明", "王明：你好。"), ("李华", "李华：好。"), ("王明", "王明：走吧。"),
    ]  # fmt: skip


@pytest.mark.parametrize("of", ["sentence", "paragraph", "turn"])
def test_a_blank_text_has_no_units(of: str) -> None:
    assert get(f"units:of={of}").split(" \n\f\u2028\r\n") == []


def test_a_moved_chunk_takes_its_parent_and_its_heading_along() -> None:
    chunk = Chunk("One.", 20, 24, "A", (20, 29), (15, 18))
    assert moved(chunk, 5) == Chunk("One.", 25, 29, "A", (25, 34), (20, 23))
    assert moved(Chunk("x", 0, 1), 2) == Chunk("x", 2, 3)


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UserError, match="language"):
        get("units:language=klingon")


def test_a_long_sentence_is_split_at_the_full_stops_inside_its_quotations() -> None:
    sentence = 'He wrote: "' + "One two three four five. " * 21 + 'Six." And left.'
    sentences = [chunk.text for chunk in get("units:of=sentence").split(f"Short one. {sentence}")]
    assert sentences[:2] == ["Short one.", 'He wrote: "One two three four five.'] and sentences[-1] == "And left."
    assert max(len(text.split()) for text in sentences) < LONG


def test_a_long_sentence_without_full_stops_is_kept() -> None:
    text = "word " * (LONG + 50) + "end."
    assert [chunk.text for chunk in get("units:of=sentence").split(text)] == [text]


def test_chunks_of_a_conversation_are_recognised() -> None:
    talk = "Ann: Shall we start? It is late.\nBen: Yes.\nAnn (laughs): Good."
    assert has_turns(get("units:of=sentence").split(talk)) and has_turns(get("units:of=turn").split(talk))
    assert not has_turns(get("units:of=sentence").split("A text: of two paragraphs.\n\nNo one speaks."))
    assert not has_turns([])


def test_a_text_with_a_turn_on_half_of_its_lines_is_a_dialogue_even_without_a_repeated_name() -> None:
    assert turns("Anna: A.\nb\nBen: C.\nd\n") == [("Anna", "Anna: A.\nb"), ("Ben", "Ben: C.\nd")]
    assert {label for label, _ in turns("Anna: A.\nb\nBen: C.\nd\ne\n")} == {None}


def test_a_table_without_full_stops_is_cut_into_its_rows() -> None:
    rows = [f"Year {year} | {year * 3} tons of wheat | {year * 5} tons of rye" for year in range(1900, 1915)]
    assert [chunk.text for chunk in get("units:of=sentence").split("It grew.\n\n" + "\n".join(rows))] == [
        "It grew.", *rows
    ]  # fmt: skip


def test_a_long_sentence_over_several_lines_is_kept() -> None:
    sentence = "And he went\n" + "\n".join(f"on {'and on ' * 6}by the river" for _ in range(15)) + "."
    chunks = get("units:of=sentence").split(f"{sentence}\n\nIt ended.")
    assert [chunk.text for chunk in chunks] == [sentence, "It ended."]


@pytest.mark.parametrize("of", ["paragraph", "turn"])
def test_a_long_document_of_one_line_is_split_at_sentences_with_a_remark(of: str) -> None:
    text = " ".join(f"Sentence {number} has five words." for number in range(120))
    units = get(f"units:of={of}")
    chunks = units.split(text)
    assert len(chunks) == 120
    assert {chunk.parent for chunk in chunks} == {(0, len(text))}
    assert units.remark(text) == "no paragraphs: split at sentences"


def test_a_short_document_of_one_line_is_a_paragraph() -> None:
    text = " ".join(f"Sentence {number} has five words." for number in range(50))
    assert len(get("units").split(text)) == 1
    assert get("units").remark(text) is None


def test_the_rows_of_a_declared_table_are_sentences_below_the_names_of_its_columns() -> None:
    table = "| Model | Fee |\n| --- | --- |\n| Crane | 40 |\n| Heron | 9 |"
    text = f"Fees.\n\n{table}\n\nEnd."
    layout = Layout(tables=((7, 7 + len(table)),))
    chunks = get("units:of=sentence").split_document(text, layout)
    first, _, last = table.rpartition("\n")
    assert [chunk.text for chunk in chunks] == ["Fees.", first, last, "End."]
    assert [chunk.heading and text[slice(*chunk.heading)] for chunk in chunks] == [None, None, "| Model | Fee |", None]


def layout_of(text: str, *titles: str) -> Layout:
    """A layout with headings of level 1 with these titles; one that is not in the text is placed at its start."""
    places = [(text.find(title), title) for title in titles]
    return Layout(
        tuple(Heading(max(at, 0), max(at, 0) + len(title) if at >= 0 else 0, 1, title) for at, title in places)
    )


def test_declared_headings_are_not_chunks_but_headings_of_the_chunks_below_them() -> None:
    text = "Rent\n\nIt is 900.\n\nPart\n\nDeposit\n\nTwo months.\n\nAnnex"
    assert get("units").split_document(text, layout_of(text, "Rent", "Part", "Deposit", "Annex")) == [
        Chunk("It is 900.", 6, 16, "Rent", (6, 16), (0, 4)),
        Chunk("Two months.\n\nAnnex", 33, 51, "Deposit", (33, 51), (18, 31)),
    ]
    sentences = get("units:of=sentence").split_document(text, layout_of(text, "Rent", "Part", "Deposit", "Annex"))
    assert [(chunk.text, chunk.label) for chunk in sentences] == [
        ("It is 900.", "Rent"), ("Two months.\n\nAnnex", "Deposit"),
    ]  # fmt: skip


def test_a_declared_heading_that_is_not_in_the_text_is_the_label_of_what_follows() -> None:
    (chunk,) = get("units").split_document("The river rose.", Layout((Heading(0, 0, 1, "The Flood"),)))
    assert (chunk.label, chunk.heading) == ("The Flood", None)


def test_a_text_of_only_declared_headings_is_one_chunk() -> None:
    text = "Rent\n\nDeposit"
    assert [chunk.text for chunk in get("units").split_document(text, layout_of(text, "Rent", "Deposit"))] == [text]


def test_without_declared_headings_those_found_in_the_text_are_used() -> None:
    for name in ("units", "units:of=sentence", "sections", "paragraphs", "sentences"):
        assert get(name).split_document(TEXT, Layout()) == get(name).split(TEXT)
