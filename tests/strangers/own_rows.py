"""Files of own rows, as editors, spreadsheets, pandas and exports of other programs write them."""

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.strangers.outcomes import Refused, Stranger, answered, refused, six
from tests.strangers.rows import DOCUMENTS, QUESTIONS, flat, json_lines, renamed, rows, saved, separated, without

Write = Callable[[Path], object]
WESTERN = "is not UTF-8: … iconv -f WINDOWS-1252 -t UTF-8"


def text(content: str, encoding: str = "utf-8") -> Write:
    return lambda path: saved(path, content, encoding)


def packed(content: str, pack: Callable[[bytes], bytes]) -> Write:
    return lambda path: path.write_bytes(pack(content.encode()))


def frame(write: Callable[[Any, Path], object], every: Any) -> Write:
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
    named = [
        {**row, "document_path": f"texts/{place}.txt"}
        for row, (place, *_) in zip(without(rows(), "document"), QUESTIONS, strict=True)
    ]
    saved(path, json_lines(named))


def _changed(number: int, **changed: Any) -> str:
    return json_lines([{**row, **changed} if place == number else row for place, row in enumerate(rows(), 1)])


EXPORTED = {
    "id": lambda number: number, "created_at": "2024-01-31T12:00:00Z", "metadata": {"source": {"page": [1, None]}},
    "deleted": None, "score": 0.5, "title": None, "options": None, "__index_level_0__": lambda number: number,
}  # fmt: skip
MANY = {"A": "Nobody", "B": lambda row: row["answers"], "C": "No answer", "D": ""}
TWO = lambda row: ["Nobody", row["answers"]]  # noqa: E731
FIRST = [
    {"text": content, "question": question} for content, (_, question, _) in zip(DOCUMENTS, QUESTIONS, strict=False)
]

READ = (
    six("lines.jsonl", text(json_lines(rows()))),
    six("escaped.jsonl", text(json_lines(rows(), escaped=True))),
    six("windows.jsonl", text("\ufeff" + json_lines(rows(), end="\r\n"))),
    six("utf16.jsonl", text(json_lines(rows()), "utf-16")),
    six("mongo.ndjson", text(json_lines(rows()))),
    six("one_line.json", text(json.dumps(rows()))),
    six("printed.json", text(json.dumps(rows(), indent=2))),
    six("exported.jsonl", text(json_lines(rows(**EXPORTED)))),
    six("logs.jsonl.gz", packed(json_lines(rows()), gzip.compress)),
    six("commas.csv", text(separated(rows())), "line 2"),
    six("commas.csv.bz2", packed(separated(rows()), bz2.compress), "line 2"),
    six("excel_utf8.csv", text("\ufeff" + separated(rows())), "line 2"),
    six("excel_semicolons.csv", text("\ufeff" + separated(rows(), ";")), "line 2"),
    six("excel_declared.csv", text("sep=;\r\n" + separated(rows(), ";")), "line 3"),
    six("excel_unicode.csv", text(separated(rows(), "\t"), "utf-16"), "line 2"),
    six("tabs.tsv", text(separated(rows(), "\t", "\n")), "line 2"),
    six("pandas.csv", frame(lambda table, path: table.to_csv(path), [*map(dict, rows())]), "line 2"),
    six("quoted.jsonl", text(json_lines([{**row, "evidence": row["answers"]} for row in rows()]))),
    Stranger(
        "pandas.parquet", frame(_parquet, rows(score=float("nan"), created_at="2024")),
        six("", print).run, Refused(".parquet files are not read here; type: python -c"), six("", print).evidence,
        six("", print).train,
    ),
    Stranger(
        "paths.jsonl", _paths, six("", print).run, "[1] {name}, row 1", six("", print).evidence, six("", print).train
    ),
    answered("texts.jsonl", text(json_lines(flat()))),
    answered("kaggle.csv", frame(lambda table, path: table.to_csv(path), flat()), "line 2"),
    answered("records.json", frame(lambda table, path: table.to_json(path, orient="records"), flat())),
    answered("spaces.csv", text(separated(renamed(flat(), document=" document", answers="answer "))), "line 2"),
    answered("lists.csv", text(separated(flat(answers=lambda row: [row["answers"], ""]))), "line 2"),
    answered("answer.jsonl", text(json_lines(flat(answer=lambda row: row["answers"], answers=[])))),
    answered("options.jsonl", text(json_lines(flat(options=TWO, answers="B")))),
    answered("letters.jsonl", text(json_lines(flat(options=lambda row: dict(zip("AB", TWO(row), strict=True)), answers="B")))),
    answered("columns.csv", text(separated(flat(**MANY, answers="B"))), "line 2"),
    answered(
        "arc.jsonl",
        text(json_lines(without(flat(choices=lambda row: {"text": TWO(row), "label": ["1", "2"]}, answerKey="2"), "answers"))),
    ),
)  # fmt: skip

