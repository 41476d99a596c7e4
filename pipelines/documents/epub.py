"""EPUB 2 and 3: the pages of the book's spine, in order, by the standard library's zip and the reader of HTML.

(EbookLib is AGPL.) Chapters are a page's headings, or its entries in the table of contents if there are more of these.
Sources: EPUB 3.3, sections 4.2.6 (container), 5.6 (spine) and 7 (navigation); OPF 2.0.1 for the NCX.
"""

import posixpath
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from longdoc.errors import UserError
from pipelines.documents import Text, file_bytes, html

VERSION = 4
LIBRARY = "lxml"

_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")  # fonts made unreadable, not words


def read(path: Path) -> Text:
    """The book's text. Raises `UserError` for one that is protected, damaged, or no book."""
    with file_bytes.unpacked(path) as archive:
        package, folder = _package(path, archive)
        pages = _spine(package, folder)
        _check_protection(path, archive, pages)
        names = set(archive.namelist())
        entries = _contents(path, archive, package, folder)
        texts, marks, warnings, position = list[str](), list[tuple[int, str]](), dict[str, None](), 0
        for page in pages:
            if page not in names:
                warnings[f"{path}: {page}, a part of the book, is missing"] = None
                continue
            chapter = html.page(path, file_bytes.part(path, archive, page))
            warnings |= dict.fromkeys(chapter.warnings)
            if not chapter.text:
                continue
            chapters = max(chapter.headings, _listed(entries.get(page, []), chapter), key=len)
            marks += [(position + start, label) for start, label in chapters]
            texts.append(chapter.text)
            position += len(chapter.text) + 2
            if position > file_bytes.LIMIT:
                raise file_bytes.too_large(path)
    title = package.findtext(".//{*}metadata/{*}title") or ""
    return Text("\n\n".join(texts), " ".join(title.split()), "chapter", tuple(marks), warnings=tuple(warnings))


def _xml(path: Path, archive: zipfile.ZipFile, name: str) -> Any:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True)
    if name not in archive.namelist():
        raise UserError(f"{path} is a zip, but no EPUB ({name} is missing): rename it to what it is")
    try:
        root = etree.fromstring(file_bytes.tree_part(path, archive, name), parser)
    except etree.XMLSyntaxError:  # an empty part, where nothing can be recovered
        root = None
    if root is None:
        raise UserError(f"{path}: {name} is no XML: the book is damaged; fetch or copy it again")
    return root


def _package(path: Path, archive: zipfile.ZipFile) -> tuple[Any, str]:
    """The book's package document and the folder that its names start from."""
    container = _xml(path, archive, "META-INF/container.xml")
    name = next((e.get("full-path") for e in container.iterfind(".//{*}rootfile") if e.get("full-path")), None)
    if name is None:
        raise UserError(
            f"{path} does not say where its book is (META-INF/container.xml): it is damaged; fetch or copy it again"
        )
    return _xml(path, archive, name), posixpath.dirname(name)


def _spine(package: Any, folder: str) -> list[str]:
    items = {item.get("id"): item for item in package.iterfind(".//{*}manifest/{*}item")}
    order = [items.get(ref.get("idref")) for ref in package.iterfind(".//{*}spine/{*}itemref")]
    pages = [_name(folder, item) for item in order if item is not None and item.get("media-type") in _PAGES]
    return list(dict.fromkeys(pages))  # a page is in the spine once (5.6.2); a repetition is no new text


def _name(folder: str, item: Any) -> str:
    return _path_at(folder, item.get("href", ""))


def _path_at(folder: str, reference: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(reference.partition("#")[0])))


def _contents(path: Path, archive: zipfile.ZipFile, package: Any, folder: str) -> dict[str, list[tuple[str, str]]]:
    """The entries of the table of contents by page, as (fragment, title); none where there is no such table."""
    entries: dict[str, list[tuple[str, str]]] = {}
    for item in package.iterfind(".//{*}manifest/{*}item"):
        name = _name(folder, item)
        nav = "nav" in (item.get("properties") or "").split()
        if not (nav or item.get("media-type") == "application/x-dtbncx+xml") or name not in archive.namelist():
            continue
        root, base = _xml(path, archive, name), posixpath.dirname(name)
        for entry in root.iter("{*}a") if nav else root.iter("{*}navPoint"):
            content = entry if nav else entry.find("./{*}content")
            label = entry if nav else entry.find("./{*}navLabel")
            target = None if content is None else content.get("href" if nav else "src")
            title = "" if label is None else " ".join("".join(label.itertext()).split())
            if target and title:
                entries.setdefault(_path_at(base, target), []).append((unquote(target.partition("#")[2]), title))
    return entries


def _listed(entries: list[tuple[str, str]], page: html.Page) -> list[tuple[int, str]]:
    """The positions of one page's entries; of several at one position the first."""
    values: dict[int, str] = {}
    for fragment, title in entries:
        values.setdefault(page.anchors.get(fragment, 0), title)
    return sorted(values.items())


def _check_protection(path: Path, archive: zipfile.ZipFile, pages: list[str]) -> None:
    """Raises `UserError` where the words are encrypted (DRM)."""
    if "META-INF/encryption.xml" not in archive.namelist():
        return
    for data in _xml(path, archive, "META-INF/encryption.xml").iter("{*}EncryptedData"):
        method = data.find("./{*}EncryptionMethod")
        reference = data.find(".//{*}CipherReference")
        fonts = method is not None and method.get("Algorithm") in _FONTS
        if not fonts and reference is not None and _path_at("", reference.get("URI", "")) in pages:
            raise UserError(f"{path} is protected (DRM): ask the shop for a copy without, or for its text")
