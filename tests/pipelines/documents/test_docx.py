from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import documents
from tests.pipelines.documents import small_files
from tests.pipelines.documents.small_files import paragraph


def write_document(path: Path) -> Path:
    cells = ["".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in row) for row in ("ab", "cd")]
    body = (
        paragraph("Loomings", pStyle="Heading1")
        + paragraph("C", "all me Ishmael. 🐳", "<w:ins><w:r><w:t>Inserted.</w:t></w:r></w:ins>",
                    "<w:del><w:r><w:delText>Deleted.</w:delText></w:r></w:del>")
        + f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"
        + paragraph("The Ship", pStyle="Heading2") + paragraph("שלום")
    )  # fmt: skip
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>' for n in (1, 2)
    )
    return small_files.docx(path, body, title="Voyage", styles=styles)


def test_paragraphs_tables_and_insertions_are_read_and_headings_are_places(tmp_path: Path) -> None:
    text = documents.read(write_document(tmp_path / "a.docx"), cache=False)
    assert text.title == "Voyage"
    assert text.text == "Loomings\n\nCall me Ishmael. 🐳Inserted.\n\n| a | b |\n| c | d |\n\nThe Ship\n\nשלום"
    assert text.marks == ((0, "Loomings"), (text.text.index("The Ship"), "The Ship"))
    assert documents.location(text.meta, text.text, 12, 15) == "section Loomings"


def test_other_zips_broken_and_old_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"is a zip, but not a Word document"):
        documents.read(small_files.zipped(tmp_path / "sheet.docx", {"xl/workbook.xml": "<x/>"}))
    whole = write_document(tmp_path / "a.docx").read_bytes()
    (tmp_path / "cut.docx").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match=r"cut.docx cannot be read .*damaged"):
        documents.read(tmp_path / "cut.docx")
    (tmp_path / "old.docx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    with pytest.raises(UserError, match=r"first bytes are those of a .doc .or a protected .docx."):
        documents.read(tmp_path / "old.docx")
    bad = {"word/document.xml": "<w:broken", "[Content_Types].xml": "<Types/>", "_rels/.rels": "<x/>"}
    with pytest.raises(UserError, match=r"bad.docx cannot be read"):
        documents.read(small_files.zipped(tmp_path / "bad.docx", bad))
    monkeypatch.setattr("pipelines.documents.file_bytes.LIMIT", 1 << 20)
    bomb = small_files.zipped(tmp_path / "bomb.docx", {"word/document.xml": " " * (2 << 20)})
    assert bomb.stat().st_size < 10_000
    with pytest.raises(UserError, match=r"more than 1 MiB when unpacked"):
        documents.read(bomb)
