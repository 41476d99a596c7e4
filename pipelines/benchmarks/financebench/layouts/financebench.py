"""FinanceBench's open questions (Islam et al. 2023): `{financebench_id, doc_name, question, answer, evidence}` a row.

The filing of a row is `texts/DOC_NAME.txt`, its pages divided by form feeds, or `pdfs/DOC_NAME.pdf`, beside the rows or
beside their folder, as in the repository. A piece of evidence is a text with its page, counted from 0: it is found on
that page by its first letters and digits, whatever is between them, and ends after as many as it has. Where they are
not there, all of the page is the evidence.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines import documents
from pipelines.records import Document, Example, Span
from pipelines.sources import parsing, reading
from pipelines.sources.gold_evidence import MISSING_COUNT
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

BY_DOCUMENT = True
ACCEPTS = "FinanceBench's questions (financebench_id, doc_name, question, answer, evidence) with texts/ or pdfs/ beside"
FILE = "financebench_open_source.jsonl"
FIELDS = ("financebench_id", "doc_name", "question", "answer", "evidence")
PLACES = (("texts", ".txt"), ("pdfs", ".pdf"))  # folders of filings, in the order in which they are looked into
KEY = 60  # letters and digits by which a piece of evidence is found on its page
PAGES = "pages"  # in an example's meta: the pages with evidence, [number, start, end]

NO_FILING = "questions left out, because their filing is neither in texts/ nor in pdfs/"
UNREADABLE = "questions left out, because their filing cannot be read"
NO_PAGE = "pages of evidence that the filing does not have, or without text"
WHOLE_PAGE = "evidence not found on its page, so that the whole page is the evidence"
OTHER_FILING = "evidence in another filing than the question's, left out"

_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Filing:
    """A filing, and the spans of its pages by their numbers from 0; pages without text are left out."""

    document: Document
    pages: Mapping[int, Span]


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is FinanceBench's."""
    return fields.keys() >= set(FIELDS)


def question_file(folder: Path, task: str) -> Path | None:
    """The file of questions in the folder of the repository, or in its `data`; None where there is none."""
    return next((path for path in (folder / "data" / FILE, folder / FILE) if path.is_file()), None)


def files(table: Table) -> list[Path]:
    """The filings of the rows that are there, sorted."""
    return sorted({path for row in table.rows() if (path := _path(row, table)) is not None})


def questions(table: Table, split: str) -> Iterator[Example]:
    """The questions on all filings, in the order of the rows; documents have a name and no text."""
    for row in table.rows():
        name = _filing_name(row)
        yield _question(row, Document(name, "", name))


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example a row, those of a filing together, in the order of first occurrence.

    Rows whose filing is not there or cannot be read are left out and counted. Raises `UserError` where all are.
    """
    rows_by_path, rows_without_filing = dict[Path, list[Row]](), list[Row]()
    for row in table.rows():
        path = _path(row, table)
        (rows_without_filing if path is None else rows_by_path.setdefault(path, [])).append(row)
    if rows_without_filing and not rows_by_path:
        raise _no_filing(rows_without_filing, table)
    for row in rows_without_filing:
        warnings.count(NO_FILING, row.string("doc_name"))
    errors = list[UserError]()
    for path, rows in rows_by_path.items():
        try:
            filing = _filing(path, warnings)
        except UserError as error:
            errors.append(error)
            if len(errors) == len(rows_by_path):
                raise
            for row in rows:
                warnings.count(f"{UNREADABLE}: {error}", row.string("financebench_id"))
            continue
        for row in rows:
            yield _located(_question(row, filing.document), row, filing, warnings)


def _no_filing(rows: Sequence[Row], table: Table) -> UserError:
    names, folder = [row.string("doc_name") for row in rows], _base(table).parent
    return UserError(
        f"{table.name}: none of {counted(len(set(names)), 'filing')} is there, {names[0]} the first: put "
        f"{names[0]}.pdf into {folder / 'pdfs'}, or its text, with form feeds between pages, into {folder / 'texts'}"
    )


def _base(table: Table) -> Path:
    """The folder of the rows. Raises `UserError` for rows that are in no file."""
    if table.base is None:
        raise UserError(f"{table.name}: pass the path of the file of questions, which has the filings beside it")
    return table.base.absolute()


def _filing_name(row: Row) -> str:
    """The name of a row's filing. Raises `UserError` for a row of another layout, and for a name with a folder."""
    if not recognizes(row.fields):
        raise row.refusal(f"expected {ACCEPTS}")
    name = row.string("doc_name")
    if not name or Path(name).name != name:
        raise UserError(f"{row.location}: `doc_name` must be the name of a filing, got {name[:200]!r}")
    return name


