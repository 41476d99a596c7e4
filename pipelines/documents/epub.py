"""EPUB 2 and 3: the pages of the book's spine, in order, by the standard library's zip and the reader of HTML.

(EbookLib is AGPL.) Chapters are a page's headings, or its entries in the table of contents if there are more of these.
Sources: EPUB 3.3, sections 4.2.6 (container), 5.6 (spine) and 7 (navigation); OPF 2.0.1 for the NCX.
"""

import posixpath
import re
import zipfile
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from chunkers import Heading
from longdoc.errors import UserError
from pipelines.documents import LONGEST_HEADING, Text, file_bytes, html
from pipelines.documents._joined import Joined
from pipelines.documents.markup import css

VERSION = 5
LIBRARY = "lxml"

# Every other item of the spine is read as a page, since books give their chapters all sorts of types
_NO_PAGES = (
    "image/", "audio/", "video/", "font/", "text/css", "text/javascript", "application/javascript",
    "application/x-dtbncx+xml", "application/font", "application/vnd.ms-opentype", "application/pdf",
)  # fmt: skip
_PAGES = ("application/xhtml+xml", "text/html")
DEEPEST = 50  # entries of a table of contents in each other
SHEET = 1 << 20  # characters of a style sheet that is followed
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")  # fonts made unreadable, not words


def read(path: Path) -> Text:
    """The text of a book. Raises `UserError` if it is protected, damaged, or not a book."""
    with file_bytes.unpacked(path) as archive:
        package, folder = _package(path, archive)
        pages, missing = _spine(package, folder)
        _check_protection(path, archive, pages)
        names = {name.casefold(): name for name in reversed(archive.namelist())}
        entries = _contents(path, archive, package, folder)
        sheets = _Sheets(path, archive)
        joined = Joined()
        warnings = {f"{path}: {name}, a part of the book, is missing": None for name in missing}
        for page in pages:
            if (name := page if page in archive.namelist() else names.get(page.casefold())) is None:
                warnings[f"{path}: {page}, a part of the book, is missing"] = None
                continue
            chapter = html.page(path, file_bytes.part(path, archive, name), partial(sheets.of, name))
            warnings |= dict.fromkeys(chapter.warnings)
            if not chapter.text:
                continue
            chapters = max(chapter.headings, _contents_headings(entries.get(page, []), chapter), key=len)
            is_continued = bool(joined.pieces) and _continues_sentence(joined.pieces[-1], chapter, chapters)
            joined.add(chapter.text, chapters, chapter.tables, " " if is_continued else "\n\n")
            if joined.length > file_bytes.LIMIT:
                raise file_bytes.too_large(path)
    title = package.findtext(".//{*}metadata/{*}title") or ""
    marks = tuple((heading.start, heading.title) for heading in joined.headings)
    name, headings, tables = " ".join(title.split()), tuple(joined.headings), tuple(joined.tables)
    return Text(joined.text, name, "chapter", marks, warnings=tuple(warnings), headings=headings, tables=tables)


@dataclass(slots=True)
class _Sheets:
    """The style sheets of a book; each combination is read once."""

    path: Path
    archive: zipfile.ZipFile
    styles_by_sheets: dict[tuple[str, ...], css.Styles] = field(default_factory=dict)

    def of(self, page: str, addresses: tuple[str, ...]) -> css.Styles:
        """The styles of the style sheets that a page links to."""
        names = tuple(_path_at(posixpath.dirname(page), address) for address in addresses)
        if names not in self.styles_by_sheets:
            texts = [self._text(name) for name in names]
            self.styles_by_sheets[names] = css.Styles().with_sheets(texts)
        return self.styles_by_sheets[names]

    def _text(self, name: str) -> str:
        if name not in self.archive.namelist():
            return ""
        return file_bytes.part(self.path, self.archive, name)[:SHEET].decode("utf-8", "replace")


def _continues_sentence(before: str, page: html.Page, chapters: list[Heading]) -> bool:
    """Whether a page continues the last sentence of the page before, as some books are cut by size."""
    return not (chapters and chapters[0].start == 0) and page.text[0].islower() and before[-1].isalpha()


def _xml(path: Path, archive: zipfile.ZipFile, name: str) -> Any:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True)
    if name not in archive.namelist():
        raise UserError(f"{path} is a zip, but not an EPUB ({name} is missing). Rename it to its real type")
    try:
        root = etree.fromstring(file_bytes.tree_part(path, archive, name), parser)
    except etree.XMLSyntaxError:  # an empty part, where nothing can be recovered
        root = None
    if root is None:
        raise UserError(f"{path}: {name} is not XML. The book is damaged; fetch or copy it again")
    return root


