"""AA-LCR's questions about sets of documents (Artificial Analysis 2025), `AA-LCR_Dataset.csv`, and the sets' texts.

`{document_category, document_set_id, question_id, question, answer, data_source_filenames}`: the names of the files are
joined by semicolons, and their order is that of the documents. The texts are `CATEGORY/SET/FILE` in
`extracted_text/lcr` beside the table, or in the published zip. A set is one document here: each text behind a line of
ours with its number and its file, `# Document 3: NAME`.

Names are compared in Unicode's composed form (NFC), and as they were before a zip's UTF-8 names were read in another
code page. A file that is missing is never replaced by another one of the folder.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from longdoc.errors import UserError, listed
from longdoc.messages import counted
from pipelines.records import Document, Example
from pipelines.sources import parsing, reading, zips
from pipelines.sources.reading import InputFile
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

BY_DOCUMENT = True
ACCEPTS = "AA-LCR's questions (document_set_id, question_id, question, answer, data_source_filenames) with their texts"
FIELDS = (
    "document_category", "document_set_id", "question_id", "question", "answer", "data_source_filenames",
)  # fmt: skip
FOLDERS = ("extracted_text/lcr", "lcr", "")  # where the sets of a folder may lie
ZIPS = ("extracted_text/AA-LCR_extracted-text.zip", "AA-LCR_extracted-text.zip")
CODE_PAGES = ("cp437", "cp850")  # in which names are read that are UTF-8 without saying so
SHOWN = 5  # missing files of a set in a warning
DOCUMENTS = "documents"  # in an example's meta: the texts of its set, [number, start, end]

INCOMPLETE = "questions left out, because a file of their documents is missing"
UNNAMED = "files that no question names, not read"


@dataclass(frozen=True, slots=True)
class DocumentSet:
    """The files of a set in the order of its questions, and the names of those that are missing.

    `unnamed` are the further files of its folder.
    """

    place: str
    files: Mapping[str, InputFile]
    missing: Sequence[str]
    unnamed: frozenset[str]


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is AA-LCR's."""
    return fields.keys() >= set(FIELDS)


def files(table: Table) -> list[Path]:
    """The files of the sets that are complete, sorted."""
    groups = _sets(_rows(table), table)
    return sorted({zips.file_of(file) for group in groups if not group.missing for file in group.files.values()})


def questions(table: Table, split: str) -> Iterator[Example]:
    """The questions on all sets, those of a set together; documents have the set's name and no text."""
    for (category, name, *_), set_rows in _rows(table).items():
        for row in set_rows:
            yield _example(row, Document(f"{category}/{name}", "", name))


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example a row, those of a set of documents together, in the order of first occurrence.

    Questions whose set lacks a file are left out and counted. Raises `UserError` where no set is complete.
    """
    rows = _rows(table)
    groups = _sets(rows, table)
    if all(group.missing for group in groups):
        raise _no_set(groups, table)
    _count_unnamed(groups, warnings)
    for group, set_rows in zip(groups, rows.values(), strict=True):
        if group.missing:
            for _ in set_rows:
                warnings.count(INCOMPLETE, listed([f"{group.place}/{name}" for name in group.missing], SHOWN))
            continue
        document, places = _joined(group, set_rows[0].location)
        for row in set_rows:
            yield _example(row, document, places)


def _no_set(groups: Sequence[DocumentSet], table: Table) -> UserError:
    missing = [f"{group.place}/{name}" for group in groups for name in group.missing]
    base = table.base or Path()
    return UserError(
        f"{table.name}: {counted(len(missing), 'file')} of its documents are missing, and no set is complete; put "
        f"{missing[0]} into {base / FOLDERS[0]}, or the zip of the texts into {base / ZIPS[0]}"
    )


def _count_unnamed(groups: Sequence[DocumentSet], warnings: Warnings) -> None:
    """Count the files of sets that none of their questions names."""
    names = {group.place: group.unnamed for group in groups}
    for group in groups:
        names[group.place] &= group.unnamed
    for place, unnamed in names.items():
        for name in sorted(unnamed):
            warnings.count(UNNAMED, f"{place}/{name}")


def answer_text(answer: str) -> str:
    """An answer with its line breaks, which the files write as a backslash and an n, and no space around it."""
    return answer.replace("\\n", "\n").strip()


def name_forms(name: str) -> frozenset[str]:
    """The names that a file's name may stand for: itself, and itself read as UTF-8, both in composed form."""
    forms = {unicodedata.normalize("NFC", name)}
    for code_page in CODE_PAGES:
        with suppress(UnicodeError):
            forms.add(unicodedata.normalize("NFC", name.encode(code_page).decode("utf-8")))
    return frozenset(forms)


