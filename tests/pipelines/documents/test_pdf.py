from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import documents
from pipelines.documents import pdf
from tests.pipelines.documents import small_files


def test_pages_are_paragraphs_and_places(tmp_path: Path) -> None:
    path = small_files.pdf(tmp_path / "a.pdf", [["Call me Ishmael.", "Some years ago"], ["Gr\xfc\xdfe"]], title="Moby")
    text = documents.read(path, cache=False)
    assert (text.text, text.title) == ("Call me Ishmael.\nSome years ago\n\nGrüße", "Moby")
    assert text.marks == ((0, "1"), (33, "2"))
    assert documents.location(text.meta, text.text, 20, 36) == "pages 1–2"


def test_words_broken_at_a_lines_end_are_put_together(tmp_path: Path) -> None:
    lines = ["A whale is an iden-", "tified fish, well-known", "to the well-", "known man."]
    text = documents.read(small_files.pdf(tmp_path / "a.pdf", [lines]), cache=False).text
    assert " ".join(text.split()) == "A whale is an identified fish, well-known to the well-known man."


def test_a_compound_at_a_lines_end_keeps_its_hyphen(tmp_path: Path) -> None:
    lines = [
        "The lawn was wide and the",
        "party late: a lawn-",
        "party for Ada Pendragon-",
        "Schmidt, who under-",
        "stood.",
    ]
    text = documents.read(small_files.pdf(tmp_path / "a.pdf", [lines]), cache=False).text
    assert " ".join(text.split()).endswith("late: a lawn-party for Ada Pendragon-Schmidt, who understood.")


def test_pages_without_text_are_reported_and_a_file_of_them_is_refused(tmp_path: Path) -> None:
    text = documents.read(small_files.pdf(tmp_path / "a.pdf", [["words"], [], ["more"]]), cache=False)
    assert text.warnings == (f"{tmp_path / 'a.pdf'}: no text (a picture, or empty), so not read: page 2 of 3",)
    assert text.marks == ((0, "1"), (7, "3"))
    assert text.numbers == (0, 2)
    with pytest.raises(UserError, match=r"no text in it, only pictures.*: it needs OCR; type: ocrmypdf scan.pdf"):
        documents.read(small_files.pdf(tmp_path / "scan.pdf", [[], []]))


def test_a_protected_file_a_broken_one_and_another_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"protected by a password.*qpdf --decrypt"):
        documents.read(small_files.pdf(tmp_path / "locked.pdf", [["words"]], protected=True))
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4\nnothing more")
    with pytest.raises(UserError, match=r"cannot be read as PDF"):
        documents.read(tmp_path / "broken.pdf")
    (tmp_path / "page.pdf").write_bytes(b"<html>Sign in</html>")
    with pytest.raises(UserError, match=r"is not a .pdf file"):
        documents.read(tmp_path / "page.pdf")


def test_a_file_with_too_many_lines_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MOST", 3)
    path = small_files.pdf(tmp_path / "a.pdf", [["one", "two"], ["three", "four"]])
    with pytest.raises(UserError, match=r"a.pdf has more than 3 lines; cut it into smaller files"):
        documents.read(path, cache=False)


def test_without_the_library_the_error_has_the_pip_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pypdfium2", None)
    path = small_files.pdf(tmp_path / "a.pdf", [["words"]])
    with pytest.raises(UserError, match=r"pip install 'longdoc\[documents\]'"):
        documents.read(path, cache=False)


def column(x: float, *lines: str, top: float = 700) -> list[tuple[float, float, str]]:
    return [(x, top - 14 * number, line) for number, line in enumerate(lines)]


LEFT = ("The tenant shall keep the garden", "and the two gates in good order", "and cut the hedge each autumn.")
RIGHT = ("The owner repairs the old fences", "and pays for the water of the well", "that stands behind the house.")
COLUMNS_TEXT = (
    "The tenant shall keep the garden and the two gates in good order and cut the hedge each autumn.\n\n"
    "The owner repairs the old fences and pays for the water of the well that stands behind the house."
)


