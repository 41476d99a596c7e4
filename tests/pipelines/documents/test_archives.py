"""Zips and compressed files that are traps: bombs, members that lead out, symbolic links, and XML with entities."""

import bz2
import gzip
import stat
import zipfile
from pathlib import Path

import docx
import pytest

from longdoc.errors import UserError
from pipelines import documents
from pipelines.documents import _archives
from pipelines.sources import _reading
from tests.pipelines.documents import small_files

OUTWARD = ("/etc/passwd", "../a", "a/../../b", "C:\\a", "c:a", "..\\a", "a/..", "\\\\host\\a")


def zipped(path: Path, *entries: zipfile.ZipInfo | str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for entry in entries:
            archive.writestr(entry, "x")
    return path


def link(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.create_system, entry.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return entry


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as refused, _archives.opened(path):
        pass
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("name", OUTWARD)
def test_a_member_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    assert "which leads out of the archive: it is not read" in refusal(zipped(tmp_path / "a.zip", "a.txt", name))


def test_a_member_that_is_a_symbolic_link_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", "a.txt", link("b.txt"))
    assert refusal(path) == f"{path} has a member 'b.txt', which is a symbolic link: it is not read"


def test_a_zip_of_too_many_members_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path / "a.zip", *(f"{number}.txt" for number in range(4)))
    monkeypatch.setattr(_archives, "MEMBERS", 3)
    assert refusal(path) == f"{path} has more than 3 members: unpack what is needed, and pass that"
    monkeypatch.setattr(_archives, "DIRECTORY", 60)  # four entries of 46 bytes and five letters
    assert refusal(path) == f"{path} has a list of 204 bytes of members: unpack what is needed, and pass that"


def test_a_member_that_becomes_too_much_is_refused_by_what_it_declares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_archives, "FREE", 1_000)
    monkeypatch.setattr(_archives, "RATIO", 100)
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "a" * 1_000_000)
    with zipfile.ZipFile(path) as archive:
        compressed = archive.getinfo("a.txt").compress_size
    bound = f"{100 * compressed:,} bytes, the bound for {compressed:,} compressed ones"
    assert refusal(path) == f"{path} becomes more than {bound}: if that is right, unpack it and pass the unpacked file"


def test_the_bound_grows_with_the_compressed_size_up_to_the_total() -> None:
    assert _archives.most(0) == _archives.most(200_000) == 1 << 30
    assert _archives.most(1_000_000) == 5_000_000_000
    assert _archives.most(1 << 30) == 1 << 38


@pytest.mark.parametrize(("ending", "module"), [(".gz", gzip), (".bz2", bz2)])
def test_rows_that_become_too_much_are_refused_while_they_are_read(tmp_path, monkeypatch, ending, module) -> None:
    path = tmp_path / f"rows.jsonl{ending}"
    path.write_bytes(module.compress(b'{"document": "a"}\n' * 10_000))
    assert sum(1 for _ in _reading.lines(path)) == 10_000
    monkeypatch.setattr(_archives, "FREE", 10_000)
    monkeypatch.setattr(_archives, "RATIO", 10)
    monkeypatch.setattr(_reading, "BLOCK", 1_000)
    with pytest.raises(UserError, match=r"becomes more than 10,000 bytes, the bound for \d+ compressed ones"):
        list(_reading.lines(path))


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
    with pytest.raises(UserError, match=r"a.docx cannot be read \(Maximum entity amplification"):
        documents.read(word_document(tmp_path / "a.docx", head, "&a9;"), cache=False)


@pytest.mark.parametrize("make", [lambda path, entry: zipped(path, entry, "[Content_Types].xml", "word/document.xml")])
@pytest.mark.parametrize(("entry", "problem"), [("../a.xml", "leads out"), (link("a.xml"), "is a symbolic link")])
def test_word_documents_and_books_are_held_to_it(tmp_path: Path, make, entry, problem) -> None:
    for name in ("a.docx", "a.epub"):
        with pytest.raises(UserError, match=problem):
            documents.read(make(tmp_path / name, entry), cache=False)


def test_a_picture_book_with_many_members_is_read(tmp_path: Path) -> None:
    pictures = {f"OEBPS__{number}.jpg": "x" for number in range(2_000)}
    book = small_files.epub(tmp_path / "a.epub", {"one.xhtml": "<p>One.</p>"}, **pictures)
    assert documents.read(book, cache=False).text == "One."
