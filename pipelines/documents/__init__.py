"""Your own documents as text: one file per format, each with `read(path) -> Text`.

Positions are code points of the extracted text; `location` turns them into something a person can look up: a page, a
chapter, a section, a time, a line.
"""

import os
from bisect import bisect_right
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from chunkers import Heading, Layout
from longdoc import foreign_files, links
from longdoc.errors import UserError
from pipelines.documents import _cache, file_bytes
from pipelines.documents.file_bytes import existing as existing

LONGEST_HEADING = 500  # characters: a longer one is a paragraph that is marked up wrongly

Kind = Literal["page", "chapter", "section", "time", "row"]

READERS = {
    ".txt": "text",
    ".text": "text",
    ".rst": "rst",
    ".tex": "latex",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".epub": "epub",
    ".pdf": "pdf",
    **dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), "docx"),
    **dict.fromkeys((".srt", ".vtt", ".ass", ".ssa", ".sbv", ".ttml", ".dfxp"), "subtitles"),
    **dict.fromkeys((".eml", ".mbox", ".mht", ".mhtml"), "mail"),
    ".ipynb": "notebook",
    **dict.fromkeys((".xml", ".nxml", ".tei"), "xml_articles"),
}
JSON_READERS = dict.fromkeys((".json", ".jsonl", ".ndjson"), "json_values")
_OFFICE = "soffice --headless --convert-to {to} {name} (LibreOffice), then {ask}"
_PARQUET = "import pandas; pandas.read_parquet('{name}').to_json('{new}', orient='records', lines=True)"
_REMEDIES = {
    **dict.fromkeys((".doc", ".odt", ".rtf", ".wpd", ".pages"), (".docx", _OFFICE)),
    **dict.fromkeys((".ppt", ".pptx", ".odp", ".key"), (".pdf", _OFFICE)),
    **dict.fromkeys((".xls", ".xlsx", ".ods", ".numbers"), (".csv", _OFFICE)),
    **dict.fromkeys((".mobi", ".azw", ".azw3", ".fb2", ".lit"), (".epub", "ebook-convert {name} {new} (calibre)")),
    **dict.fromkeys((".ps", ".eps"), (".pdf", "ps2pdf {name} {new} (Ghostscript)")),
    ".parquet": (".jsonl", f'python -c "{_PARQUET}", then {{ask}}'),
    ".djvu": (".txt", "djvutxt {name} {new} (DjVuLibre)"),
    ".msg": (".eml", "msgconvert {name} (Email::Outlook::Message)"),
    **dict.fromkeys(
        (".mp3", ".m4a", ".wav", ".ogg", ".mp4", ".mkv", ".mov", ".webm"),
        (".srt", "whisper {name} --output_format srt"),
    ),
    **dict.fromkeys(
        (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".bmp", ".webp"), (".txt", "tesseract {name} {stem} (OCR)")
    ),
    **dict.fromkeys((".zip", ".tar", ".tgz", ".7z", ".rar"), ("", "unpack it, then pass the folder")),
}


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file. `marks` are the positions where its pages, chapters, sections or cues (`kind`) begin.

    `lined`: the lines of the text are those of the file. `warnings` say what could not be read as it should.
    `numbers` are those of the pages at `marks`, from 0, in files that have pages: one without text has no mark.
    `headings` and `tables` are those that the format declares; of headings that are places, `marks` are made.
    """

    text: str
    title: str = ""
    kind: Kind | None = None
    marks: tuple[tuple[int, str], ...] = ()
    lined: bool = False
    warnings: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    headings: tuple[Heading, ...] = ()
    tables: tuple[tuple[int, int], ...] = ()

    @property
    def layout(self) -> Layout:
        """What chunkers go by."""
        return Layout(self.headings, self.tables)

    @property
    def meta(self) -> dict[str, Any]:
        """What a `Document` needs so that `location` works, and its layout."""
        return {"kind": self.kind, "marks": self.marks, "lined": self.lined, "layout": self.layout}


class Reader(Protocol):
    """The module of a format. Texts that `LIBRARY` reads slowly are cached; None: reading again is as fast."""

    VERSION: int  # of our code; another one invalidates cached texts
    LIBRARY: str | None

    def read(self, path: Path) -> Text:
        """The text of a file. Raises `UserError`."""
        ...


def read(path: Path, cache: bool = True, reader_name: str | None = None) -> Text:
    """The text of a file by its ending, or by the reader that is named; an unknown ending is read as plain text.

    Raises `UserError`, with what to do, for files that are missing, empty, protected, damaged or unsupported.
    """
    if existing(path).is_dir():
        raise UserError(f"{path} is a folder where a file is needed: give the file")
    ending = path.suffix.lower()
    if ending in _REMEDIES:
        raise UserError(f"{path}: {ending} files are not read here; type: {_remedy(path, *_REMEDIES[ending])}")
    if not path.is_file():
        raise UserError(f"{path} is a device or a pipe: give a file, in which its text is saved")
    if path.stat().st_size == 0:
        raise UserError(f"{path} is empty: fetch or copy it again, or give another file")
    name = reader_name or _reader(path)
    reader = cast(Reader, import_module(f"{__name__}.{name}"))
    with foreign_files.parsing(path):
        text = _cached(path, name, reader) if cache and reader.LIBRARY else reader.read(path)
    if not text.text.strip():
        raise UserError(f"{path} has no text in it: give another file, or one of its text")
    return text


@dataclass(frozen=True, slots=True)
class Files:
    """The files below a folder, by path: `known` are read as they would be alone, `others` are not.

    `outward` are links to files and folders out of it, which are in neither (`longdoc.links`).
    """

    known: list[Path]
    others: list[Path]
    outward: list[Path]


def files(folder: Path) -> Files:
    """The files below a folder; hidden ones are left out, and links to folders in it, which are read where they lie."""
    paths: list[Path] = []
    outward: list[Path] = []
    visited = {os.path.realpath(folder)}
    for directory, below, names in os.walk(folder, followlinks=True):
        path = Path(directory)
        place = [path / name for name in names if not name.startswith((".", "~$"))]
        folders = [path / name for name in below if not name.startswith(".")]
        leading_out = {path for path in (*place, *folders) if path.is_symlink() and links.leads_out(path, folder)}
        if not links.are_followed():
            outward += leading_out
            place = [path for path in place if path not in leading_out]
        paths += place
        below[:] = [
            folder.name for folder in folders if not folder.is_symlink() or _is_entered(folder, leading_out, visited)
        ]
    stems = {path.with_suffix("") for path in paths if path.suffix.lower() in READERS}
    known = [path for path in sorted(paths) if _is_read(path, stems)]
    return Files(known, sorted(set(paths).difference(known)), sorted(outward))


def _is_read(path: Path, documents: Collection[Path]) -> bool:
    """Whether a folder's file is a document: what has text in it, but no questions about one of the `documents`."""
    ending = path.suffix.lower()
    if ending in READERS:
        return True
    stem = path.with_suffix("")
    if _reader(path) == "json_values" and (
        stem in documents or (stem.suffix == ".questions" and stem.with_suffix("") in documents)
    ):
        return False
    return ending not in _REMEDIES and file_bytes.begins_as_text(path)