def test_lines_of_a_paragraph_are_joined_and_short_lines_and_items_are_not(tmp_path: Path) -> None:
    lines = [
        "Liability for intent, gross negligence and injury to life, body or health is not",
        "limited. It covers:",
        "1. the harbour and its cranes",
        "2. the ferry",
    ]
    path = small_files.placed_pdf(tmp_path / "a.pdf", [column(72, *lines)])
    assert documents.read(path, cache=False).text == (
        "Liability for intent, gross negligence and injury to life, body or health is not limited. It covers:\n"
        "1. the harbour and its cranes\n2. the ferry"
    )


def test_columns_are_read_one_after_the_other_however_they_are_stored(tmp_path: Path) -> None:
    left, right = column(72, *LEFT), column(330, *RIGHT)
    rows = [piece for row in zip(left, right, strict=True) for piece in row]
    for number, pieces in enumerate((left + right, rows)):
        path = small_files.placed_pdf(tmp_path / f"{number}.pdf", [pieces])
        assert documents.read(path, cache=False).text == COLUMNS_TEXT
    title = [(72.0, 730.0, "An agreement on the garden, the gates, the hedge, the fences and the water of the well")]
    path = small_files.placed_pdf(tmp_path / "c.pdf", [title + rows])
    assert documents.read(path, cache=False).text == f"{title[0][2]}\n\n{COLUMNS_TEXT}"


def test_a_column_that_is_set_to_the_full_width_is_one_column(tmp_path: Path) -> None:
    left = list[tuple[float, float, str]]()
    for number, line in enumerate(LEFT):
        words = line.split()
        for place, word in enumerate(words):
            before = len("".join(words[:place]))
            left.append((72 + 5.3 * before + 12 * place, 700 - 14 * number, word))
    path = small_files.placed_pdf(tmp_path / "a.pdf", [left + column(330, *RIGHT)])
    assert documents.read(path, cache=False).text == COLUMNS_TEXT


def test_a_margin_with_short_lines_is_read_by_itself(tmp_path: Path) -> None:
    margin = column(40, "Contact", "Nora Lind", "Pier road 5", "Oslo", "Sailing", top=706)
    path = small_files.placed_pdf(tmp_path / "a.pdf", [margin + column(200, *LEFT, *RIGHT)])
    text = documents.read(path, cache=False).text
    assert text == "Contact\nNora Lind\nPier road 5\nOslo\nSailing\n\n" + " ".join((*LEFT, *RIGHT)).replace(
        "autumn. The", "autumn.\nThe"
    )


def test_a_table_is_read_row_by_row(tmp_path: Path) -> None:
    cells = [column(72, "Model", "Plover", "Crane", "Heron"), column(330, "2023", "380", "410", "95")]
    rows = [piece for row in zip(*cells, strict=True) for piece in row]
    path = small_files.placed_pdf(tmp_path / "a.pdf", [rows])
    assert documents.read(path, cache=False).text == "Model 2023\nPlover 380\nCrane 410\nHeron 95"


def test_running_heads_and_folios_are_left_out_and_a_sentence_goes_on_over_pages(tmp_path: Path) -> None:
    bodies = [
        ("The mill was built by the town in 1812, and after the flood of the same year it was", "sold to the family"),
        ("Holm, who kept it for a hundred years and then left it to the parish of the next village", "as a school."),
        ("It has nine rooms and a bell.",),
    ]
    pages = [
        [(72.0, 760.0, "THE OLD MILL"), *column(72, *lines), (300.0, 40.0, f"- {number} -")]
        for number, lines in enumerate(bodies, 7)
    ]
    text = documents.read(small_files.placed_pdf(tmp_path / "a.pdf", pages), cache=False)
    body = " ".join(line for lines in bodies[:2] for line in lines)
    assert text.text == f"THE OLD MILL\n\n{body}\n\nIt has nine rooms and a bell."
    assert [text.text[start:].split()[0] for start, _ in text.marks] == ["THE", "Holm,", "It"]
    assert text.numbers == (0, 1, 2)


