"""Small files of each format, made by hand so that nothing but the readers is tested."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'


def pdf(path: Path, pages: Sequence[Sequence[str]], title: str = "", protected: bool = False) -> Path:
    """A PDF with a line of Latin-1 text for each string; `protected` by a password that nobody knows."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids = []
    for lines in pages:
        operators = "".join(f"({line}) Tj 0 -14 Td\n" for line in lines).encode("latin-1")
        stream = b"BT /F1 12 Tf 72 720 Td\n" + operators + b"ET"
        objects.append(b"<</Length %d>>stream\n%b\nendstream" % (len(stream), stream))
        page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents {} 0 R>>"
        objects.append(page.format(len(objects)).encode())
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>".encode()
    objects.append(f"<</Title({title})>>".encode())
    lock = f"/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<{'41' * 32}>/U<{'42' * 32}>>>" if protected else ""
    return _pdf_of_objects(path, objects, f"/Info {len(objects)} 0 R{lock}")


def placed_pdf(
    path: Path, pages: Sequence[Sequence[tuple[float, float, str]]], *annotations: str, size: int = 11
) -> Path:
    """A PDF with words at x, y in points from the lower left corner; `annotations` are on the first page."""
    first = len(pages) * 2 + 4  # number of the first annotation's object
    fields = " ".join(f"{first + number} 0 R" for number, text in enumerate(annotations) if "/Widget" in text)
    form = f"/AcroForm<</Fields[{fields}]/DA(/F1 11 Tf)/DR<</Font<</F1 3 0 R>>>>>>" if fields else ""
    kids = " ".join(f"{number * 2 + 5} 0 R" for number in range(len(pages)))
    objects = [
        f"<</Type/Catalog/Pages 2 0 R{form}>>".encode(),
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    for number, words in enumerate(pages):
        stream = "".join(f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET\n" for x, y, text in words).encode("cp1252")
        objects.append(b"<</Length %d>>stream\n%b\nendstream" % (len(stream), stream))
        places = " ".join(f"{first + place} 0 R" for place in range(len(annotations))) if number == 0 else ""
        resources = f"/Resources<</Font<</F1 3 0 R>>>>/Contents {len(objects)} 0 R/Annots[{places}]"
        objects.append(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]{resources}>>".encode())
    objects += [f"<</Type/Annot/F 4{text}>>".encode() for text in annotations]
    return _pdf_of_objects(path, objects)


def _pdf_of_objects(path: Path, objects: Sequence[bytes], trailing: str = "") -> Path:
    body, offsets = b"%PDF-1.4\n", list[int]()
    for number, text in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, text)
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    trailer = f"trailer<</Size {len(objects) + 1}/Root 1 0 R{trailing}>>"
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}\nstartxref\n{len(body)}\n%%EOF\n"
    path.write_bytes(body + end.encode())
    return path


def epub(path: Path, pages: Mapping[str, str], contents: str = "", **more: str) -> Path:
    """An EPUB with the given pages in order; `contents` is its table of contents (NCX); `more` are further members."""
    items = "".join(f'<item id="{n}" href="{n}" media-type="application/xhtml+xml"/>' for n in pages)
    items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' if contents else ""
    spine = "".join(f'<itemref idref="{name}"/>' for name in pages)
    head = "<metadata><dc:title xmlns:dc='http://purl.org/dc/elements/1.1/'>A  Small Book</dc:title></metadata>"
    package = f"<package xmlns='http://www.idpf.org/2007/opf'>{head}<manifest>{items}</manifest><spine>{spine}</spine>"
    members = {"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": package + "</package>"}
    members |= {f"OEBPS/{name}": page for name, page in pages.items() if page}
    members |= {"OEBPS/toc.ncx": contents} if contents else {}
    return zipped(path, members | {name.replace("__", "/"): text for name, text in more.items()})


def zipped(path: Path, members: Mapping[str, str]) -> Path:
    """A zip with the given members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def docx(path: Path, body: str, namespace: str = W, title: str = "", **parts: str) -> Path:
    """A Word document with a title; `parts` are what its styles, numbering … hold, without the element around it."""
    m = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    names = f'xmlns:w="{namespace}" xmlns:m="{m}"'
    members = {"word/document.xml": f"<w:document {names}><w:body>{body}</w:body></w:document>"}
    members |= {f"word/{name}.xml": f"<w:{name} {names}>{inside}</w:{name}>" for name, inside in parts.items()}
    related = "".join(f'<Relationship Id="{n}" Type="{_RELATED}/{n}" Target="{n}.xml"/>' for n in parts)
    main = f'<Relationship Id="d" Type="{_RELATED}/officeDocument" Target="word/document.xml"/>'
    core = '<Relationship Id="c" Type="x/metadata/core-properties" Target="docProps/core.xml"/>'
    members["_rels/.rels"] = f"<Relationships>{main}{core}</Relationships>"
    members["docProps/core.xml"] = f"<coreProperties><title>{title}</title></coreProperties>"
    members["word/_rels/document.xml.rels"] = f"<Relationships>{related}</Relationships>"
    return zipped(path, members)


def paragraph(*runs: str, **properties: str) -> str:
    """A paragraph of runs: words, or a whole element; `properties` are elements by name and value."""
    inside = "".join(run if run.startswith("<") else f"<w:r><w:t>{run}</w:t></w:r>" for run in runs)
    settings = "".join(f'<w:{name} w:val="{value}"/>' for name, value in properties.items())
    return f"<w:p><w:pPr>{settings}</w:pPr>{inside}</w:p>"


def run(words: str, properties: str) -> str:
    """A run with properties."""
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{words}</w:t></w:r>"