def _package(path: Path, archive: zipfile.ZipFile) -> tuple[Any, str]:
    """The book's package document and the folder that its names start from."""
    container = _xml(path, archive, "META-INF/container.xml")
    name = next((e.get("full-path") for e in container.iterfind(".//{*}rootfile") if e.get("full-path")), None)
    if name is None:
        raise UserError(f"{path} names no book in META-INF/container.xml. It is damaged; fetch or copy it again")
    return _xml(path, archive, name), posixpath.dirname(name)


def _spine(package: Any, folder: str) -> tuple[list[str], list[str]]:
    """The pages in order, and the names in the spine without an item."""
    items = [item for item in package.iterfind(".//{*}manifest/{*}item") if item.get("href")]
    items_by_key = {item.get("href"): item for item in reversed(items)}
    items_by_key |= {(item.get("id") or "").casefold(): item for item in reversed(items)}
    items_by_key |= {item.get("id"): item for item in reversed(items)}
    pages, missing = list[str](), list[str]()
    for reference in package.iterfind(".//{*}spine/{*}itemref"):
        name = reference.get("idref") or ""
        item = items_by_key.get(name, items_by_key.get(name.casefold()))
        if item is None:
            missing.append(repr(name))
        elif not _is_other(item):
            pages.append(_name(folder, item))
    if not pages:  # the order is lost
        pages = [_name(folder, item) for item in items if item.get("media-type") in _PAGES]
    return list(dict.fromkeys(pages)), list(dict.fromkeys(missing))  # a page is in the spine once (5.6.2)


def _is_other(item: Any) -> bool:
    kind = (item.get("media-type") or "").strip().lower()
    return kind.startswith(_NO_PAGES) and kind != "image/svg+xml"


def _name(folder: str, item: Any) -> str:
    return _path_at(folder, item.get("href", ""))


def _path_at(folder: str, reference: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(reference.partition("#")[0])))


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of the table of contents: the place in its page, how deep it is, and its words."""

    fragment: str
    level: int
    title: str


def _contents(path: Path, archive: zipfile.ZipFile, package: Any, folder: str) -> dict[str, list[_Entry]]:
    """The entries of the table of contents by page; empty if there is no such table."""
    entries: dict[str, list[_Entry]] = {}
    for item in package.iterfind(".//{*}manifest/{*}item"):
        name = _name(folder, item)
        is_nav = "nav" in (item.get("properties") or "").split()
        if not (is_nav or item.get("media-type") == "application/x-dtbncx+xml") or name not in archive.namelist():
            continue
        root, base = _xml(path, archive, name), posixpath.dirname(name)
        for entry in root.iter("{*}a") if is_nav else root.iter("{*}navPoint"):
            content = entry if is_nav else entry.find("./{*}content")
            label = entry if is_nav else entry.find("./{*}navLabel")
            target = None if content is None else content.get("href" if is_nav else "src")
            title = "" if label is None else " ".join("".join(label.itertext()).split())
            if target and title:
                level = sum(
                    ancestor.tag.rpartition("}")[2] in ("ol", "navPoint")
                    for ancestor in islice(entry.iterancestors(), DEEPEST)
                )
                page_entry = _Entry(unquote(target.partition("#")[2]), level + (not is_nav), title)
                entries.setdefault(_path_at(base, target), []).append(page_entry)
    return entries


def _contents_headings(entries: list[_Entry], page: html.Page) -> list[Heading]:
    """The headings of a page from its entries in the table of contents; of several at one position, the first."""
    headings: dict[int, Heading] = {}
    for entry in entries:
        start = page.anchors.get(entry.fragment, 0)
        words = re.compile(r"\s+".join(map(re.escape, entry.title[:LONGEST_HEADING].split())), re.IGNORECASE)
        match = words.match(page.text, start)
        end = match.end() if match else start  # its words may stand in the table of contents alone
        headings.setdefault(start, Heading(start, end, max(entry.level, 1), entry.title))
    return [headings[start] for start in sorted(headings)]


def _check_protection(path: Path, archive: zipfile.ZipFile, pages: list[str]) -> None:
    """Raise `UserError` if pages are encrypted (DRM)."""
    if "META-INF/encryption.xml" not in archive.namelist():
        return
    for data in _xml(path, archive, "META-INF/encryption.xml").iter("{*}EncryptedData"):
        method = data.find("./{*}EncryptionMethod")
        reference = data.find(".//{*}CipherReference")
        is_font = method is not None and method.get("Algorithm") in _FONTS
        if not is_font and reference is not None and _path_at("", reference.get("URI", "")) in pages:
            raise UserError(f"{path} is protected (DRM); ask the shop for a copy without it")
