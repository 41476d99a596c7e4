"""The four documents and six questions that every stranger's file has, in a dress of its own."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

DOCUMENTS = (
    "The mill of Åndal was built in 1823. Åse Berg owned the mill until her death. The river turns two wheels.",
    "The lease ends on 31 May 2031. The tenant pays 900 euros a month – in advance. Pets are allowed.",
    "Captain Lund sailed from Bodø in March. The ship carried dried fish, salt; and rope. She sank off Skagen.",
    "The pump leaks at the valve. A mechanic replaced the seal in 2019. It runs well now.",
)
QUESTIONS = (
    (0, "Who owned the mill?", "Åse Berg"),
    (0, "When was the mill built?", "1823"),
    (1, "How much does the tenant pay a month?", "900 euros"),
    (1, "When does the lease end?", "31 May 2031"),
    (2, "Where did Captain Lund sail from?", "Bodø"),
    (3, "When was the seal replaced?", "2019"),
)
Rows = list[dict[str, Any]]


def rows(**fields: Any) -> Rows:
    """Own rows with answers and their places; `fields` are those of each besides, a function one of its number."""
    return [
        {
            "document": DOCUMENTS[place],
            "question": question,
            "answers": [answer],
            "evidence": [span(place, answer)],
            **{name: value(number) if callable(value) else value for name, value in fields.items()},
        }
        for number, (place, question, answer) in enumerate(QUESTIONS)
    ]


def span(place: int, answer: str) -> list[int]:
    """Where an answer is in its document."""
    start = DOCUMENTS[place].index(answer)
    return [start, start + len(answer)]


def with_renamed_fields(records: Rows, **names: str) -> Rows:
    """Rows with other names of their fields."""
    return [{names.get(name, name): value for name, value in row.items()} for row in records]


def without_fields(records: Rows, *names: str) -> Rows:
    """Rows without some fields."""
    return [{name: value for name, value in row.items() if name not in names} for row in records]


def json_lines(records: Iterable[Any], end: str = "\n", escaped: bool = False) -> str:
    """The rows as JSON Lines; `escaped`: in ASCII, as Python writes them unless told otherwise."""
    return "".join(json.dumps(row, ensure_ascii=escaped) + end for row in records)


def cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with JSON in the cells of its lists and objects."""
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value
        for name, value in row.items()
    }


def csv_text(records: Sequence[Mapping[str, Any]], delimiter: str = ",", end: str = "\r\n") -> str:
    """The rows as CSV, as a spreadsheet writes it."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]), delimiter=delimiter, lineterminator=end)
    writer.writeheader()
    writer.writerows(map(cells, records))
    return text.getvalue()


def save(path: Path, text: str, encoding: str = "utf-8") -> Path:
    """The file with this text."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return path


def flat_rows(**fields: Any) -> Rows:
    """The rows with one answer, a text, and without its place."""
    records = [{**row, "answers": row["answers"][0]} for row in without_fields(rows(), "evidence")]
    return [
        {**row, **{name: value(row) if callable(value) else value for name, value in fields.items()}} for row in records
    ]