def _path(row: Row, table: Table) -> Path | None:
    """The file of a row's filing, None where there is none. Raises `UserError`."""
    name, base = _filing_name(row), _base(table)
    roots = [root / folder for folder, _ in PLACES for root in (base.parent, base)] + [base]
    paths = [root / f"{name}{ending}" for _, ending in PLACES for root in roots]
    return next((path for path in paths if path.is_file()), None)


def _question(row: Row, document: Document) -> Example:
    """The example of a row, without its evidence; `meta` has the company and the question's kinds."""
    names = ("company", "question_type", "question_reasoning")
    return Example(
        id=row.string("financebench_id"),
        document=document,
        query=row.string("question").strip(),
        references=row.strings("answer"),
        meta={name: row.string(name) for name in names if row.fields.get(name)},
    )


def _filing(path: Path, warnings: Warnings) -> Filing:
    """A filing with its pages. Raises `UserError` for one that cannot be read, with what to do."""
    text = documents.read(path, reader_name="stored_pdf") if path.suffix == ".pdf" else _paged(reading.text(path))
    for message in text.warnings:
        warnings.add(message)
    ends = [start for start, _ in text.marks[1:]] + [len(text.text)]
    spans = [(start, end) for (start, _), end in zip(text.marks, ends, strict=True)]
    document = parsing.document(text.text, path.name, path.stem, text.meta)
    return Filing(document, dict(zip(text.numbers, spans, strict=True)))


def _paged(content: str) -> documents.Text:
    """A text whose pages are divided by form feeds."""
    marks, numbers, position = list[tuple[int, str]](), list[int](), 0
    for number, page in enumerate(content.split("\f")):
        if page.strip():
            marks.append((position, str(number + 1)))
            numbers.append(number)
        position += len(page) + 1
    return documents.Text(content, kind="page", marks=tuple(marks), numbers=tuple(numbers))


def _located(example: Example, row: Row, filing: Filing, warnings: Warnings) -> Example:
    """The example with the spans of its evidence, and its pages in the metadata."""
    spans, pages, missing = list[Span](), dict[int, Span](), 0
    for number, quotation in _evidence(row, warnings):
        page = filing.pages.get(number)
        warnings.add_total(WHOLE_PAGE, 1)
        if page is None:
            warnings.count(NO_PAGE, f"{example.id}: page {number} of {filing.document.title}, from 0")
            missing += 1
            continue
        span = quotation_span(filing.document.text, page, quotation)
        if span is None:
            warnings.count(WHOLE_PAGE, f"{example.id}: page {number}")
        spans.append(span or page)
        pages[number] = page
    meta = {**example.meta, PAGES: [[number, *page] for number, page in pages.items()]}
    return replace(example, evidence=tuple(spans), meta=meta | ({MISSING_COUNT: missing} if missing else {}))


def _evidence(row: Row, warnings: Warnings) -> Iterator[tuple[int, str]]:
    """The page and the text of each piece of evidence. Raises `UserError` for anything else."""
    pieces = row.fields["evidence"]
    for piece in pieces if isinstance(pieces, list) else [pieces]:
        if not isinstance(piece, Mapping) or type(piece.get("evidence_page_num")) is not int:
            raise UserError(
                f"{row.location}: `evidence` must be a list of objects with evidence_text and evidence_page_num, a "
                f"number from 0; got {str(piece)[:80]!r}"
            )
        name = piece.get("doc_name", piece.get("evidence_doc_name", row.fields["doc_name"]))
        if name != row.fields["doc_name"]:
            warnings.count(OTHER_FILING, f"{row.string('financebench_id')}: {name}")
            continue
        yield piece["evidence_page_num"], parsing.string(piece.get("evidence_text"), row.location, "evidence_text")


def quotation_span(text: str, page: Span, quotation: str) -> Span | None:
    """The span of a quotation on a page, found by its first `KEY` letters and digits; None where they are absent."""
    positions = [match.start() for match in _LETTER.finditer(text, *page)]
    letters = "".join(_letter(text[position]) for position in positions)
    key = "".join(map(_letter, _LETTER.findall(quotation)))
    start = letters.find(key[:KEY]) if key else -1
    if start < 0:
        return None
    return positions[start], positions[min(start + len(key), len(positions)) - 1] + 1


def _letter(letter: str) -> str:
    """The letter in lower case, as one character: `lower` makes two of some."""
    return letter.lower()[0]
