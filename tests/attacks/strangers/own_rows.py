"""Files of own rows, as editors, spreadsheets, pandas and exports of other programs write them."""

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.attacks.strangers.outcomes import Write, answered, six
from tests.attacks.strangers.rows import (
    DOCUMENTS,
    QUESTIONS,
    Rows,
    flat,
    json_lines,
    renamed,
    rows,
    saved,
    separated,
    without,
)


def text(content: str, encoding: str = "utf-8") -> Write:
    return lambda path: saved(path, content, encoding)


def lines(every: Rows) -> Write:
    return text(json_lines(every))


def packed(content: str, pack: Callable[[bytes], bytes]) -> Write:
    return lambda path: path.write_bytes(pack(content.encode()))


def frame(write: Callable[[Any, Path], object], every: Rows) -> Write:
    """A file that pandas writes."""

    def by_pandas(path: Path) -> None:
        import pandas

        write(pandas.DataFrame(every), path)

    return by_pandas


def _parquet(table: Any, path: Path) -> None:
    table.index = range(10, 16)
    table[table.index > 0].to_parquet(path)  # with __index_level_0__, as every table that was filtered


def _paths(path: Path) -> None:
    for number, content in enumerate(DOCUMENTS):
        saved(path.parent / f"texts/{number}.txt", content)
    places = [place for place, *_ in QUESTIONS]
    every = zip(without(rows(), "document"), places, strict=True)
    saved(path, json_lines([{**row, "document_path": f"texts/{place}.txt"} for row, place in every]))


EXPORTED = {
    "id": lambda number: number,
    "created_at": "2024-01-31T12:00:00Z",
    "metadata": {"source": {"page": [1, None]}},
    "deleted": None,
    "score": 0.5,
    "title": None,
    "options": None,
    "__index_level_0__": lambda number: number,
}


def two(row: dict[str, Any]) -> list[str]:
    """Two options, of which the second is right."""
    return ["Nobody", row["answers"]]


def by_letter(row: dict[str, Any]) -> dict[str, str]:
    return dict(zip("AB", two(row), strict=True))


def labelled(row: dict[str, Any]) -> dict[str, list[str]]:
    return {"text": two(row), "label": ["1", "2"]}


COLUMNS = {"A": "Nobody", "B": lambda row: row["answers"], "C": "No answer", "D": ""}
SPACED = {"document": " document", "answers": "answers "}

READ = (
    six("lines.jsonl", lines(rows())),
    six("escaped.jsonl", text(json_lines(rows(), escaped=True))),
    six("windows.jsonl", text("\ufeff" + json_lines(rows(), end="\r\n"))),
    six("utf16.jsonl", text(json_lines(rows()), "utf-16")),
    six("mongo.ndjson", lines(rows())),
    six("one_line.json", text(json.dumps(rows()))),
    six("printed.json", text(json.dumps(rows(), indent=2))),
    six("exported.jsonl", lines(rows(**EXPORTED))),
    six("logs.jsonl.gz", packed(json_lines(rows()), gzip.compress)),
    six("commas.csv", text(separated(rows()))),
    six("commas.csv.bz2", packed(separated(rows()), bz2.compress)),
    six("excel_utf8.csv", text("\ufeff" + separated(rows()))),
    six("excel_semicolons.csv", text("\ufeff" + separated(rows(), ";"))),
    six("excel_declared.csv", text("sep=;\r\n" + separated(rows(), ";"))),
    six("excel_unicode.csv", text(separated(rows(), "\t"), "utf-16")),
    six("tabs.tsv", text(separated(rows(), "\t", "\n"))),
    six("pandas.csv", frame(lambda table, path: table.to_csv(path), rows())),
    six("pandas.parquet", frame(_parquet, rows(score=float("nan"), created_at="2024"))),
    six("quoted.jsonl", lines([{**row, "evidence": row["answers"]} for row in rows()])),
    six("paths.jsonl", _paths),
    answered("texts.jsonl", lines(flat())),
    answered("kaggle.csv", frame(lambda table, path: table.to_csv(path), flat())),
    answered("records.json", frame(lambda table, path: table.to_json(path, orient="records"), flat())),
    answered("spaces.csv", text(separated(renamed(flat(), **SPACED)))),
    answered("lists.csv", text(separated(flat(answers=lambda row: [row["answers"], ""])))),
    answered("answer.jsonl", lines(flat(answer=lambda row: row["answers"], answers=[]))),
    answered("options.jsonl", lines(flat(options=two, answers="B"))),
    answered("letters.jsonl", lines(flat(options=by_letter, answers="B"))),
    answered("columns.csv", text(separated(flat(**COLUMNS, answers="B")))),
    answered("arc.jsonl", lines(without(flat(choices=labelled, answerKey="2"), "answers"))),
)
