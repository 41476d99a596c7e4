"""Files whose rows are not read: what each command says, in one line that names the field or the cure."""

import json
from typing import Any

from tests.attacks.strangers.outcomes import AS_WESTERN, ASKED, BELOW_QUESTION, NOTHING, Refused, refused
from tests.attacks.strangers.own_rows import frame, lines, text, two_options
from tests.attacks.strangers.rows import (
    DOCUMENTS,
    Rows,
    csv_text,
    flat_rows,
    json_lines,
    rows,
    with_renamed_fields,
    without_fields,
)

WESTERN = "{name} is not UTF-8: … iconv -f WINDOWS-1252 -t UTF-8 {name} > utf8-{name}"
CAPITALS = {"document": "Document", "question": "Question", "answers": "Answer"}


def rows_with_change(number: int, **fields: Any) -> Rows:
    """The rows with other fields in one of them."""
    return [{**row, **fields} if place == number else row for place, row in enumerate(rows(), 1)]


def label_studio_tasks() -> Rows:
    """Tasks as Label Studio exports them."""
    return [{"id": 1, "data": {"text": content}, "annotations": [], "predictions": []} for content in DOCUMENTS]


def lm_eval_samples() -> Rows:
    """What lm-evaluation-harness logs."""
    return [{"doc_id": number, "doc": row, "target": "x", "resps": [["x"]]} for number, row in enumerate(flat_rows())]


NOT_READ = (
    refused("latin1.jsonl", text(json_lines(rows()).replace("–", "-"), "latin-1"), WESTERN, AS_WESTERN),
    refused("excel_western.csv", text(csv_text(rows(), ";"), "cp1252"), WESTERN, AS_WESTERN),
    refused("macintosh.csv", text(csv_text(rows(), end="\r")), r"type: tr '\r' '\n' < macintosh.csv", ASKED),
    refused(
        "book.xlsx", text("PK\x03\x04"), "{name} is a spreadsheet; save it as CSV", Refused("--convert-to csv {name}")
    ),
    refused("empty.jsonl", text(""), "{name} is empty"),
    refused("header.csv", text("document,question,answers\r\n"), "{name} has no rows", NOTHING),
    refused("nothing.json", text("[]"), "{name} has no rows", Refused("{name} has no text")),
    refused("texts.json", text('["a text", "another"]'), "{name}:1: the row is a str", NOTHING),
    refused("unquoted.csv", text("document,question\nA, b,Who?\n"), "{name}:2: 3 cells, but the header has 2", NOTHING),
    refused(
        "no_question.jsonl",
        lines(without_fields(rows(), "question")),
        "{name}:1: the row needs a question; found",
        ASKED,
    ),
    refused(
        "empty_question.jsonl", lines(rows_with_change(3, question=None)), "{name}:3: … its question is empty", ASKED
    ),
    refused(
        "no_document.jsonl", lines(without_fields(rows(), "document")), "`document` is missing", "[1] {name}, row 1"
    ),
    refused("empty_document.jsonl", lines(rows_with_change(4, document="")), "{name}:4: the document is empty"),
    refused("null_document.jsonl", lines(rows_with_change(4, document=None)), "{name}:4: … its document is empty"),
    refused(
        "capitals.csv",
        text(csv_text(with_renamed_fields(flat_rows(), **CAPITALS))),
        "in lower case (document, question,",
        ASKED,
    ),
    refused("same_ids.jsonl", lines(rows(id="7")), "two examples have the id '7'"),
    refused("missing.jsonl", lines(rows_with_change(2, answers=float("nan"))), "{name}:2: answers is nan, not a text"),
    refused(
        "numbers.jsonl",
        lines(flat_rows(choices=two_options, answers=1)),
        "{name}:1: the answer 1 is the number of an option",
    ),
    refused("windows_paths.jsonl", lines([{"document_path": "a\\0.txt", "question": "Who?"}]), "does not exist"),
    refused(
        "pandas_columns.json",
        frame(lambda table, path: table.to_json(path), flat_rows()),
        "`document` is of type dict",
        ASKED,
    ),
    refused(
        "pandas_split.json",
        frame(lambda table, path: table.to_json(path, orient="split"), flat_rows()),
        "if the items are rows, write them as a JSON list by itself",
        "[1] {name}, row 1",
    ),
    refused("two_lists.json", text(json.dumps(flat_rows()) * 2), "{name}:1: not JSON: text after the end of the list"),
    refused("label_studio.json", text(json.dumps(label_studio_tasks())), "`data` is of type dict, not a list", ASKED),
    refused(
        "lm_eval_samples.jsonl",
        lines(lm_eval_samples()),
        "its fields: doc_id, doc, target, resps. Accepted: own rows",
        BELOW_QUESTION,
    ),
    refused("config.yaml", text("document: a house\n"), "{name} is not a supported kind of file", NOTHING),
)
