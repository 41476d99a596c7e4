"""GovReport's own files: reports of two offices with their summaries (Huang et al., 2021).

The release is a folder: `crs` and `gao` with a JSON file for each report, `split_ids` with the names of each split's
(`crs_train.ids`). A file has `report`, nested sections `{section_title, paragraphs, subsections}`, and the summary:
`summary`, paragraphs, or `highlight`, sections. The hub has the sections as rows: `document_sections` `{title,
paragraphs, depth}`, `summary_sections`. A document has titles on lines of their own, indented by one tab per level. As
the paper did, the paragraphs of a section "Letter" are left out, but not its subsections; so are the recommendations
from summaries. The reports that SCROLLS discards stay in: see `cleansing`. Ids of a release are those of both
benchmarks' published rows, the office and the report (`crs_R45461`); of other rows what they have as `id`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from longdoc.errors import UserError
from pipelines.records import Document, Example
from pipelines.sources import json_rows, parsing, reading, split_names
from pipelines.sources.layouts import LocalData, SplitRequest
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

LONGEST = 200  # characters of a report's id, which names a file
ACCEPTS = "GovReport's reports (report, summary or highlight), rows (document_sections, summary_sections), or folder"
_REPORTS = ("report", "reports", "document_sections")
_SUMMARIES = ("summary", "highlight", "summary_sections")
_LETTER, _RECOMMENDS = "letter", "what gao recommends"
_OFFICES = ("crs", "gao")
_NO_FILE = "reports left out, because there is no file with them"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is a report in sections."""
    return any(isinstance(fields.get(name), (Mapping, list)) for name in _REPORTS)


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per report, without a query."""
    for row in table.rows():
        yield _example(row, f"{split}-{row.number}")


def find(path: Path, request: SplitRequest) -> LocalData | None:
    """The release's reports of a split, None where the folder is not a release.

    Raises `UserError` for a release without the split.
    """
    files = sorted((path / "split_ids").glob("*.ids"))
    id_files = [file for file in files if request.split in split_names.splits_named_in(file.name)]
    if files and not id_files:
        names = ", ".join(file.name for file in files)
        raise split_names.NoSplit(f"{path} has no reports of the split {request.split!r}; its split_ids: {names}")
    reports = _reports(path, id_files)
    documents = [report for report in reports.values() if report.is_file()]
    read = partial(_read_reports, reports)
    return LocalData(read, path, id_files, documents, layout="gov_report") if id_files else None


def _reports(folder: Path, id_files: Sequence[Path]) -> dict[str, Path]:
    """The file of each report by its id, whether it exists or not. Raises `UserError` for an id that is a path."""
    paths = {}
    for id_file in id_files:
        for name in reading.text(id_file).split():
            if Path(name).name != name or len(name) > LONGEST:
                raise UserError(f"{id_file}: expected the id of a report on each line, got {name[:200]!r}")
            paths[name] = folder / id_file.name.split("_")[0] / f"{name}.json"
    if id_files and not paths:
        raise UserError(f"{id_files[0]} has no ids of reports: write one on each line")
    return paths


def _read_reports(files: Mapping[str, Path], warnings: Warnings) -> Iterator[Example]:
    """The examples of the existing files. Raises `UserError` if there are none."""
    if not any(path.is_file() for path in files.values()):
        raise UserError(f"none of the {len(files):,} reports exists: the first should be {next(iter(files.values()))}")
    for name, path in files.items():
        if path.is_file():
            line, fields = next(json_rows.objects(path), (1, {}))
            yield _example(Row(1, f"{path.name}:{line}", fields), name, path.parent.name)
        else:
            warnings.count(_NO_FILE, name)


def _example(row: Row, name: str, office: str = "") -> Example:
    sections = next((row.fields[key] for key in _REPORTS if row.fields.get(key)), None)
    summary = next((row.fields[key] for key in _SUMMARIES if row.fields.get(key)), None)
    if sections is None:
        raise row.refusal("a report needs its sections in 'report'")
    reference = "\n".join(
        text
        for section in _sections(summary, row.location)
        if section.title.lower() != _RECOMMENDS
        for text in section.paragraphs
    )
    report_id = row.string("id") or name
    prefix, _, rest = report_id.partition("_")
    if prefix.lower() in _OFFICES:
        report_id = f"{prefix.lower()}_{rest}"
    elif office:
        report_id = f"{office}_{report_id}"
    return Example(id=report_id, document=_document(row, sections), references=(reference,) if reference else ())


def _document(row: Row, sections: Any) -> Document:
    blocks: list[str] = []
    for section in _sections(sections, row.location):
        if section.title.lower() != _LETTER:
            blocks += ["\t" * section.depth + section.title] if section.title else []
            blocks += section.paragraphs
    title = row.string("title")
    return parsing.document("\n\n".join(blocks), row.location, title)


class _Section(NamedTuple):
    title: str
    depth: int
    paragraphs: tuple[str, ...]


def _sections(value: Any, location: str, depth: int = 0) -> Iterator[_Section]:
    """Sections in order, read from nested sections, from the hub's lists, or from bare paragraphs."""
    if value is None or isinstance(value, str):
        yield _Section("", depth, parsing.strings(value, location, "summary"))
    elif isinstance(value, list):
        for section in value:
            yield from _sections(section, location, depth)
    elif not isinstance(value, Mapping):
        raise UserError(f"{location}: a section must be an object with section_title, got {type(value).__name__}")
    elif isinstance(value.get("title"), list):
        yield from _hub_sections(value, location)
    else:
        title = parsing.string(value.get("section_title"), location, "section_title").strip()
        yield _Section(title, depth, parsing.strings(value.get("paragraphs"), location, "paragraphs"))
        yield from _sections(value.get("subsections") or [], location, depth + 1)


def _hub_sections(columns: Mapping[str, Any], location: str) -> Iterator[_Section]:
    """The hub's sections: lists of titles, texts with one paragraph per line, and depths, which summaries lack."""
    titles, texts = columns["title"], columns.get("paragraphs")
    depths = columns.get("depth") or [0] * len(titles)
    if not isinstance(texts, list) or not len(titles) == len(texts) == len(depths):
        raise UserError(f"{location}: the sections' titles, paragraphs and depths must be lists of the same length")
    for title, text, depth in zip(titles, texts, depths, strict=True):
        lines = parsing.string(text, location, "paragraphs").split("\n")
        yield _Section(
            parsing.string(title, location, "title").strip(), depth, parsing.strings(lines, location, "paragraphs")
        )
