"""HotpotQA's layouts: the same document and evidence from the original and the hub's rows."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources
from pipelines.benchmarks.muld.tasks import DATASETS

CONTEXT = [
    ["Ed Wood (film)", ["Ed Wood is a film.", " It stars Johnny Depp – as “Wood”."]],
    ["Ed Wood", ["Edward Wood was a director.", "", " He was born in 1924."]],
    ["Ed Wood", ["Another page of that title."]],
]
SUPPORTING_FACTS = [["Ed Wood", 2], ["Ed Wood (film)", 0]]
TEXT = (
    "Ed Wood (film)\nEd Wood is a film. It stars Johnny Depp – as “Wood”.\n\n"
    "Ed Wood\nEdward Wood was a director. He was born in 1924.\n\nEd Wood\nAnother page of that title."
)
ROW = {
    "_id": "5a",
    "question": "When was he born? ",
    "answer": "1924",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": SUPPORTING_FACTS,
    "context": CONTEXT,
}


def hub_row(row: dict[str, Any]) -> dict[str, Any]:
    facts = {"title": [one for one, _ in row["supporting_facts"]], "sent_id": [n for _, n in row["supporting_facts"]]}
    context = {"title": [one for one, _ in row["context"]], "sentences": [sentences for _, sentences in row["context"]]}
    rest = {key: row[key] for key in ("question", "answer", "type", "level")}
    return {"id": row["_id"], **rest, "supporting_facts": facts, "context": context}


def write(folder: Path, layout: str, rows: list[dict[str, Any]]) -> Path:
    if layout == "parquet":
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([hub_row(row) for row in rows]), folder / "dev.parquet")
        return folder / "dev.parquet"
    if layout == "hub":
        rows = [hub_row(row) for row in rows]
    file = folder / ("dev.jsonl" if layout == "lines" else "dev.json")
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    file.write_text(lines if layout == "lines" else json.dumps(rows), encoding="utf-8")
    return file


def load(data: Any) -> sources.Dataset:
    return sources.load("hotpotqa", DATASETS["hotpotqa"], data, "validation")


@pytest.mark.parametrize("layout", ["original", "lines", "hub", "parquet"])
def test_every_layout_gives_the_same_document_and_evidence(tmp_path: Path, layout: str) -> None:
    (example,) = load(write(tmp_path, layout, [ROW])).examples()
    assert example.id == "5a"
    assert example.document.text == TEXT
    assert (example.query, example.references) == ("When was he born?", ("1924",))
    assert [TEXT[start:end] for start, end in example.evidence] == [" He was born in 1924.", "Ed Wood is a film."]
    assert dict(example.meta) == {"type": "bridge", "level": "hard"}


def test_a_supporting_fact_without_a_sentence_is_skipped_and_counted(tmp_path: Path) -> None:
    facts = [*SUPPORTING_FACTS, ["Ed Wood", 3], ["Nobody", 0], ["Ed Wood", 1], ["Ed Wood", -1]]
    data = load(write(tmp_path, "lines", [{**ROW, "supporting_facts": facts}]))
    (example,) = data.examples()
    assert len(example.evidence) == 2
    assert data.warnings == [
        "supporting facts skipped, because the document has no such sentence: 4 (dev.jsonl:1 ('Ed Wood', 3), "
        "dev.jsonl:1 ('Nobody', 0), dev.jsonl:1 ('Ed Wood', 1), dev.jsonl:1 ('Ed Wood', -1))"
    ]


def test_rows_without_id_answer_and_facts_are_numbered_and_unlabelled(tmp_path: Path) -> None:
    rows = [{"question": "Who?", "context": CONTEXT}] * 2
    examples = list(load(write(tmp_path, "original", rows)).examples())
    assert [example.id for example in examples] == ["validation-1", "validation-2"]
    assert [(example.references, example.evidence) for example in examples] == [((), ())] * 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"context": [["Title", "no list"]]}, "dev.jsonl:2: a row of HotpotQA needs question and context; found _id"),
        ({"supporting_facts": "x"}, "dev.jsonl:2: supporting_facts must be pairs"),
        ({"answer": True}, "dev.jsonl:2: answer is true, not a text"),
        ({"context": [["", [""]]]}, "dev.jsonl:2: the document is empty"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    reading = load(write(tmp_path, "lines", [ROW, {**ROW, **change}])).examples()
    next(reading)
    with pytest.raises(UserError, match=message):
        next(reading)


@pytest.mark.parametrize(
    ("name", "count"), [("hotpot_distractor_80.jsonl", 80), ("meve_hotpot_dev_distractor_100.json", 100)]
)
def test_every_span_of_evidence_in_the_real_files_is_its_sentence(realdata: Path, name: str, count: int) -> None:
    file = realdata / "hotpotqa" / name
    text = file.read_text(encoding="utf-8")
    rows = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
    data = load(file)
    examples = list(data.examples())
    assert len(examples) == len(rows) == count
    assert data.warnings == []
    for row, example in zip(rows, examples, strict=True):
        context, facts = row["context"], row["supporting_facts"]
        if isinstance(context, dict):
            context = zip(context["title"], context["sentences"], strict=True)
            facts = zip(facts["title"], facts["sent_id"], strict=True)
        sentences = dict(reversed(list(map(tuple, context))))
        spans = [example.document.text[start:end] for start, end in example.evidence]
        assert spans == [sentences[title][number] for title, number in facts]
        assert example.references == (row["answer"],)
