import zipfile
from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import documents
from tests.pipelines.documents import small_files

PAGES = {
    "one.xhtml": "<?xml version='1.0'?><html><head><title/></head><body><h1>Loomings</h1><p>Call me&nbsp;Ishmael.</p>"
    "</body></html>",
    "two.xhtml": "<html><body><p>The ship sails. 🐳</p></body></html>",
}
CONTENTS = """<ncx><navMap><navPoint><navLabel><text>The Carpet-Bag</text></navLabel>
<content src="two.xhtml#a"/></navPoint></navMap></ncx>"""
LOCK = """<encryption><EncryptedData><EncryptionMethod Algorithm="{}"/><CipherData>
<CipherReference URI="{}"/></CipherData></EncryptedData></encryption>"""


def test_the_spine_is_read_in_order_and_chapters_are_places(tmp_path: Path) -> None:
    text = documents.read(small_files.epub(tmp_path / "a.epub", PAGES, CONTENTS), cache=False)
    assert text.title == "A Small Book"
    assert text.text == "Loomings\n\nCall me Ishmael.\n\nThe ship sails. 🐳"
    assert text.marks == ((0, "Loomings"), (28, "The Carpet-Bag"))
    assert documents.location(text.meta, text.text, 30, 33) == "chapter The Carpet-Bag"


def test_entries_of_the_contents_within_a_page_are_chapters(tmp_path: Path) -> None:
    page = "<html><body><p>A foreword.</p><p id='a b'>Wool.</p><div><p id='c'>Silk.</p></div></body></html>"
    point = "<navPoint><navLabel><text>{}</text></navLabel><content src='one.xhtml{}'/>"
    nested = "".join(point.format(*one) for one in (("Part I", ""), ("One", "#a%20b"), ("Two", "#c"), ("Lost", "#x")))
    contents = f"<ncx><navMap>{nested}{'</navPoint>' * 4}</navMap></ncx>"
    text = documents.read(small_files.epub(tmp_path / "a.epub", {"one.xhtml": page}, contents), cache=False)
    assert text.marks == ((0, "Part I"), (13, "One"), (20, "Two"))
    assert text.text[20:] == "Silk."


def test_a_missing_page_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    text = documents.read(small_files.epub(tmp_path / "a.epub", {**PAGES, "three.xhtml": ""}), cache=False)
    assert text.text.endswith("sails. 🐳")
    assert "OEBPS/three.xhtml, a part of the book, is missing" in text.warnings[0]


def test_protected_words_are_refused_and_protected_fonts_do_not_matter(tmp_path: Path) -> None:
    lock = LOCK.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/two.xhtml")
    with pytest.raises(UserError, match=r"is protected .DRM."):
        documents.read(small_files.epub(tmp_path / "a.epub", PAGES, **{"META-INF__encryption.xml": lock}))
    fonts = LOCK.format("http://www.idpf.org/2008/embedding", "OEBPS/font.otf")
    path = small_files.epub(tmp_path / "b.epub", PAGES, **{"META-INF__encryption.xml": fonts})
    assert documents.read(path, cache=False).text.startswith("Loomings")


def test_zips_that_are_no_books_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"is a zip, but not an EPUB .META-INF/container.xml is missing."):
        documents.read(small_files.zipped(tmp_path / "a.epub", {"x": "y"}))
    with pytest.raises(UserError, match=r"names no book"):
        documents.read(small_files.zipped(tmp_path / "b.epub", {"META-INF/container.xml": "<container/>"}))
    with pytest.raises(UserError, match=r"has no text"):
        documents.read(small_files.epub(tmp_path / "c.epub", {}))
    (tmp_path / "d.epub").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(UserError, match=r"cannot be read .*damaged"):
        documents.read(tmp_path / "d.epub")
    monkeypatch.setattr("pipelines.documents.file_bytes.LIMIT", 1 << 20)
    with pytest.raises(UserError, match=r"more than 1 MiB when unpacked"):
        documents.read(small_files.epub(tmp_path / "e.epub", {"one.xhtml": "a" * (2 << 20)}))


def test_a_bomb_of_entities_and_outside_files_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret words")
    lures = f"""<!DOCTYPE x [<!ENTITY a "{"b" * 1000}"><!ENTITY c SYSTEM "file://{tmp_path}/secret">]>"""
    page = f"{lures}<html><body><p>Plain &c; {'&a;' * 1000}</p></body></html>"
    text = documents.read(small_files.epub(tmp_path / "a.epub", {"one.xhtml": page}), cache=False).text
    assert "Plain" in text
    assert "secret words" not in text
    assert "bbb" not in text


def test_a_page_that_stands_in_the_spine_again_and_again_is_read_once(tmp_path: Path) -> None:
    book = small_files.epub(tmp_path / "a.epub", {"one.xhtml": "<p>One.</p>", "two.xhtml": "<p>Two.</p>"})
    with zipfile.ZipFile(book) as archive:
        members = {name: archive.read(name).decode() for name in archive.namelist()}
    package = members["OEBPS/book.opf"]
    members["OEBPS/book.opf"] = package.replace("</spine>", '<itemref idref="one.xhtml"/>' * 100_000 + "</spine>")
    assert documents.read(small_files.zipped(tmp_path / "b.epub", members), cache=False).text == "One.\n\nTwo."


