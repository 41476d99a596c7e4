"""Parsers of users' documents, and what cuts their texts."""

import io
import zipfile
from itertools import islice
from pathlib import Path

from tests.attacks.fuzz.harness import choose, sections, target, text

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/c.opf"/></rootfiles></container>'
OPF = (
    '<package><metadata><title>T</title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="n" href="n.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="x" href="t.ncx" '
    'media-type="application/x-dtbncx+xml"/></manifest><spine><itemref idref="a"/></spine></package>'
)
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
DOCX = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default '
    'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
    'ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
    'Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>',
    "word/document.xml": f'<w:document {W}><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Hi</w:t></w:r>'
    "</w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>",
}
EPUB = {
    "META-INF/container.xml": CONTAINER,
    "OEBPS/c.opf": OPF,
    "OEBPS/a.xhtml": '<html><body><h1 id="x">One</h1><p>Call me.</p></body></html>',
    "OEBPS/n.xhtml": '<nav><a href="a.xhtml#x">One</a></nav>',
    "OEBPS/t.ncx": '<ncx><navPoint><navLabel><text>One</text></navLabel><content src="a.xhtml#x"/></navPoint></ncx>',
}
PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<<"
    b"/Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont"
    b"/Helvetica>>>>>>>>endobj\n4 0 obj<</Length 33>>stream\nBT /F 9 Tf 9 9 Td (Hello) Tj ET\nendstream endobj\n"
    b"trailer<</Root 1 0 R>>\n"
)


def _parts(files: dict[str, str]) -> bytes:
    return "".join(f"=== {name}\n{content}\n" for name, content in files.items()).encode()


def _zip(data: bytes) -> bytes:
    """A zip of an input that is several files; else the input itself, which may be one."""
    files = sections(data)
    if not files:
        return data
    zip_content = io.BytesIO()
    with zipfile.ZipFile(zip_content, "w") as archive:
        for name, content in islice(files.items(), 12):
            archive.writestr(name.replace("\0", "") or "x", content)
    return zip_content.getvalue()


def _document(data: bytes, folder: Path, suffix: str) -> None:
    from pipelines import documents

    path = folder / f"file{suffix}"
    path.write_bytes(data)
    document = documents.read(path, cache=False)
    document.text.encode("utf-8", "surrogatepass")
    positions = [start for start, _ in document.marks]
    assert positions == sorted(positions) and all(0 <= start <= len(document.text) for start in positions), "marks"
    for start in {0, len(document.text) // 2, len(document.text)}:
        documents.location(document.meta, document.text, start, min(start + 5, len(document.text)))


@target("\0plain text\n", "\0\xef\xbb\xbfwith a mark", b"\0caf\xe9", b"\0\xff\xfea\0", "\1# One\n\n```\n# no\n```\nTwo\n===\n",
        "\2\\section{A} text")  # fmt: skip
def text_file(data: bytes, folder: Path) -> None:
    suffix, rest = choose(data, (".txt", ".md", ".tex"))
    _document(rest, folder, suffix)


@target(
    '\0[{"a": "\\u00c5 text", "b": [1, null, {"c": true}]}, "x"]',
    '\1{"a": "one"}\n\n{"b": "\\ud800"}\n',
    '\0{"a": 1',
    "\1[]",
)
def json_file(data: bytes, folder: Path) -> None:
    suffix, rest = choose(data, (".json", ".jsonl"))
    _document(rest, folder, suffix)


@target('<html><head><title>T</title></head><body><h1 id="a">One</h1><pre>a\n b</pre><p hidden>x</p><td>c</body></html>',
        '<?xml version="1.0" encoding="utf-16"?><p>x', '<meta charset="koi8-r">\xc1', "<b>" * 50,
        "<h1><template><h2>x</h1></template>y</h2>", "<table><tr><td>1<td>2</table><svg><title>z</title></svg>")  # fmt: skip
def html_page(data: bytes, folder: Path) -> None:
    _document(data, folder, ".html")


@target(_parts(EPUB), longest=6000)
def epub_book(data: bytes, folder: Path) -> None:
    _document(_zip(data), folder, ".epub")


@target(_parts(DOCX), longest=6000)
def docx_file(data: bytes, folder: Path) -> None:
    _document(_zip(data), folder, ".docx")


@target(PDF)
def pdf_file(data: bytes, folder: Path) -> None:
    _document(data, folder, ".pdf")


@target("\0" + "1\n00:00:01,000 --> 00:00:02,000\nHello <i>you</i>\n\n2\n00:00:03,000 --> 00:00:04,000\nBye\n",
        "\1WEBVTT\n\nNOTE x\n\nid\n00:01.000 --> 00:02.000 align:start\n<v Ann>Hello &amp; bye\n")  # fmt: skip
def subtitle_file(data: bytes, folder: Path) -> None:
    suffix, rest = choose(data, (".srt", ".vtt"))
    _document(rest, folder, suffix)


@target("=== data/test.jsonl\n{}\n", "=== ../a\nx\n", b"PK\x03\x04rubbish")
def zip_member(data: bytes, folder: Path) -> None:
    from pipelines.sources import reading
    from pipelines.sources import zips as parser

    (folder / "a.zip").write_bytes(_zip(data))
    for name in [*parser.names(folder / "a.zip"), "data/test.jsonl"][:4]:
        reading.text(parser.Member(folder / "a.zip", name))


CHUNKERS = (
    "sections",
    "sentences",
    "paragraphs",
    "lines",
    "mentions",
    "numbered",
    "tokens:size=3",
    "units",
    "single_lines",
)


@target(
    *(
        bytes([number])
        + b"# One\n\n1. A list\nDr. Moss said: no.\n\nII. TWO\n(a) x; (b) y\nTable of contents ..... 4\n"
        for number in range(len(CHUNKERS))
    ),
    "\0ARTICLE IV\nSec. 2.1 Terms.\n- a\n- b\n\n\nVon \u0928\u093f \u4e2d\u6587\u3002",
)
def chunks(data: bytes, folder: Path) -> None:
    import chunkers

    name, rest = choose(data, CHUNKERS)
    document = text(rest)
    for chunk in chunkers.get(name).split(document, "Who is Dr. Moss?"):
        assert document[chunk.start : chunk.end] == chunk.text
