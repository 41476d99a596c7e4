from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import documents
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
    with pytest.raises(UserError, match=r"is no .pdf file"):
        documents.read(tmp_path / "page.pdf")


def test_without_the_library_the_pip_line_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pypdfium2", None)
    path = small_files.pdf(tmp_path / "a.pdf", [["words"]])
    with pytest.raises(UserError, match=r"pip install 'longdoc\[documents\]'"):
        documents.read(path, cache=False)
