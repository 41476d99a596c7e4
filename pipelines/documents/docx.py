"""Word's .docx, opened by python-docx (MIT): paragraphs, tables by rows, text boxes, and the notes at the end.

The elements are visited here, because python-docx's own `text` leaves out content controls and tracked insertions.
Deleted text, headers and footers are left out; headings are the marks.
"""

from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.optional import need
from pipelines.documents import Text, file_bytes
from pipelines.documents._writer import Writer

VERSION = 1
LIBRARY = "python-docx"

_DROPPED = frozenset(("del", "moveFrom", "Fallback", "pPr", "rPr"))
_NOTES = ("/footnotes", "/endnotes")


def read(path: Path) -> Text:
    """The words of a document. Raises `UserError` for one that is protected, damaged, or no Word document."""
    docx = need("docx", "documents", "reading .docx")
    with file_bytes.unpacked(path) as archive:
        if "word/document.xml" not in archive.namelist():
            raise UserError(f"{path} is a zip, but no Word document: rename it to what it is (.xlsx, .epub …)")
        for name in archive.namelist():  # python-docx holds every part, the XML ones as trees
            if name.endswith((".xml", ".rels")):
                file_bytes.tree_part(path, archive, name)
    roots, styles, title = _opened(docx, path)
    writer, headings = Writer(), list[tuple[int, str]]()
    for root in roots:
        _write(root, styles, writer, headings)
        writer.block(2)
    return Text(writer.text, title, "section", tuple(headings))


def _opened(docx: Any, path: Path) -> tuple[list[Any], dict[str, str], str]:
    """The trees of the text, the footnotes and the endnotes; the names of the styles; the title."""
    try:
        document = docx.Document(str(path))
        relations = document.part.rels.values()
        notes = [rel.target_part.blob for rel in relations if rel.reltype.endswith(_NOTES)]
        styles = {style.style_id: style.name or "" for style in document.styles}
        title = (document.core_properties.title or "").strip()
        return [document.element.body, *(docx.oxml.parse_xml(blob) for blob in notes)], styles, title
    # python-docx does not check the parts, so damage shows as any of these; lxml's errors are SyntaxErrors
    except (AttributeError, KeyError, TypeError, ValueError, SyntaxError, docx.exceptions.PythonDocxError) as error:
        raise UserError(f"{path} cannot be read ({error}): it is damaged; open it in Word and save it again") from None


def _write(root: Any, styles: dict[str, str], writer: Writer, headings: list[tuple[int, str]]) -> None:
    from lxml import etree

    walker = etree.iterwalk(root, events=("start", "end"))
    tables, start = 0, 0
    for event, element in walker:
        tag = etree.QName(element).localname if isinstance(element.tag, str) else "del"
        if event == "start":
            if tag in _DROPPED:
                walker.skip_subtree()
            tables += tag == "tbl"
            start = writer.next if tag == "p" else start
            continue
        if tag == "t":
            writer.words(element.text)
        elif tag in ("br", "cr"):
            writer.block(1)
        elif tag in ("tab", "tc"):
            writer.space()
        elif tag == "noBreakHyphen":
            writer.words("-")
        elif tag == "p":
            writer.space() if tables else writer.block(2)
            if heading := _heading(element, styles):
                headings.append((start, heading))
        elif tag == "tr":
            writer.block(1)
        elif tag == "tbl":
            tables -= 1
            writer.block(2)


def _heading(paragraph: Any, styles: dict[str, str]) -> str | None:
    """The text of a heading, None for other paragraphs."""
    style = next((e for e in paragraph.iterfind("./{*}pPr/{*}pStyle")), None)
    name = styles.get(next(iter(style.values()), ""), "") if style is not None else ""
    if not name.lower().startswith(("heading", "title")):
        return None
    return " ".join("".join(e.text or "" for e in paragraph.iter("{*}t")).split()) or None
