from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml

from longdoc.errors import UserError
from pipelines import documents
from tests.pipelines.documents import small_files

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def made(path: Path) -> Path:
    document = docx.Document()
    document.core_properties.title = "Voyage"
    document.add_heading("Loomings", 1)
    paragraph = document.add_paragraph("C")
    paragraph.add_run("all me Ishmael. 🐳")
    paragraph._p.append(parse_xml(f"<w:ins {W}><w:r><w:t>Inserted.</w:t></w:r></w:ins>"))
    paragraph._p.append(parse_xml(f"<w:del {W}><w:r><w:delText>Deleted.</w:delText></w:r></w:del>"))
    table = document.add_table(2, 2)
    for cell, text in zip([c for row in table.rows for c in row.cells], "abcd", strict=True):
        cell.text = text
    document.add_heading("The Ship", 2)
    document.add_paragraph("שלום")
    document.save(str(path))
    return path


def test_paragraphs_tables_and_insertions_are_read_and_headings_are_places(tmp_path: Path) -> None:
    text = documents.read(made(tmp_path / "a.docx"), cache=False)
    assert text.title == "Voyage"
    assert text.text == "Loomings\n\nCall me Ishmael. 🐳Inserted.\n\n| a | b |\n| c | d |\n\nThe Ship\n\nשלום"
    assert text.marks == ((0, "Loomings"), (text.text.index("The Ship"), "The Ship"))
    assert documents.location(text.meta, text.text, 12, 15) == "section Loomings"


def test_other_zips_broken_and_old_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"is a zip, but no Word document"):
        documents.read(small_files.zipped(tmp_path / "sheet.docx", {"xl/workbook.xml": "<x/>"}))
    whole = made(tmp_path / "a.docx").read_bytes()
    (tmp_path / "cut.docx").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match=r"cut.docx cannot be read .*damaged"):
        documents.read(tmp_path / "cut.docx")
    (tmp_path / "old.docx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    with pytest.raises(UserError, match=r"begins like a .doc .or a protected .docx."):
        documents.read(tmp_path / "old.docx")
    bad = {"word/document.xml": "<w:broken", "[Content_Types].xml": "<Types/>", "_rels/.rels": "<x/>"}
    with pytest.raises(UserError, match=r"bad.docx cannot be read"):
        documents.read(small_files.zipped(tmp_path / "bad.docx", bad))
    monkeypatch.setattr("pipelines.documents.file_bytes.LIMIT", 1 << 20)
    bomb = small_files.zipped(tmp_path / "bomb.docx", {"word/document.xml": " " * (2 << 20)})
    assert bomb.stat().st_size < 10_000
    with pytest.raises(UserError, match=r"more than 1 MiB when unpacked"):
        documents.read(bomb)
