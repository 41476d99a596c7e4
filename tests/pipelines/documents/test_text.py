import gzip
from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import documents


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Grüße 🐝\r\nשלום".encode(), "Grüße 🐝\r\nשלום"),
        (b"\xef\xbb\xbfbees", "bees"),
        ("bees 🐝".encode("utf-16"), "bees 🐝"),
        (b"\xfe\xff" + "bees".encode("utf-16-be"), "bees"),
        ("bees – Bienen".encode("utf-16-be"), "bees – Bienen"),
        ("bees".encode("utf-16-le"), "bees"),
        (b"\x1b[31mbees\x1b[0m", "bees"),
    ],
)
def test_text_is_decoded_by_its_mark_or_as_utf_8_and_lines_stay(tmp_path: Path, data: bytes, text: str) -> None:
    result = documents.read(write(tmp_path / "a.txt", data))
    assert (result.text, result.warnings) == (text, ())


def test_a_guessed_encoding_is_reported(tmp_path: Path) -> None:
    result = documents.read(write(tmp_path / "a.txt", "“Grüße”".encode("cp1252")))
    assert result.text == "“Grüße”"
    assert "is not UTF-8 and was read as Western European" in result.warnings[0]
    assert "iconv -f ITS-ENCODING -t UTF-8 a.txt > utf8-a.txt" in result.warnings[0]


@pytest.mark.parametrize(
    ("sentence", "encodings"),
    [
        ("Арендатор обязуется вносить плату до пятого числа каждого месяца.", ["cp1251", "koi8-r", "cp866"]),
        ("Ο μισθωτής υποχρεούται να καταβάλλει το μίσθωμα μέχρι την πέμπτη ημέρα.", ["cp1253"]),
        ("賃借人は毎月末日までに賃料を支払うものとする。", ["cp932", "euc_jp"]),
        ("承租人应当在每月五日前支付租金，逾期支付的应当承担违约责任。", ["gb18030"]),
        ("임차인은 매월 말일까지 차임을 지급하여야 한다.", ["cp949"]),
    ],
)
def test_the_encoding_of_a_text_in_another_script_is_recognized(
    tmp_path: Path, sentence: str, encodings: list[str]
) -> None:
    for encoding in encodings:
        result = documents.read(write(tmp_path / "a.txt", "\n".join([sentence] * 4).encode(encoding)))
        assert result.text == "\n".join([sentence] * 4)
        assert "is not UTF-8 and was read as " in result.warnings[0] and "Western" not in result.warnings[0]


