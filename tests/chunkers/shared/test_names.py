import unicodedata

import pytest

from chunkers.shared.names import mentions, variants


def mentioned(text: str, name: str) -> list[str]:
    return [text[start:end] for start, end in mentions(text, name)]


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("Harry", ["Harry"]),
        ("Harry Lime", ["Harry Lime", "Harry", "Lime"]),
        ("Dr. Lime", ["Dr Lime", "Lime"]),
        ("Dr. Henry 'Indiana' Jones, Jr.", ["Indiana", "Dr Henry Jones Jr", "Henry Jones", "Henry", "Jones"]),
        ("Anna (Nan) Berg", ["Nan", "Anna Berg", "Anna", "Berg"]),
        ("Ada Berg / The Owl", ["Ada Berg", "Ada", "Berg", "The Owl", "Owl"]),
        ("Ada Berg a.k.a. Owl", ["Ada Berg", "Ada", "Berg", "Owl"]),
        ("J. Robert Lund", ["J Robert Lund", "Robert", "Lund"]),
        ("The Captain", ["The Captain"]),
        ("Jan van der Meer", ["Jan van der Meer", "Jan Meer", "Jan", "Meer"]),
        ("anna berg", ["anna berg", "anna", "berg"]),
        (" .,", []),
        ("", []),
    ],
)
def test_the_forms_of_a_name(name: str, forms: list[str]) -> None:
    assert variants(name) == forms


def test_a_name_is_found_in_cues_and_possessives() -> None:
    text = "HARRY\n Stop.\nHARRY (V.O.)\nHARRY: Go!\nHarry's hat. Mr. HARRY'S hat."
    assert mentioned(text, "Harry") == ["HARRY", "HARRY", "HARRY", "Harry", "HARRY"]
    assert mentioned("James' dog, James’s cat", "James") == ["James", "James"]


def test_no_name_is_found_inside_another_word() -> None:
    inside = "Harryhausen Harrys xHarry Harry2 _Harry Jean-Harry Harry-like O'Harry d’Harry Ünharry HarryÉ"
    assert mentioned(inside, "Harry") == []
    assert mentioned("-Harry- --Harry-- 'Harry' (Harry) Harry, Harry… “Harry”", "Harry") == ["Harry"] * 7


def test_a_name_that_is_a_common_word_needs_its_capital() -> None:
    assert mentioned("Will will. WILL will, if will power will.", "Will") == ["Will", "WILL"]
    assert mentioned("McCLANE, mcclane, McClane", "McClane") == ["McCLANE", "McClane"]
    assert mentioned("Harry and HARRY and harry", "harry") == ["Harry", "HARRY", "harry"]


def test_the_longest_form_is_one_mention() -> None:
    assert mentioned("Harry Lime met HARRY  LIME; Lime left. Harry\nLime", "Harry Lime") == [
        "Harry Lime", "HARRY  LIME", "Lime", "Harry\nLime",
    ]  # fmt: skip
    assert mentioned("Dr. Lime and Dr Lime and DOCTOR LIME", "Dr. Lime") == ["Dr. Lime", "Dr Lime", "LIME"]


def test_both_ways_to_write_an_accent_are_one_name() -> None:
    composed, decomposed = "Zoë", unicodedata.normalize("NFD", "Zoë")
    text = f"{composed} {decomposed} {decomposed.upper()} Zoe"
    assert [len(mentioned(text, name)) for name in (composed, decomposed)] == [3, 3]
    assert mentioned(text, "Zoe") == ["Zoe"]


def test_both_kinds_of_apostrophes_are_equal() -> None:
    assert mentioned("O'Hara and O’HARA", "O’Hara") == ["O'Hara", "O’HARA"]


def test_signs_of_regular_expressions_are_taken_literally() -> None:
    assert mentioned("Mr. C++ and C", "C++") == ["C++"]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("女孩李明在沙滩上，李明笑了。", "李明", ["李明", "李明"]),
        ("คุณสมชายพบสมชายอีกคน", "สมชาย", ["สมชาย", "สมชาย"]),
        ("राम और रामा, राम।", "राम", ["राम", "राम"]),
        ("Jose\u0301 and Jose", "Jose", ["Jose"]),
        ("AnnaとAnnabel", "Anna", ["Anna"]),
        ("মীনা মীনাক্ষী", "মীনা", ["মীনা"]),
    ],
)
def test_a_name_in_any_script_ends_with_its_marks_and_needs_no_spaces_where_none_are_written(text, name, expected):
    assert mentioned(text, name) == expected
