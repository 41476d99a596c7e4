"""Your own documents as text: one file per format, each with `read(path) -> Text`.

Installed packages add formats as entry points `longdoc.documents`: the ending without its dot, and the module.

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
from longdoc import errors, links
from longdoc.errors import UserError
from longdoc.extensions import installed
from pipelines.documents import _cache, file_bytes
from pipelines.documents.file_bytes import existing as existing

LONGEST_HEADING = 500  # characters: a longer one is a paragraph that is marked up wrongly

Kind = Literal["page", "chapter", "section", "time", "row"]

OTHERS = {f".{name}": point.value for name, point in installed("longdoc.documents").items()}  # of installed packages
READERS = {
    **OTHERS,
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

    `lined`: the lines of the text are those of the file. `warnings` are problems in reading the file. `numbers` are the
    numbers of the pages at `marks`, from 0, in files with pages; a page without text has no mark. `headings` and
    `tables` are those that the format declares; `marks` are made from headings that are locations.
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
        """The headings and tables, in the form that chunkers use."""
        return Layout(self.headings, self.tables)

    @property
    def meta(self) -> dict[str, Any]:
        """The metadata of a `Document`: what `location` needs, and the layout."""
        return {"kind": self.kind, "marks": self.marks, "lined": self.lined, "layout": self.layout}


class Reader(Protocol):
    """The module of a format. `LIBRARY` is the slow library that it reads with, so that texts are cached; else None."""

    VERSION: int  # of our code; another one invalidates cached texts
    LIBRARY: str | None

    def read(self, path: Path) -> Text:
        """The text of a file. Raises `UserError`."""
        ...


def read(path: Path, cache: bool = True, reader_name: str | None = None) -> Text:
    """The text of a file, by the reader of its ending or by `reader_name`; unknown endings are read as plain text.

    Raises `UserError`, with what to do, for files that are missing, empty, protected, damaged or unsupported.
    """
    if existing(path).is_dir():
        raise UserError(f"{path} is a folder; give a file")
    ending = path.suffix.lower()
    if ending in _REMEDIES and ending not in READERS:
        raise UserError(f"{path}: {ending} files are not supported; convert it: {_remedy(path, *_REMEDIES[ending])}")
    if not path.is_file():
        raise UserError(f"{path} is a device or a pipe; save its text in a file and give that")
    if path.stat().st_size == 0:
        raise UserError(f"{path} is empty; fetch or copy it again, or give another file")
    module_name = reader_name or _reader(path)
    reader = cast(Reader, import_module(module_name if module_name in OTHERS.values() else f"{__name__}.{module_name}"))
    with errors.parsing(path):
        text = _cached(path, module_name, reader) if cache and reader.LIBRARY else reader.read(path)
    if not text.text.strip():
        raise UserError(f"{path} has no text; give another file")
    return text


@dataclass(frozen=True, slots=True)
class Files:
    """The files below a folder, sorted: `known` are documents that can be read, `others` are not.

    `outward` are links to files and folders outside of it, which are in neither list (`longdoc.links`).
    """

    known: list[Path]
    others: list[Path]
    outward: list[Path]


def files(folder: Path) -> Files:
    """The files below a folder, without hidden files. Links to folders inside it are not followed."""
    paths: list[Path] = []
    outward: list[Path] = []
    visited = {os.path.realpath(folder)}
    for directory, folder_names, names in os.walk(folder, followlinks=True):
        path = Path(directory)
        file_paths = [path / name for name in names if not name.startswith((".", "~$"))]
        folders = [path / name for name in folder_names if not name.startswith(".")]
        outward_links = {
            path for path in (*file_paths, *folders) if path.is_symlink() and links.leads_out(path, folder)
        }
        if not links.are_followed():
            outward += outward_links
            file_paths = [path for path in file_paths if path not in outward_links]
        paths += file_paths
        folder_names[:] = [
            folder.name
            for folder in folders
            if not folder.is_symlink() or _should_enter(folder, outward_links, visited)
        ]
    stems = {path.with_suffix("") for path in paths if path.suffix.lower() in READERS}
    documents = [path for path in sorted(paths) if _is_read(path, stems)]
    return Files(documents, sorted(set(paths).difference(documents)), sorted(outward))


def _is_read(path: Path, documents: Collection[Path]) -> bool:
    """Whether a file in a folder has text and is not a file of questions about one of `documents`."""
    ending = path.suffix.lower()
    if ending in READERS:
        return True
    stem = path.with_suffix("")
    if _reader(path) == "json_values" and (
        stem in documents or (stem.suffix == ".questions" and stem.with_suffix("") in documents)
    ):
        return False
    return ending not in _REMEDIES and file_bytes.begins_as_text(path)


def _should_enter(link: Path, outward_links: Collection[Path], visited: set[str]) -> bool:
    """Whether to enter a linked folder outside of the tree: only if links are followed, and each folder once."""
    if not links.are_followed() or link not in outward_links or (real_path := os.path.realpath(link)) in visited:
        return False
    visited.add(real_path)
    return True


def location(meta: Mapping[str, Any], text: str, start: int, end: int) -> str:
    """The location of [start, end), as "page 12", "pages 12–13", "chapter Loomings", "00:12:33–00:12:41", "line 40".

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
    """The index of the last mark at or before a position; -1 if there is none."""
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
    reader_key = (name, str(reader.VERSION), str(reader.LIBRARY))
    record, warning = _cache.cached(path, *reader_key, make=lambda: _record(reader.read(path)))
    marks = tuple((start, label) for start, label in record["marks"])
    warnings = (*record["warnings"], *([warning] if warning else []))
    headings = tuple(Heading(*heading) for heading in record["headings"])
    numbers, tables = tuple(record["numbers"]), tuple((start, end) for start, end in record["tables"])
    restored = {"marks": marks, "warnings": warnings, "numbers": numbers, "headings": headings, "tables": tables}
    return Text(**{**record, **restored})


def _record(text: Text) -> dict[str, Any]:
    return {field.name: getattr(text, field.name) for field in fields(text)}


def _reader(path: Path) -> str:
    ending = path.suffix.lower()
    inner = Path(path.stem).suffix.lower() if ending in (".gz", ".bz2") else ending
    return READERS.get(ending) or JSON_READERS.get(inner, "text")


def _remedy(path: Path, suffix: str, command: str) -> str:
    new_name = path.with_suffix(suffix).name
    return command.format(
        to=suffix[1:], name=path.name, new=new_name, stem=path.stem, ask=f"longdoc ask {new_name} QUESTION"
    )
