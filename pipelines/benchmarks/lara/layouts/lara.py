"""LaRA's files of questions (Li et al. 2025): `{type, level, length, file, question, answer}`, and the documents.

`file` names the document, which is in `datasets/LENGTH/TYPE/` of the repository, with the questions in
`datasets/query/`; it may also lie in `documents/` beside the questions. As in its code, length, type and level are
those of the file's name, `LENGTH_TYPE_LEVEL.jsonl`; the rows' own are read where a file is called otherwise. The rows
of books have the type "book", "novel", "novelette", "novel_fake" or "novelette_fake". Location, reasoning and
hallucination rows have `context_order`, the part of the document that the question was made of ("full": all of it),
comparison rows `comp_parts`, the two parts. They are no part of the prompt: the whole document is.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Document, Example
from pipelines.sources import parsing, reading
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "LaRA's questions (type, level, length, file, question, answer) with the documents that `file` names"
LEVELS = {"location": "location", "reasoning": "reasoning", "comp": "comparison", "hallu": "hallucination"}
FIELDS = {"type", "level", "length", "file", "question", "answer"}
BOOKS = ("novel", "novelette", "novel_fake", "novelette_fake")  # further values of the field `type` of books
FOLDERS = ("", "query", "datasets/query", "dataset/query")  # where files of questions may lie in a folder

_NAME = re.compile(r"(?P<length>\w+)_(?P<type>[a-z]+)_(?P<level>location|reasoning|comp|hallu)\.jsonl(\.\w+)?")


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is LaRA's."""
    return fields.keys() >= FIELDS


def question_file(folder: Path, task: str) -> Path | None:
    """The file of questions of a task in a folder, None where there is none.

    Each length and type of document has a file of its own, and a run is of one: raises `UserError` for several.
    """
    places = [folder / name for name in FOLDERS if (folder / name).is_dir()]
    paths = sorted(path for place in places for path in place.iterdir() if (match := _NAME.fullmatch(path.name))
                   and task == f"lara/{LEVELS[match['level']]}")  # fmt: skip
    if len(paths) > 1:
        names = ", ".join(str(path.relative_to(folder)) for path in paths)
        raise UserError(f"{folder} has {len(paths)} files of {task}: pass the path of one ({names})")
    return paths[0] if paths else None


def task_file(folder: Path, task: str) -> Path:
    """The file of a task's questions. Raises `UserError` where there is none, or several."""
    if (path := question_file(folder, task)) is None:
        raise UserError(f"no data of {task} in {folder}: expected a file LENGTH_TYPE_LEVEL.jsonl")
    return path


def check_task(first: Row, task: str) -> None:
    """Raise `UserError` where a first row is of another of LaRA's tasks."""
    level = str(first.fields["level"])
    if level not in LEVELS:
        raise UserError(f"{first.location}: level must be one of {', '.join(LEVELS)}, got {level!r}")
    if task.startswith("lara/") and task != f"lara/{LEVELS[level]}":
        raise UserError(f"{first.location}: the questions have level {level!r}: use task lara/{LEVELS[level]}")


def files(table: Table) -> list[Path]:
    """The document files that the rows name, sorted. Raises `UserError` for one that is missing."""
    return sorted({_path(row, table, _groups(row, table)) for row in table.rows()})


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example a row, in the order of the rows, which have a document's questions together."""
    path, document = Path(), Document("", "")
    ids = Ids()
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal(f"expected {ACCEPTS}")
        groups = _groups(row, table)
        if (row_path := _path(row, table, groups)) != path:
            path, document = row_path, parsing.document(reading.text(row_path), row.location, row_path.stem)
        yield Example(
            id=ids.id_of(row),
            document=document,
            query=row.string("question"),
            references=row.strings("answer"),
            meta=groups,
        )


class Ids:
    """Gives rows their ids: the document's file and the part of it that the question is about.

    From the second question on one part on, a number follows. Rows of questions and of predictions get the same ids,
    since both are in the same order. The published files ask one question of two parts of a document; where question
    and part are equal, a row is there twice.
    """

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._questions: set[tuple[str, str]] = set()

    def id_of(self, row: Row) -> str:
        """The id of a row. Raises `UserError` where the question on this part of the file came before."""
        file, question = (row.string(name) for name in ("file", "question"))
        part = row.fields.get("context_order", row.fields.get("comp_parts", ""))
        name = f"{Path(file).stem}:{'-'.join(map(str, part)) if isinstance(part, list) else part}"
        if (name, question) in self._questions:
            raise UserError(f"{row.location}: the question {question[:80]!r} on {file} comes twice: leave one out")
        self._questions.add((name, question))
        self._seen[name] += 1
        return name if self._seen[name] == 1 else f"{name}.{self._seen[name]}"


def _groups(row: Row, table: Table) -> dict[str, str]:
    """Type, level and length of a row, from its file's name, or from its fields where the name does not have them."""
    names = ("type", "level", "length")
    if (match := _NAME.fullmatch(table.name)) is not None:
        return {name: match[name] for name in names}
    groups = {name: row.string(name) for name in names}
    return groups | ({"type": "book"} if groups["type"] in BOOKS else {})


def _path(row: Row, table: Table, groups: Mapping[str, str]) -> Path:
    """The document's file. Raises `UserError` naming it where it is missing."""
    file, length, kind = row.string("file"), groups["length"], groups["type"]
    if not file or Path(file).name != file or {"..", "/"} & {length, kind} or "/" in length + kind:
        raise UserError(f"{row.location}: `file` must be the name of a document, got {file[:200]!r}")
    base = table.base or Path()
    places = [base / "documents", base.parent / length / kind, base / length / kind, base / "documents" / length / kind]
    path = next((place / file for place in places if (place / file).is_file()), None)
    if path is None:
        problem = f"{row.location}: the document {file!r} is missing in {places[0]} and {places[1]}"
        raise UserError(f"{problem}: put it there")
    return path
