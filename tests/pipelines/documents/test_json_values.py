"""JSON as a document: its texts, where they came from, and files that are not JSON."""

import gzip
import json
from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import documents

LONG = "The mill of Åndal was built in 1823, and Åse Berg owned it until her death in the flood."
ROWS = [{"document": LONG, "question": "Who owned it?"}, {"document": LONG, "tags": ["a", None], "n": {"year": 1823}}]
TEXT = f"\n{LONG}\n\nquestion: Who owned it?\n\ntags: a\nyear: 1823"


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.json", json.dumps(ROWS, indent=1)),
        ("a.jsonl", "\n".join(map(json.dumps, ROWS))),
        ("a.ndjson", "\n\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS)),
    ],
)
def test_texts_are_read_without_escapes_and_once_and_rows_are_their_places(
    tmp_path: Path, name: str, source: str
) -> None:
    (tmp_path / name).write_text(source, encoding="utf-8")
    text = documents.read(tmp_path / name)
    assert (text.text, text.kind, text.lined, text.warnings) == (TEXT, "row", False, ())
    assert documents.location(text.meta, text.text, TEXT.index("Åse"), TEXT.index("Åse") + 3) == "row 1"
    assert documents.location(text.meta, text.text, TEXT.index("year"), len(TEXT)) == "row 2"


def test_compressed_json_is_json(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(json.dumps(ROWS).encode()))
    assert documents.read(tmp_path / "a.jsonl.gz").text == TEXT


def test_invalid_json_is_read_as_plain_text_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": "b"\nA note.')
    text = documents.read(tmp_path / "a.json")
    assert (text.text, text.lined) == ('{"a": "b"\nA note.', True)
    (warning,) = text.warnings
    assert warning.startswith(f"{tmp_path / 'a.json'} is not JSON (") and warning.endswith(
        "so it was read as plain text"
    )


def test_json_without_a_text_has_none(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(UserError, match="has no text"):
        documents.read(tmp_path / "a.json")


def test_identifiers_and_types_come_last(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"id": 7, "type": "note", "data": {"uuid": "x1", "fee": "40 euros"}}')
    assert documents.read(tmp_path / "a.json").text == "fee: 40 euros\nuuid: x1\nid: 7\ntype: note"


def test_numbers_stay_as_they_are_written_and_pictures_are_left_out(tmp_path: Path) -> None:
    picture = json.dumps("iVBORw0KGgo" * 30)
    source = f'{{"fee": 1.50, "cells": 1E6, "ok": true, "raw": {picture}, "url": "data:image/png;base64,iVBOR"}}'
    (tmp_path / "a.json").write_text(source)
    assert documents.read(tmp_path / "a.json").text == "fee: 1.50\ncells: 1E6\nok: true"


def test_parquet_is_refused_with_the_command_that_converts_it(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(
        UserError, match=r"to_json\('a\.jsonl', orient='records', lines=True\)\", then longdoc ask a\.jsonl"
    ):
        documents.read(tmp_path / "a.parquet")
