"""Word documents and books that are traps: XML with entities, members that lead out of the archive."""

import zipfile
from pathlib import Path

import docx
import pytest

from longdoc.errors import UserError
from pipelines import documents
from tests.longdoc.test_archives import link, zipped
from tests.pipelines.documents import small_files


def word_document(path: Path, head: str, text: str) -> Path:
    """A Word document whose main part begins with a document type."""
    plain = path.with_suffix(".plain")
    document = docx.Document()
    document.add_paragraph("Plain words here.")
    document.save(str(plain))
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "word/document.xml":
                data = data.replace(b"<w:document", head.encode() + b"<w:document", 1)
                data = data.replace(b"Plain words here.", f"Plain words here. {text}".encode())
            new.writestr(name, data)
    return path


def test_a_word_document_expands_no_entity_and_reads_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret words")
    head = f'<!DOCTYPE x [<!ENTITY a "laugh"><!ENTITY c SYSTEM "file://{tmp_path}/secret">]>'
    text = documents.read(word_document(tmp_path / "a.docx", head, "&a; &c;"), cache=False).text
    assert text.startswith("Plain words here.")
    assert "laugh" not in text
    assert "secret" not in text


def test_a_word_document_that_is_a_bomb_of_entities_is_refused(tmp_path: Path) -> None:
    levels = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    head = f'<!DOCTYPE x [<!ENTITY a0 "laugh">{levels}]>'
    with pytest.raises(UserError, match=r"a.docx cannot be read \(word/document.xml: Maximum entity amplification"):
        documents.read(word_document(tmp_path / "a.docx", head, "&a9;"), cache=False)


@pytest.mark.parametrize("make", [lambda path, entry: zipped(path, entry, "[Content_Types].xml", "word/document.xml")])
@pytest.mark.parametrize(("entry", "problem"), [("../a.xml", "leads out"), (link("a.xml"), "is a symbolic link")])
def test_word_documents_and_books_with_unsafe_members_are_refused(tmp_path: Path, make, entry, problem) -> None:
    for name in ("a.docx", "a.epub"):
        with pytest.raises(UserError, match=problem):
            documents.read(make(tmp_path / name, entry), cache=False)


def test_a_picture_book_with_many_members_is_read(tmp_path: Path) -> None:
    pictures = {f"OEBPS__{number}.jpg": "x" for number in range(2_000)}
    book = small_files.epub(tmp_path / "a.epub", {"one.xhtml": "<p>One.</p>"}, **pictures)
    assert documents.read(book, cache=False).text == "One."
