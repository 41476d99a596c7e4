"""NarrativeQA's own releases (Kočiský et al., 2018): the hub's rows, and the folder of the GitHub repository.

Hub rows repeat `document` `{id, kind, start, end, summary {title}, text}` for each `question` `{text}` with its two
`answers` `[{text}]`. The folder holds `documents.csv`, `qaps.csv`, and the stories that its script fetches, as
`tmp/<document_id>.content`. Two passes: the first reads the questions and keeps no text, the second reads every
document once. `start` and `end` are the story's first and last words: the text outside is cut if both are found. Ids
have the form of both benchmarks' published rows: the document's and the question's number in it, from 0.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Document, Example
from pipelines.sources import parsing, reading
from pipelines.sources.layouts import LocalData, SplitRequest
from pipelines.sources.tables import Files, Row, Table
from pipelines.sources.warnings import Warnings

BY_DOCUMENT = True
ACCEPTS = "NarrativeQA's rows (document, question, answers), or its folder with documents.csv, qaps.csv and stories"
ENCODINGS = ("utf-8-sig", "cp1252", "latin-1")
_QUESTIONS = ("document.id", "question.text", "answers")
_DOCUMENTS = tuple(f"document.{name}" for name in ("id", "kind", "start", "end", "summary.title", "text"))
_STORIES = ("tmp/{}.content", "tmp/{}.txt", "stories/{}.content", "stories/{}.txt")
_UNMARKED = "documents left whole, because the words that mark their start and end are not both there"
_RECODED = "stories are not UTF-8 and were read as"
_NO_STORY = "documents left out, because there is no file with their story"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row has the hub's layout."""
    document, question = fields.get("document"), fields.get("question")
    return isinstance(document, Mapping) and isinstance(question, Mapping) and {"id", "text"} <= document.keys()


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """Examples of the hub's rows, grouped by document in the order of first occurrence."""
    examples_by_document: dict[str, list[Example]] = {}
    for row in table.rows(_QUESTIONS):
        answers = row.fields["answers"] or []
        texts = [answer.get("text") if isinstance(answer, Mapping) else answer for answer in answers]
        references = parsing.strings(texts, row.location, "answers")
        name = str(row.fields["document.id"])
        examples = examples_by_document.setdefault(name, [])
        examples.append(_example(f"{name}_{len(examples)}", _question(row, "question.text"), references))
    for row in table.rows(_DOCUMENTS):
        name = str(row.fields["document.id"])
        if waiting := examples_by_document.pop(name, None):
            document = _hub_document(row, name, warnings)
            yield from (replace(example, document=document) for example in waiting)


def _hub_document(row: Row, name: str, warnings: Warnings) -> Document:
    start, end = (parsing.string(row.fields[f"document.{key}"], row.location, key) for key in ("start", "end"))
    text = row.string("document.text")
    title = row.string("document.summary.title")
    meta = {"document_id": name, "kind": row.fields["document.kind"]}
    return parsing.document(_story(text, start, end, row.location, warnings), row.location, title, meta)


def recognizes_folder(folder: Path) -> bool:
    """Whether a folder is laid out as the GitHub repository."""
    return (folder / "documents.csv").is_file() and (folder / "qaps.csv").is_file()


def stories(folder: Path, split: str) -> dict[str, Path]:
    """The story file of every document of a split that has one."""
    paths = {}
    for row in _split_rows(folder, "documents.csv", split):
        name = row.fields["document_id"]
        if Path(name).name != name:
            raise UserError(f"{row.location}: document_id must be the name of a story, got {name[:200]!r}")
        for pattern in _STORIES:
            if (path := folder / pattern.format(name)).is_file():
                paths[name] = path
                break
    return paths


def find(path: Path, request: SplitRequest) -> LocalData | None:
    """The data of a split in a folder of the GitHub repository; None for any other folder."""
    if not recognizes_folder(path):
        return None
    tables, texts = [path / "documents.csv", path / "qaps.csv"], sorted(stories(path, request.split).values())
    return LocalData(partial(_read_folder, path, request.split), path, tables, texts, layout="narrativeqa")


def _read_folder(folder: Path, split: str, warnings: Warnings) -> Iterator[Example]:
    """Examples of the GitHub layout, in the order of its documents. Raises `UserError` without any story."""
    examples_by_document: dict[str, list[Example]] = {}
    for row in _split_rows(folder, "qaps.csv", split):
        answers = [row.fields.get("answer1"), row.fields.get("answer2")]
        references = parsing.strings(answers, row.location, "answers")
        name = row.fields["document_id"]
        examples = examples_by_document.setdefault(name, [])
        examples.append(_example(f"{name}_{len(examples)}", _question(row, "question"), references))
    files = stories(folder, split)
    if not files:
        raise UserError(
            f"{folder} has no story of the split {split!r}: they belong in {folder / 'tmp'} as <document_id>.content; "
            f"type: cd {folder} && bash download_stories.sh"
        )
    for row in _split_rows(folder, "documents.csv", split):
        name = row.fields["document_id"]
        if name not in files:
            warnings.count(_NO_STORY, name)
        elif name in examples_by_document:
            document = _file_document(row, files[name], warnings)
            yield from (replace(example, document=document) for example in examples_by_document[name])


def _split_rows(folder: Path, file: str, split: str) -> Iterator[Row]:
    for row in Files((folder / file,)).rows():
        if not {"document_id", "set"} <= row.fields.keys():
            raise row.refusal(f"{file} needs document_id and set")
        if row.fields["set"] == {"validation": "valid"}.get(split, split):
            yield row


def _file_document(row: Row, path: Path, warnings: Warnings) -> Document:
    text, encoding = reading.text_in(path, ENCODINGS)
    if encoding != ENCODINGS[0]:
        warnings.count(f"{_RECODED} {encoding}", path.name)
    start, end = row.fields.get("story_start", ""), row.fields.get("story_end", "")
    meta = {"document_id": row.fields["document_id"], "kind": row.fields.get("kind", "")}
    text = _story(text, start, end, path.name, warnings)
    return parsing.document(text, path.name, row.fields.get("wiki_title", ""), meta)


def _question(row: Row, field: str) -> str:
    question = row.string(field).strip()
    if not question:
        raise UserError(f"{row.location}: the row has no question")
    return question


def _example(name: str, question: str, references: tuple[str, ...]) -> Example:
    return Example(name, parsing.NO_DOCUMENT, question, references)


def _story(text: str, start: str, end: str, location: str, warnings: Warnings) -> str:
    """The text from the first `start` to the last `end`; all of it, with a warning, where they are not there.

    White space may differ.
    """
    if not start.strip() and not end.strip():
        return text
    first = _pattern(start).search(text) if start.strip() else None
    matches = list(_pattern(end).finditer(text, first.end())) if first and end.strip() else []
    if not first or not matches:
        warnings.count(_UNMARKED, location)
        return text
    return text[first.start() : matches[-1].end()]


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(re.escape(word) for word in words.split()))
