"""Word's .docx, .docm and .dotx, by lxml (BSD): what Word shows, in order.

python-docx leaves out content controls, tracked insertions, the numbers that Word makes, notes and formulas, and opens
no file in the Strict form; mammoth and markitdown make HTML or Markdown, whose positions are no longer the words'. So
the parts are read here. Headers, footers, comments, and the words in charts are left out; headings are the marks.
"""

import posixpath
import zipfile
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines.documents import Text, file_bytes
from pipelines.documents.markup.writer import headings_of
from pipelines.documents.word.numbers import Numbers
from pipelines.documents.word.styles import Styles, value
from pipelines.documents.word.text import WordText

VERSION = 3
LIBRARY = "lxml"

_UNKNOWN_PREFIX = 201  # libxml2's number for a prefix that is not declared
_MAIN = "word/document.xml"
_NOTES = {"footnotes": "footnote", "endnotes": "endnote"}


def read(path: Path) -> Text:
    """The text of a document. Raises `UserError` if it is protected, damaged, or not a Word document."""
    with file_bytes.unpacked(path) as archive:
        names = set(archive.namelist())
        package = _related(path, archive, names, "")
        main = package.get("officeDocument", _MAIN)
        root = _part(path, archive, names, main)
        if root is None or root.tag.rpartition("}")[2] != "document":
            raise UserError(f"{path} is a zip, but not a Word document. Rename it to its real type (.xlsx, .epub …)")
        parts = _related(path, archive, names, main)
        styles = Styles.of(_part(path, archive, names, parts.get("styles")))
        numbers = Numbers.of(_part(path, archive, names, parts.get("numbering")), styles)
        notes = {
            (kind, _note_id(note)): note
            for part, kind in _NOTES.items()
            if (tree := _part(path, archive, names, parts.get(part))) is not None
            for note in tree.iterfind(f"./{{*}}{kind}")
        }
        settings = _part(path, archive, names, parts.get("settings"))
        properties = _part(path, archive, names, package.get("core-properties"))
    text = WordText(styles, numbers, notes, _note_formats(settings))
    text.write(root)
    title = properties.findtext("./{*}title") if properties is not None else ""
    words = text.writer.text
    headings = tuple(headings_of(words, text.sink))
    marks = tuple((heading.start, heading.title) for heading in headings)
    name, tables = " ".join((title or "").split()), tuple(text.sink.tables)
    problem = f"{path}: {counted(text.inserted, 'file')} inserted in it not read; open it in Word and save it again"
    warnings = (problem,) if text.inserted else ()
    return Text(words, name, "section", marks, warnings=warnings, headings=headings, tables=tables)


def _related(path: Path, archive: zipfile.ZipFile, names: set[str], part: str) -> dict[str, str]:
    """The related parts of a part by kind; of several of one kind, the first."""
    folder, name = posixpath.split(part)
    rels_name = posixpath.join(folder, "_rels", f"{name}.rels")
    if rels_name not in names:
        return {}
    related: dict[str, str] = {}
    for relation in _tree(path, archive, rels_name).iterfind("./{*}Relationship"):
        kind = relation.get("Type", "").rpartition("/")[2]
        target = posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))).lstrip("/")
        related.setdefault(kind, target)
    return related


def _part(path: Path, archive: zipfile.ZipFile, names: set[str], name: str | None) -> Any:
    return _tree(path, archive, name) if name in names and name is not None else None


def _tree(path: Path, archive: zipfile.ZipFile, name: str) -> Any:
    from lxml import etree

    data = file_bytes.tree_part(path, archive, name)
    settings = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": True}
    parser = etree.XMLParser(**settings)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        if all(entry.type == _UNKNOWN_PREFIX for entry in parser.error_log):  # Word opens it all the same
            return etree.fromstring(data, etree.XMLParser(recover=True, **settings))
        if "depth" in str(error):
            raise UserError(f"{path} is nested too deeply to be read; save it from Word as text or PDF") from None
        problem = f"{path} cannot be read ({name}: {error.msg})"
        raise UserError(f"{problem}. It is damaged; open it in Word and save it again") from None


def _note_id(note: Any) -> str:
    return next((text for name, text in note.attrib.items() if name.rpartition("}")[2] == "id"), "")


def _note_formats(settings: Any) -> dict[str, str]:
    """The number format of each kind of notes."""
    formats = {"footnote": "decimal", "endnote": "lowerRoman"}
    for kind in formats if settings is not None else ():
        formats[kind] = value(settings.find(f"./{{*}}{kind}Pr/{{*}}numFmt")) or formats[kind]
    return formats