def _rows(table: Table) -> dict[tuple[str, ...], list[Row]]:
    """The rows by category, set and file names. Raises `UserError` for a row of another layout, or without files."""
    rows_by_set: dict[tuple[str, ...], list[Row]] = {}
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal(f"expected {ACCEPTS}")
        place = (row.string("document_category"), row.string("document_set_id"))
        names = [name.strip() for name in row.string("data_source_filenames").split(";") if name.strip()]
        if not names:
            raise UserError(f"{row.location}: the question has no documents: name them in data_source_filenames")
        for name in (*place, *names):
            if PurePosixPath(name).name != name or name == ".." or "\\" in name:
                raise UserError(
                    f"{row.location}: categories, sets and files must be names without folders, got {name[:200]!r}"
                )
        composed_names = [unicodedata.normalize("NFC", name) for name in names]
        if len(set(composed_names)) < len(names):
            name = Counter(composed_names).most_common(1)[0][0]
            raise UserError(f"{row.location}: data_source_filenames has {name!r} twice: leave one out")
        rows_by_set.setdefault((*place, *composed_names), []).append(row)
    return rows_by_set


def _sets(rows: Mapping[tuple[str, ...], Sequence[Row]], table: Table) -> list[DocumentSet]:
    return [_set(f"{category}/{name}", names, table) for category, name, *names in rows]


def _set(place: str, names: Sequence[str], table: Table) -> DocumentSet:
    """The files of a set. Raises `UserError` where two files may be the one that is named."""
    if table.base is None:
        raise UserError(f"{table.name}: pass the path of the table of questions, which has the documents beside it")
    folder_files = _set_files(place, table.base)
    candidates: dict[str, list[str]] = {name: [] for name in names}
    unnamed = set(folder_files)
    for file_name in folder_files:
        for name in name_forms(file_name) & candidates.keys():
            candidates[name].append(file_name)
            unnamed.discard(file_name)
    for name, file_names in candidates.items():
        if len(file_names) > 1:
            similar = " and ".join(map(ascii, sorted(file_names)))
            raise UserError(f"{place} has {len(file_names)} files that may be {name!r}: {similar}; leave one")
    set_files = {name: folder_files[file_names[0]] for name, file_names in candidates.items() if file_names}
    return DocumentSet(place, set_files, [name for name in names if name not in set_files], frozenset(unnamed))


def _set_files(place: str, base: Path) -> dict[str, InputFile]:
    """The files of a set by name: of its folder, else of the zip."""
    for folder in (base / name / place for name in FOLDERS):
        if folder.is_dir():
            return {path.name: path for path in sorted(folder.iterdir()) if path.is_file() and path.name[0] != "."}
    for archive in (base / name for name in ZIPS):
        if archive.is_file():
            members = [(PurePosixPath(name), name) for name in zips.names(archive)]
            return {
                path.name: zips.Member(archive, name)
                for path, name in members
                if "/".join(path.parts[-3:-1]) == place and path.name[0] != "."
            }
    return {}


def _joined(group: DocumentSet, location: str) -> tuple[Document, list[list[int]]]:
    """The texts of a set as one document, and the place of each, without its heading."""
    pieces, length, marks, places = list[str](), 0, list[tuple[int, str]](), list[list[int]]()
    for number, (name, file) in enumerate(group.files.items(), 1):
        separator, heading, text = "\n\n" if pieces else "", f"# Document {number}: {name}\n\n", reading.text(file)
        marks.append((length + len(separator), f"Document {number}: {name}"))
        start = length + len(separator) + len(heading)
        length = start + len(text)
        places.append([number, start, length])
        pieces += [separator, heading, text]
    meta = {"kind": "section", "marks": tuple(marks), "lined": False}
    return parsing.document("".join(pieces), location, group.place.rpartition("/")[2], meta), places


def _example(row: Row, document: Document, places: Sequence[Sequence[int]] = ()) -> Example:
    return Example(
        id=row.string("question_id"),
        document=document,
        query=row.string("question").strip(),
        references=tuple(map(answer_text, row.strings("answer"))),
        meta={
            "category": row.string("document_category"),
            "set": row.string("document_set_id"),
            **({DOCUMENTS: places} if places else {}),
        },
    )