def test_pages_that_are_too_much_together_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.documents.file_bytes.LIMIT", 10_000)
    pages = {f"{number}.xhtml": f"<p>{'words ' * 1_000}</p>" for number in range(3)}
    assert len(documents.read(small_files.epub(tmp_path / "a.epub", dict(list(pages.items())[:1]))).text) == 5_999
    with pytest.raises(UserError, match=r"b.epub has more than .* when unpacked; cut it into smaller files"):
        documents.read(small_files.epub(tmp_path / "b.epub", pages), cache=False)


def test_a_part_that_is_parsed_as_a_tree_may_have_so_many_tags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.documents.file_bytes.TAGS", 100)
    book = small_files.epub(tmp_path / "a.epub", {"one.xhtml": "<p>words</p>" * 100})
    assert documents.read(book, cache=False).text.count("words") == 100
    navigation = "<ncx><navMap>" + "<navPoint/>" * 100 + "</navMap></ncx>"
    book = small_files.epub(tmp_path / "b.epub", {"one.xhtml": "<p>words</p>"}, navigation)
    with pytest.raises(UserError, match=r"b.epub: its part OEBPS/toc.ncx has more than 100 tags"):
        documents.read(book, cache=False)


def book(path: Path, manifest: str, spine: str, **pages: str) -> Path:
    package = (
        f"<package xmlns='http://www.idpf.org/2007/opf'><manifest>{manifest}</manifest><spine>{spine}</spine></package>"
    )
    members = {"META-INF/container.xml": small_files.CONTAINER, "OEBPS/book.opf": package}
    return small_files.zipped(
        path, members | {f"OEBPS/{name.replace('__', '.')}": page for name, page in pages.items()}
    )


def test_every_page_of_the_spine_is_read_whatever_type_it_is_given(tmp_path: Path) -> None:
    kinds = ("application/xhtml+xml", "application/xml", "text/xml", "application/xhtml", "text/x-oeb1-document", "")
    manifest = "".join(f'<item id="p{n}" href="p{n}.xml" media-type="{kind}"/>' for n, kind in enumerate(kinds))
    manifest += '<item id="cover" href="c.png" media-type="image/png"/>'
    spine = '<itemref idref="cover"/>' + "".join(f'<itemref idref="p{n}" linear="no"/>' for n in range(len(kinds)))
    pages = {f"p{n}__xml": f"<html><body><p>Page {n}.</p></body></html>" for n in range(len(kinds))}
    text = documents.read(book(tmp_path / "a.epub", manifest, spine, **pages, c__png="x"), cache=False)
    assert text.text == "\n\n".join(f"Page {n}." for n in range(len(kinds)))
    assert text.warnings == ()


def test_names_in_the_spine_that_are_of_no_page_are_reported_and_near_ones_are_read(tmp_path: Path) -> None:
    manifest = '<item id="a" href="A.xhtml"/><item id="b" href="b.xhtml"/>'
    pages = {"a__xhtml": "<p>One.</p>", "b__xhtml": "<p>Two.</p>"}
    path = book(tmp_path / "a.epub", manifest, '<itemref idref="a"/><itemref idref="B"/><itemref idref="zz"/>', **pages)
    text = documents.read(path, cache=False)
    assert text.text == "One.\n\nTwo."
    assert text.warnings == (f"{path}: 'zz', a part of the book, is missing",)


def test_a_book_whose_spine_names_nothing_is_read_in_the_order_of_its_files(tmp_path: Path) -> None:
    manifest = '<item id="a" href="a.xhtml" media-type="text/html"/>'
    assert documents.read(book(tmp_path / "a.epub", manifest, "", a__xhtml="<p>One.</p>"), cache=False).text == "One."


def test_style_sheets_of_a_book_count(tmp_path: Path) -> None:
    head = "<head><link rel='stylesheet' href='s.css'/></head>"
    page = f"<html>{head}<body><p>10<span class='up'>6</span> cells<span class='gone'> no</span></p></body></html>"
    sheet = ".up { vertical-align: super } .gone { display: none }"
    path = book(
        tmp_path / "a.epub", '<item id="a" href="a.xhtml"/>', '<itemref idref="a"/>', a__xhtml=page, s__css=sheet
    )
    assert documents.read(path, cache=False).text == "10^6 cells"


def test_a_sentence_that_goes_over_two_files_is_whole(tmp_path: Path) -> None:
    pages = {"one.xhtml": "<p>The miller and his</p>", "two.xhtml": "<p>sister fled.</p>", "three.xhtml": "<p>End.</p>"}
    assert documents.read(small_files.epub(tmp_path / "a.epub", pages), cache=False).text == (
        "The miller and his sister fled.\n\nEnd."
    )


def test_headings_have_the_levels_of_the_contents_and_their_words_where_these_are_in_the_text(tmp_path: Path) -> None:
    page = "<body><p id='a'>PART  one</p><p>Wool.</p><p id='b'>Silk.</p></body>"
    point = "<navPoint><navLabel><text>{}</text></navLabel><content src='one.xhtml#{}'/>"
    contents = (
        f"<ncx><navMap>{point.format('Part One', 'a')}{point.format('Two', 'b')}{'</navPoint>' * 2}</navMap></ncx>"
    )
    text = documents.read(small_files.epub(tmp_path / "a.epub", {"one.xhtml": page}, contents), cache=False)
    assert [tuple(heading) for heading in text.headings] == [(0, 8, 1, "Part One"), (17, 17, 2, "Two")]
    assert text.marks == ((0, "Part One"), (17, "Two"))