REFUSED = (
    refused("latin1.jsonl", text(json_lines(rows()).replace("–", "-"), "latin-1"), WESTERN),
    refused("excel_western.csv", text(separated(rows(), ";"), "cp1252"), WESTERN),
    refused("macintosh.csv", text(separated(rows(), end="\r")), r"type: tr '\r' '\n' < macintosh.csv"),
    refused("book.xlsx", text("PK\x03\x04"), "book.xlsx is a spreadsheet: save it as CSV in UTF-8", Refused("convert-to csv")),
    refused("empty.jsonl", text(""), "empty.jsonl is empty", Refused("empty.jsonl is empty")),
    refused("header.csv", text("document,question,answers\r\n"), "header.csv has no rows", "Nothing in the documents matches"),
    refused("nothing.json", text("[]"), "nothing.json has no rows", Refused("nothing.json has no text in it")),
    refused("texts.json", text('["a text", "another"]'), "texts.json:1: the row is a str", "Nothing in the documents"),
    refused("unquoted.csv", text("document,question,answers\nA mill, by a river,What?,a mill\n"),
            "unquoted.csv:2: 4 cells where the header names 3", "A mill"),
    refused("no_question.jsonl", text(json_lines(without(rows(), "question"))),
            "no_question.jsonl:1: the row needs a question; found document, answers, evidence"),
    refused("empty_question.jsonl", text(_changed(3, question=None)),
            "empty_question.jsonl:3: the row needs a question; its question is empty"),
    refused("no_document.jsonl", text(json_lines(without(rows(), "document"))), "`document` is missing", "[1] {name}, row 1"),
    refused("empty_document.jsonl", text(_changed(4, document="")), "empty_document.jsonl:4: the document is empty"),
    refused("capitals.csv", text(separated(renamed(flat(), document="Document", question="Question", answers="Answer"))),
            "write their names in small letters (document, question, answer)"),
    refused("same_ids.jsonl", text(json_lines(rows(id="7"))), "two examples have the id '7'"),
    refused("missing.jsonl", text(_changed(2, answers=float("nan"))), "missing.jsonl:2: answers is nan, not a text"),
    refused("numbers.jsonl", text(json_lines(flat(choices=TWO, answers=1))), "numbers.jsonl:1: the answer 1 is the number of an option"),
    refused("windows_paths.jsonl", text(json_lines([{"document_path": "texts\\0.txt", "question": "Who?"}])),
            r"there is no file", "[1] {name}, row 1"),
    refused("pandas_columns.json", frame(lambda table, path: table.to_json(path), flat()), "`document` is a dict, not text"),
    refused("pandas_split.json", frame(lambda table, path: table.to_json(path, orient="split"), flat()),
            "if the items are rows, write them as a JSON list by itself"),
    refused("two_lists.json", text(json.dumps(flat()) * 2), "two_lists.json:1: not JSON: text after the end of the list"),
    refused("label_studio.json",
            text(json.dumps([{"id": 1, "data": data, "annotations": [{"result": []}], "predictions": []} for data in FIRST])),
            "`data` is a dict, not a list"),
    refused("lm_eval_samples.jsonl",
            text(json_lines([{"doc_id": n, "doc": row, "target": "x", "resps": [["x"]]} for n, row in enumerate(flat())])),
            "its fields: doc_id, doc, target, resps. Accepted: own rows (document or document_path, question, answers)"),
    refused("config.yaml", text("document: a mill\n"), "config.yaml is no kind of file that is read here", "Nothing in the documents"),
)  # fmt: skip