def test_large_titles_with_the_number_of_the_page_stay_and_heads_with_a_date_do_not(tmp_path: Path) -> None:
    pages = [
        [
            (72.0, 760.0, "11/29/26, 1:51 AM"),
            (72.0, 730.0, f") Tj /F1 20 Tf (Chapter {number}"),
            (72.0, 700.0, f"A {name}."),
        ]
        for number, name in enumerate(("mill", "flood", "bell"), 1)
    ]
    text = documents.read(small_files.placed_pdf(tmp_path / "a.pdf", pages), cache=False).text
    assert text == ("11/29/26, 1:51 AM\n\nChapter 1\n\nA mill.\n\nChapter 2\n\nA flood.\n\nChapter 3\n\nA bell.")


def test_numbers_at_the_ends_of_pages_that_do_not_count_them_stay(tmp_path: Path) -> None:
    pages = [[(72.0, 700.0, f"Fees of the {name} year"), (72.0, 680.0, fee)] for name, fee in
             (("first", "90"), ("second", "70"), ("third", "20"))]  # fmt: skip
    text = documents.read(small_files.placed_pdf(tmp_path / "a.pdf", pages), cache=False).text
    assert [line for line in text.splitlines() if line.isdigit()] == ["90", "70", "20"]


def test_a_word_that_breaks_at_a_pages_end_is_one_word_of_the_first_page(tmp_path: Path) -> None:
    pages = [column(72, "The trust is respon-"), column(72, "sible for the pier.")]
    text = documents.read(small_files.placed_pdf(tmp_path / "a.pdf", pages), cache=False)
    assert text.text == "The trust is responsible for the pier."
    assert text.marks == ((0, "1"), (19, "2"))


def test_filled_fields_and_free_text_notes_stand_where_they_are_shown(tmp_path: Path) -> None:
    annotations = (
        "/Subtype/Widget/FT/Tx/T(name)/V(Nora Lind)/Rect[200 695 400 715]",
        "/Subtype/Widget/FT/Tx/T(secret)/V(hush)/Ff 8192/Rect[200 635 400 655]",
        "/Subtype/Widget/FT/Btn/T(pets)/V/Yes/AS/Yes/AP<</N<</Yes 3 0 R/Off 3 0 R>>>>/Rect[50 656 60 668]",
        "/Subtype/FreeText/Contents(Paid in full.)/DA(/F1 11 Tf)/Rect[72 600 300 615]",
        "/Subtype/Text/Contents(closed until it is clicked)/Rect[10 10 20 20]",
    )
    words = [(72.0, 700.0, "Tenant:"), (72.0, 658.0, "Pets"), (72.0, 640.0, "Password:"), (72.0, 560.0, "End.")]
    path = small_files.placed_pdf(tmp_path / "a.pdf", [words], *annotations)
    text = documents.read(path, cache=False).text
    assert text.split() == ["Tenant:", "Nora", "Lind", "☒", "Pets", "Password:", "Paid", "in", "full.", "End."]


def test_a_raised_number_makes_no_other_number(tmp_path: Path) -> None:
    raised = "{}) Tj /F1 6 Tf 4 Ts ({}) Tj /F1 11 Tf 0 Ts ({}"
    lines = [
        raised.format("The sample held 10", "6", " cells in May."),
        raised.format("The firm fell in 1998", "3", " at last."),
        "It cost 1998 crowns, 4.5% more.",
    ]
    path = small_files.placed_pdf(tmp_path / "a.pdf", [column(72, *lines)])
    assert documents.read(path, cache=False).text == (
        "The sample held 10^6 cells in May.\nThe firm fell in 1998[3] at last.\nIt cost 1998 crowns, 4.5% more."
    )


def test_a_raised_number_that_stands_by_itself_or_has_a_sign_is_raised(tmp_path: Path) -> None:
    words = [
        (72.0, 700.0, "The crane was sold.) Tj ET BT /F1 6 Tf 170 705 Td (1"),
        (175.0, 700.0, "It weighs 10) Tj /F1 6 Tf 4 Ts (-3) Tj /F1 11 Tf 0 Ts ( tons."),
    ]
    path = small_files.placed_pdf(tmp_path / "a.pdf", [words])
    assert documents.read(path, cache=False).text == "The crane was sold.[1] It weighs 10^-3 tons."