def _is_entered(link: Path, leading_out: Collection[Path], visited: set[str]) -> bool:
    """Whether a link to a folder is gone into: each folder elsewhere once, if links are followed."""
    if not links.are_followed() or link not in leading_out or (place := os.path.realpath(link)) in visited:
        return False
    visited.add(place)
    return True


def location(meta: Mapping[str, Any], text: str, start: int, end: int) -> str:
    """Where [start, end) is, as "page 12", "pages 12–13", "chapter Loomings", "00:12:33–00:12:41", "line 40".

    `meta` is a document's; without marks the location is the line of the text, and "" where lines mean nothing.
    """
    has_lines = meta.get("lined", not meta.get("kind"))
    parts = [f"line {text.count(chr(10), 0, start) + 1}"] if has_lines else []
    marks = meta.get("marks") or ()
    kind, first, last = str(meta.get("kind")), _mark_at(marks, start), _mark_at(marks, max(start, end - 1))
    if first < 0 <= last and kind in ("section", "chapter"):  # what comes before the first heading is not below it
        parts.append(f"beginning to {_span_label(kind, marks[last][1], marks[last][1])}")
    elif last >= 0:
        parts.append(_span_label(kind, marks[max(0, first)][1], marks[last][1]))
    return ", ".join(parts)


def _mark_at(marks: Any, position: int) -> int:
    """The number of the last mark that is not behind a position, -1 if all are."""
    return bisect_right(marks, position, key=lambda mark: mark[0]) - 1


def _span_label(kind: str, first: str, last: str) -> str:
    if kind == "page":
        return f"page {first}" if first == last else f"pages {first}–{last}"
    if kind == "time":
        return first if first == last else f"{first}–{last}"
    if first == last:
        return first if first.casefold().startswith(kind) else f"{kind} {first}"
    return f"{kind}s {first} – {last}"


def _cached(path: Path, name: str, reader: Reader) -> Text:
    names = (name, str(reader.VERSION), str(reader.LIBRARY))
    record, warning = _cache.cached(path, *names, make=lambda: _record(reader.read(path)))
    marks = tuple((start, label) for start, label in record["marks"])
    warnings = (*record["warnings"], *([warning] if warning else []))
    headings = tuple(Heading(*heading) for heading in record["headings"])
    numbers, tables = tuple(record["numbers"]), tuple((start, end) for start, end in record["tables"])
    changed = {"marks": marks, "warnings": warnings, "numbers": numbers, "headings": headings, "tables": tables}
    return Text(**{**record, **changed})


def _record(text: Text) -> dict[str, Any]:
    return {field.name: getattr(text, field.name) for field in fields(text)}


def _reader(path: Path) -> str:
    ending = path.suffix.lower()
    inner = Path(path.stem).suffix.lower() if ending in (".gz", ".bz2") else ending
    return READERS.get(ending) or JSON_READERS.get(inner, "text")


def _remedy(path: Path, text: str, command: str) -> str:
    new = path.with_suffix(text).name
    return command.format(to=text[1:], name=path.name, new=new, stem=path.stem, ask=f"longdoc ask {new} QUESTION")
