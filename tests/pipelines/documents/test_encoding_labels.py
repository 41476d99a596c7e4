"""Encodings that files declare, as browsers understand them."""

from pathlib import Path

import pytest

from pipelines import documents
from pipelines.documents import encoding_labels


@pytest.mark.parametrize(
    ("label", "encoding", "words"),
    [
        ("iso-8859-1", "cp1252", "The fee is € 30 – the guest’s"),
        ("us-ascii", "cp1252", "“quoted”"),
        ("latin5", "cp1254", "ışık € 5"),
        ("gb2312", "gb18030", "镕基付款"),
        ("x-gbk", "gb18030", "租金"),
        ("big5", "big5hkscs", "租金九百元"),
        ("Shift_JIS", "cp932", "①九万円～"),
        ("x-sjis", "cp932", "家賃"),
        ("euc-jp", "euc_jis_2004", "①家賃は九万円"),
        ("iso-2022-jp", "iso2022_jp", "家賃は 9 万円"),
        ("euc-kr", "cp949", "똠방각하"),
        ("ks_c_5601-1987", "cp949", "월세"),
        ("windows-874", "cp874", "ค่าเช่า"),
        ("tis-620", "cp874", "ค่าเช่า"),
        ("koi8-ru", "koi8-u", "їжак"),
        ("x-mac-cyrillic", "mac-cyrillic", "Договор"),
    ],
)
def test_a_page_is_read_as_browsers_read_its_label(tmp_path: Path, label: str, encoding: str, words: str) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(f'<meta charset="{label}"><p>{words}</p>'.encode(encoding))
    text = documents.read(path, cache=False)
    assert (text.text, text.warnings) == (words, ())


def test_the_signs_of_windows_are_read_in_iso_2022_jp_and_remarks_declare_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(b"<meta charset=iso-2022-jp><p>\x1b$B-!2H\x1b(B 9</p>")
    assert documents.read(path, cache=False).text == "①家 9"
    script = f"<!-- <meta charset=koi8-r> --><script>{' ' * 3_000}</script>"
    path.write_bytes(f"{script}<meta charset=windows-1251><p>Договор</p>".encode("cp1251"))
    assert documents.read(path, cache=False).text == "Договор"


def test_codecs_that_are_not_for_texts_are_no_encodings() -> None:
    assert [encoding_labels.codec(label) for label in ("punycode", "rot13", "undefined", "nonsense")] == [None] * 4


def test_one_bad_byte_becomes_a_replacement_character_and_the_rest_stays(tmp_path: Path) -> None:
    page, plain = tmp_path / "a.html", tmp_path / "a.txt"
    page.write_bytes(b'<meta charset="x-sjis"><p>' + "家賃は月九万円です".encode("cp932") + b" \x85\x20 end</p>")
    plain.write_bytes("Die Mühle kostet fünf Kronen für Übermüdete ".encode() + b"\xfc")
    assert documents.read(page, cache=False).text.startswith("家賃は月九万円です \ufffd")
    declared = tmp_path / "b.html"
    declared.write_bytes(b'<meta charset="utf-8"><p>f' + "ü".encode() + b"r 40 \xa4\xa4</p>")
    assert documents.read(declared, cache=False).text == "für 40 \ufffd\ufffd"
    text = documents.read(plain)
    assert text.text == "Die Mühle kostet fünf Kronen für Übermüdete \ufffd"
    (warning,) = text.warnings
    assert warning.startswith(f"{plain}: 1 character cannot be read as UTF-8 and became \ufffd; if more is wrong,")