@pytest.mark.parametrize("sentence", ["L’œuvre — déjà commencée — s’arrête à « Montréal ».", "Grüße aus Köln", "café"])
@pytest.mark.parametrize("times", [1, 200])
def test_letters_with_accents_are_western_european(tmp_path: Path, sentence: str, times: int) -> None:
    result = documents.read(write(tmp_path / "a.txt", "\n".join([sentence] * times).encode("cp1252")))
    assert result.text == "\n".join([sentence] * times)
    assert "was read as Western European" in result.warnings[0]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.txt", b"", "a.txt is empty"),
        ("a.txt", b" \n\n", "a.txt has no text"),
        ("a.txt", b"ab\0c" + b"d" * 300, "binary, not text; it has a zero byte at offset 2"),
        ("a.txt", b"fine \x81", "neither UTF-8 nor Western European .the byte at offset 5"),
        ("a.txt", b"\xff\xfea", "is marked as UTF-16, but the byte at offset 2 does not fit"),
        ("a.txt", b"%PDF-1.7", "a.txt is not a .txt file; its first bytes are those of a .pdf. Rename it"),
        ("a.md", b"PK\x03\x04", "its first bytes are those of a .zip .a .docx or .epub is one.. Rename it"),
        ("a.doc", b"x", "soffice --headless --convert-to docx a.doc .LibreOffice., then longdoc ask a.docx QUESTION"),
        ("a.xlsx", b"x", "soffice --headless --convert-to csv a.xlsx"),
        ("a.mobi", b"x", "ebook-convert a.mobi a.epub"),
        ("a.png", b"x", "tesseract a.png a .OCR."),
        ("a.zip", b"x", "unpack it, then pass the folder"),
        ("a.txt.gz", b"\x1f\x8bgarbage", "a.txt.gz cannot be read"),
    ],
)
def test_unreadable_files_are_refused_with_what_to_do(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    with pytest.raises(UserError, match=message):
        documents.read(write(tmp_path / name, data))


def test_other_endings_are_text_and_compressed_text_is_unpacked(tmp_path: Path) -> None:
    assert documents.read(write(tmp_path / "run.log", b"it ran")).text == "it ran"
    assert documents.read(write(tmp_path / "README", b"read me")).text == "read me"
    assert documents.read(write(tmp_path / "a.txt.gz", gzip.compress(b"bees"))).text == "bees"


def test_a_file_that_unpacks_to_more_than_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.documents.file_bytes.LIMIT", 1 << 20)
    path = write(tmp_path / "a.txt.gz", gzip.compress(bytes(b"a" * (2 << 20))))
    with pytest.raises(UserError, match=r"more than 1 MiB when unpacked"):
        documents.read(path)


def test_a_missing_file_and_a_folder_are_refused_with_near_names(tmp_path: Path) -> None:
    write(tmp_path / "book.txt", b"x")
    with pytest.raises(UserError, match=r"did you mean book.txt"):
        documents.read(tmp_path / "bok.txt")
    with pytest.raises(UserError, match=r"is a folder; give a file"):
        documents.read(tmp_path)
    (tmp_path / "old.txt").symlink_to("gone.txt")
    with pytest.raises(UserError, match=r"old.txt is a link to gone.txt, which does not exist"):
        documents.existing(tmp_path / "old.txt")
    with pytest.raises(UserError, match=r"is not the name of a file"):
        documents.read(tmp_path / ("x" * 5000))


def test_files_of_a_folder_are_those_that_are_read_alone_sorted_and_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b/z.md", "a.pdf", ".git/x.txt", "b/.hidden.txt", "~$a.docx"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    for name in ("fees.csv", "run.log", "chat.json", "README", "b/z.jsonl", "b/z.questions.jsonl", "old.doc"):
        write(tmp_path / name, b"words")
    for name in ("c.bin", "d.bin", "e.png"):
        write(tmp_path / name, b"\x89PNG\0" if name != "d.bin" else b"")
    files = documents.files(tmp_path)
    names = [p.relative_to(tmp_path).as_posix() for p in files.known]
    assert names == ["README", "a.pdf", "b/z.md", "chat.json", "fees.csv", "run.log"]
    others = [p.relative_to(tmp_path).as_posix() for p in files.others]
    assert others == ["b/z.jsonl", "b/z.questions.jsonl", "c.bin", "d.bin", "e.png", "old.doc"]


def test_line_ends_of_old_macs_are_line_ends(tmp_path: Path) -> None:
    result = documents.read(write(tmp_path / "a.txt", b"one\rtwo\rthree"))
    assert (result.text, documents.location(result.meta, result.text, 8, 13)) == ("one\ntwo\nthree", "line 3")


def test_words_that_scanning_broke_are_whole_and_the_lines_stay(tmp_path: Path) -> None:
    source = (
        "The land-\nlord keeps the ro\xadof in re-\n  pair, a well-\nknown duty. A well-known of\ufb01ce.\n- no\n-x\n"
    )
    text = documents.read(write(tmp_path / "a.txt", source.encode())).text
    assert text == "The landlord\nkeeps the roof in repair,\na well-known\nduty. A well-known office.\n- no\n-x\n"
    assert documents.read(write(tmp_path / "a.log", source.encode())).text == source


def test_markdown_stays_as_written_and_its_headings_are_places(tmp_path: Path) -> None:
    source = "# One *two*\r\n\r\ntext 🐝\r\n```\n# no heading\n```\n\nSetext\n------\n\nend\n"
    path = write(tmp_path / "a.md", source.encode())
    result = documents.read(path)
    assert result.text == source
    assert [(source[start:].split()[0], label) for start, label in result.marks[-2:]] == [
        ("#", "One two"),
        ("Setext", "Setext"),
    ]
    start = source.index("end")
    assert documents.location(result.meta, result.text, start, start + 3) == "line 11, section Setext"


@pytest.mark.parametrize(
    ("kind", "start", "end", "place"),
    [
        ("page", 2, 5, "page ii"),
        ("page", 2, 10, "page ii"),
        ("page", 2, 11, "pages ii–3"),
        ("chapter", 12, 13, "chapter 3"),
        ("section", 2, 11, "sections ii – 3"),
        ("time", 2, 11, "ii–3"),
        ("page", 0, 1, ""),
        ("page", 0, 5, "page ii"),
    ],
)
def test_a_position_has_a_place(kind: documents.Kind, start: int, end: int, place: str) -> None:
    text = documents.Text("x" * 20, kind=kind, marks=((1, "ii"), (10, "3")))
    assert documents.location(text.meta, text.text, start, end) == place


def test_text_before_the_first_heading_is_not_in_its_section() -> None:
    meta = {"kind": "section", "marks": ((10, "Election"), (20, "Weather"))}
    assert documents.location(meta, "", 0, 30) == "beginning to section Weather"
    assert documents.location(meta, "", 0, 15) == "beginning to section Election"
    assert documents.location(meta, "", 10, 30) == "sections Election – Weather"
    assert documents.location(meta, "", 0, 10) == ""


def test_without_marks_the_place_is_the_line_of_the_text() -> None:
    assert documents.location({}, "a\nb\nc", 2, 3) == "line 2"
    assert documents.location({"kind": "chapter", "marks": ((0, "Chapter 1"),)}, "abc", 0, 1) == "Chapter 1"
