"""Files of own rows, as editors, spreadsheets, pandas and exports of other programs write them."""

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.attacks.strangers.outcomes import Write, with_answers, with_places
from tests.attacks.strangers.rows import (
    DOCUMENTS,
    QUESTIONS,
    Rows,
    csv_text,
    flat_rows,
    json_lines,
    rows,
    save,
    with_renamed_fields,
    without_fields,
)


def text(content: str, encoding: str = "utf-8") -> Write:
    return lambda path: save(path, content, encoding)


def lines(records: Rows) -> Write:
    return text(json_lines(records))


def compressed(content: str, pack: Callable[[bytes], bytes]) -> Write:
    return lambda path: path.write_bytes(pack(content.encode()))


def frame(write: Callable[[Any, Path], object], records: Rows) -> Write:
    """A file that pandas writes."""

    def by_pandas(path: Path) -> None:
        import pandas

        write(pandas.DataFrame(records), path)

    return by_pandas


def _write_parquet(table: Any, path: Path) -> None:
    table.index = range(10, 16)
    table[table.index > 0].to_parquet(path)  # with __index_level_0__, as every table that was filtered


def _write_paths(path: Path) -> None:
    for number, content in enumerate(DOCUMENTS):
        save(path.parent / f"texts/{number}.txt", content)
    places = [place for place, *_ in QUESTIONS]
    rows_and_places = zip(without_fields(rows(), "document"), places, strict=True)
    save(path, json_lines([{**row, "document_path": f"texts/{place}.txt"} for row, place in rows_and_places]))


EXPORTED_FIELDS = {
    "id": lambda number: number,
    "created_at": "2024-01-31T12:00:00Z",
    "metadata": {"source": {"page": [1, None]}},
    "deleted": None,
    "score": 0.5,
    "title": None,
    "options": None,
    "__index_level_0__": lambda number: number,
}


def two_options(row: dict[str, Any]) -> list[str]:
    """Two options, of which the second is right."""
    return ["Nobody", row["answers"]]


def options_by_letter(row: dict[str, Any]) -> dict[str, str]:
    return dict(zip("AB", two_options(row), strict=True))


def labelled_options(row: dict[str, Any]) -> dict[str, list[str]]:
    return {"text": two_options(row), "label": ["1", "2"]}


COLUMNS = {"A": "Nobody", "B": lambda row: row["answers"], "C": "No answer", "D": ""}
SPACED_NAMES = {"document": " document", "answers": "answers "}

OWN_ROWS = (
    with_places("lines.jsonl", lines(rows())),
    with_places("escaped.jsonl", text(json_lines(rows(), escaped=True))),
    with_places("windows.jsonl", text("\ufeff" + json_lines(rows(), end="\r\n"))),
    with_places("utf16.jsonl", text(json_lines(rows()), "utf-16")),
    with_places("mongo.ndjson", lines(rows())),
    with_places("one_line.json", text(json.dumps(rows()))),
    with_places("printed.json", text(json.dumps(rows(), indent=2))),
    with_places("exported.jsonl", lines(rows(**EXPORTED_FIELDS))),
    with_places("logs.jsonl.gz", compressed(json_lines(rows()), gzip.compress)),
    with_places("commas.csv", text(csv_text(rows()))),
    with_places("commas.csv.bz2", compressed(csv_text(rows()), bz2.compress)),
    with_places("excel_utf8.csv", text("\ufeff" + csv_text(rows()))),
    with_places("excel_semicolons.csv", text("\ufeff" + csv_text(rows(), ";"))),
    with_places("excel_declared.csv", text("sep=;\r\n" + csv_text(rows(), ";"))),
    with_places("excel_unicode.csv", text(csv_text(rows(), "\t"), "utf-16")),
    with_places("tabs.tsv", text(csv_text(rows(), "\t", "\n"))),
    with_places("pandas.csv", frame(lambda table, path: table.to_csv(path), rows())),
    with_places("pandas.parquet", frame(_write_parquet, rows(score=float("nan"), created_at="2024"))),
    with_places("quoted.jsonl", lines([{**row, "evidence": row["answers"]} for row in rows()])),
    with_places("paths.jsonl", _write_paths),
    with_answers("texts.jsonl", lines(flat_rows())),
    with_answers("kaggle.csv", frame(lambda table, path: table.to_csv(path), flat_rows())),
    with_answers("records.json", frame(lambda table, path: table.to_json(path, orient="records"), flat_rows())),
    with_answers("spaces.csv", text(csv_text(with_renamed_fields(flat_rows(), **SPACED_NAMES)))),
    with_answers("lists.csv", text(csv_text(flat_rows(answers=lambda row: [row["answers"], ""])))),
    with_answers("answer.jsonl", lines(flat_rows(answer=lambda row: row["answers"], answers=[]))),
    with_answers("options.jsonl", lines(flat_rows(options=two_options, answers="B"))),
    with_answers("letters.jsonl", lines(flat_rows(options=options_by_letter, answers="B"))),
    with_answers("columns.csv", text(csv_text(flat_rows(**COLUMNS, answers="B")))),
    with_answers("arc.jsonl", lines(without_fields(flat_rows(choices=labelled_options, answerKey="2"), "answers"))),
)
