"""Shards of own rows: the examples of the run without shards, read without the other shards' documents."""

import json
import random
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc import plain_json
from longdoc.errors import UserError
from pipelines import sources
from pipelines.engine.planning.sampling import ShardExample, shard_examples
from pipelines.engine.planning.shard import Shard
from pipelines.records import Example
from pipelines.sources import reading
from pipelines.sources.own_data import row_lines, rows
from tests.turns import for_each

OWN = sources.DatasetInfo("", {}, "rows", {})
LONG = "The ship sailed. " * 500


def row(document: Any, number: int = 0, **fields: Any) -> dict[str, Any]:
    return {"document": document, "question": f"What is {number}?", "answer": "A ship"} | fields


def lines(*records: dict[str, Any], **arguments: Any) -> str:
    return "".join(json.dumps(record, **arguments) + "\n" for record in records)


def file_of(folder: Path, text: str) -> Path:
    path = folder / "rows.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def load(path: Path) -> sources.Dataset:
    return sources.load("qa", OWN, path, is_sharded=True)


def part(path: Path, shard: Shard, limit: int | None = None) -> list[tuple[int, Example]] | None:
    examples = load(path).part(shard.number, shard.count, limit)
    return None if examples is None else list(examples)


def fields_of(example: Example, position: int) -> tuple[Any, ...]:
    fields = example.id, example.document, example.query, example.references, example.options, example.evidence
    return position, *fields, dict(example.meta)


ROWS = [row(f'Ship {number} sailed, «é» \U0001f600 and "quoted".\n' * 50, number) for number in range(11)]
HALF = "Half \ud83d of a pair."
SPLITTABLE: dict[str, str] = {
    "distinct": lines(*ROWS),
    "not escaped": lines(*ROWS, ensure_ascii=False),
    "escaped in some rows": lines(*ROWS) + lines(*ROWS[::-1], ensure_ascii=False),
    "several questions": lines(*(record for record in ROWS for _ in range(3))),
    "not neighbours": lines(*ROWS, *ROWS[3:8], *ROWS[::2]),
    "one beginning": lines(*(row(LONG + str(number % 4), number) for number in range(9))),
    "the head and no more": lines(*(row("a" * (row_lines.HEAD - 1 + number % 3), number) for number in range(9))),
    "halves of pairs": lines(
        *(row(text, number) for number, text in enumerate(["A", HALF, "B", HALF.replace("\ud83d", "\ufffd"), "C"]))
    ),
    "backslashes": lines(*(row("\\" * (number * 130) + '"' * number + "\\", number) for number in range(1, 14))),
    "spaces first": lines(*(row(" " * 300 + str(number % 5), number) for number in range(9))),
    "other fields first": lines(
        *(
            {"id": f"x{number}", "answers": ["a", 'b "c"'], "title": "\\", "year": -1.5} | row(f"D{number}")
            for number in range(5)
        )
    ),
    "nested fields first": lines(*({"metadata": {"document": "no"}} | row(f"D{number % 3}") for number in range(7))),
    "braces": lines(*(row(f"}} {{ {number}", number, metadata={"a": [{}]}) for number in range(5))),
    "blank lines and spaces": "\n \r\n" + lines(*ROWS[:3]).replace("\n", " \r\n\r\n") + lines(*ROWS[5:]),
    "no spaces": lines(*ROWS, separators=(",", ":")),
    "no last line end": lines(*ROWS).rstrip("\n"),
    "ids": lines(*(row(f"D{number % 4}", number, id=f"q{number}") for number in range(9))),
    "options": lines(row("A", options=["A ship", "A boat"]), row("B", 1, A="x", B="A ship"), row("C", 2, options=[])),
    "quoted keys": lines(*(row(f'"document": "{number}', number) for number in range(5))),
}  # fmt: skip
NOT_SPLITTABLE: dict[str, str] = {
    "a list": json.dumps(ROWS),
    "rows of several lines": "".join(json.dumps(record, indent=1) + "\n" for record in ROWS),
    "two rows in a line": lines(*ROWS).replace("}\n{", "} {", 1),
    "a byte order mark": "\ufeff" + lines(*ROWS),
    "a document in a file": lines(*ROWS, {"document_path": "ship.txt", "question": "What?", "answer": "A ship"}),
    "a page of rows": lines(ROWS[0], {"rows": [{"row_idx": 0, "row": record} for record in ROWS[1:]]}),
}


@for_each("limit", [None, 4])
@for_each("count", [1, 2, 3, 7])
@for_each("text", [*SPLITTABLE.values(), *NOT_SPLITTABLE.values()])
def test_shards_have_the_examples_of_the_run_without_shards(
    tmp_path: Path, text: str, count: int, limit: int | None
) -> None:
    (tmp_path / "ship.txt").write_text("A ship.")
    path = file_of(tmp_path, text)
    whole = list(islice(sources.load("qa", OWN, path).examples(), limit))
    union = []
    for number in range(1, count + 1):
        shard = Shard(number, count)
        examples = part(path, shard, limit)
        assert (examples is None) == (text in NOT_SPLITTABLE.values())
        expected = [fields_of(example, example.position) for example in shard_examples(whole, shard)]
        if examples is not None:
            assert [fields_of(example, position) for position, example in examples] == expected
        union += expected
    assert sorted(values[0] for values in union) == list(range(len(whole)))


def test_random_rows_are_in_the_shards_that_reading_all_of_them_gives(tmp_path: Path) -> None:
    generator = random.Random(7)
    pieces = ["a", "\\", '"', "\n", "é", "\U0001f600", "\ud83d", "\ufffd", " ", "{", "}", "x" * 127, "\t"]
    for _ in range(60):
        documents = ["".join(generator.choices(pieces, k=generator.choice([1, 2, 3, 900]))) + "." for _ in range(6)]
        text = "".join(
            lines(row(document, number), ensure_ascii=generator.random() < 0.5 or "\ud83d" in document)
            for number, document in enumerate(generator.choices(documents, k=12))
        )
        path, shard = file_of(tmp_path, text), Shard(generator.randint(1, 3), 3)
        expected = [
            fields_of(example, example.position)
            for example in shard_examples(sources.load("qa", OWN, path).examples(), shard)
        ]
        examples = part(path, shard)
        assert examples is not None
        assert [fields_of(example, position) for position, example in examples] == expected


@for_each("text", SPLITTABLE.values())
def test_rows_with_options_are_counted_as_by_reading_all(tmp_path: Path, text: str) -> None:
    path = file_of(tmp_path, text)
    assert load(path).row_counts() == sources.load("qa", OWN, path).row_counts()


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How many documents are parsed, and how many examples are built."""
    counted = {"documents": 0, "examples": 0}
    first, example_of = plain_json.first, rows.example_of

    def counted_first(text: str, start: int) -> tuple[Any, int]:
        counted["documents"] += len(text) > len(LONG)
        return first(text, start)

    def counted_example(*arguments: Any) -> rows.PendingExample:
        counted["examples"] += 1
        return example_of(*arguments)

    monkeypatch.setattr(plain_json, "first", counted_first)
    monkeypatch.setattr(rows, "example_of", counted_example)
    return counted


def test_only_the_documents_of_the_shard_are_parsed(tmp_path: Path, counts: dict[str, int]) -> None:
    path = file_of(tmp_path, lines(*(row(f"{number}. {LONG}", number) for number in range(200))))
    data = load(path)
    data.row_counts()
    assert counts["documents"] <= 2  # the first row: once for its layout, once to see that the file is not a list
    counts["documents"] = 0
    examples = list(data.part(3, 100, None) or ())
    assert [position for position, _ in examples] == [2, 102]
    assert counts == {"documents": 4, "examples": 2}  # the shard's two rows, twice: their questions, then their texts
    list(data.part(3, 100, None) or ())
    assert counts == {"documents": 8, "examples": 4}


def test_documents_with_equal_beginnings_are_parsed_once_for_comparison(tmp_path: Path, counts: dict[str, int]) -> None:
    records = [row(f"{LONG}{number // 2}", number) for number in range(40)]
    data = load(file_of(tmp_path, lines(*records)))
    counts["documents"] = 0
    assert [position for position, _ in data.part(20, 20, None) or ()] == [38, 39]
    assert counts == {
        "documents": 40 + 2 * 2,
        "examples": 2,
    }  # all rows for the comparison, and the shard's in two passes


def test_a_run_of_a_shard_parses_its_own_documents_only(
    tmp_path: Path, counts: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file_of(tmp_path, lines(*(row(f"{number}. {LONG}", number) for number in range(100))))
    pipelines.run("qa", data="rows.jsonl", model="extractive", shard="1/50", metrics="f1", out="run")
    assert counts["examples"] <= 2 * 4  # the shard's two, in each of the passes that count, read and show them
    assert counts["documents"] <= 2 + 2 * 4 * 2


def test_merged_shards_of_a_file_are_the_run_without_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file_of(tmp_path, lines(*ROWS, *ROWS[3:8], *(row(LONG + str(number % 3), number) for number in range(7))))
    arguments: dict[str, Any] = {"data": "rows.jsonl", "model": "extractive", "metrics": "f1", "report": False}
    pipelines.run("qa", **arguments, out="whole")
    for number in (1, 2, 3):
        pipelines.run("qa", **arguments, shard=f"{number}/3", out=f"shards/{number}")
    pipelines.merge("shards/1", "shards/2", "shards/3", out="merged")
    for name in ("predictions.jsonl", "scores.json"):
        assert Path("merged", name).read_bytes() == Path("whole", name).read_bytes()


def test_a_shard_of_a_sample_reads_all_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file_of(tmp_path, lines(*ROWS))
    arguments: dict[str, Any] = {"data": "rows.jsonl", "model": "extractive", "metrics": "f1", "sample": 5}
    whole = [prediction.id for prediction in pipelines.run("qa", **arguments, out="whole").predictions]
    ids = [
        prediction.id
        for number in (1, 2)
        for prediction in pipelines.run("qa", **arguments, shard=f"{number}/2", out=f"shards/{number}").predictions
    ]
    assert sorted(ids) == sorted(whole)


def test_a_broken_document_is_an_error_of_its_own_shard_alone(tmp_path: Path) -> None:
    text = lines(*(row(f"{number}. {LONG}", number) for number in range(4)))
    path = file_of(tmp_path, text.replace("2. " + LONG, "2. " + LONG + "\\x"))
    assert [position for position, _ in part(path, Shard(1, 4)) or ()] == [0]
    with pytest.raises(UserError, match=r"^rows\.jsonl:3: not JSON: Invalid \\escape"):
        part(path, Shard(3, 4))


def test_bytes_that_are_no_text_are_an_error_of_their_own_shard_alone(tmp_path: Path) -> None:
    text = "A ship. " * (reading.BLOCK // 8)  # the first block is decoded for the first row, which tells the layout
    path = file_of(tmp_path, lines(*(row(f"{number}. {text}", number) for number in range(3))))
    path.write_bytes(path.read_bytes()[::-1].replace(b".pihs A", b".pihs\xffA", 1)[::-1])
    assert [position for position, _ in part(path, Shard(2, 3)) or ()] == [1]
    with pytest.raises(UserError, match="is not UTF-8: the byte at offset"):
        part(path, Shard(3, 3))


def test_a_row_without_what_its_example_needs_is_an_error_of_its_own_shard_alone(tmp_path: Path) -> None:
    path = file_of(tmp_path, lines(row("A"), row("B", question=""), row("C", evidence="none of it", answer=[])))
    assert [position for position, _ in part(path, Shard(1, 3)) or ()] == [0]
    with pytest.raises(UserError, match=r"^rows\.jsonl:2: the row needs a question"):
        part(path, Shard(2, 3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (lines(row("A")) + '{"document": "B", "question": }\n' + lines(row("C")), "rows.jsonl:2: not JSON"),
        (lines(row("A")) + '{"document": "B", "question": "What?"\n', "rows.jsonl:2: the file ends in the middle"),
        (lines(row("A")) + "[1]\n", "rows.jsonl:2: the row is a list"),
        (lines(row("A")) + '{"document": "B", "document": "C"}\n', "rows.jsonl:2: not JSON: an object has the key"),
        (lines(row("A"), row(" ")), "rows.jsonl:2: the document is empty"),
        (lines(row("A"), row(None)), "rows.jsonl:2: the row needs a document"),
        (lines(row("A"), row("B", id=[1])), "rows.jsonl:2: id must be text"),
    ],
)
def test_damage_outside_of_documents_is_an_error_of_every_shard(tmp_path: Path, text: str, message: str) -> None:
    path = file_of(tmp_path, text)
    with pytest.raises(UserError) as raised:
        part(path, Shard(1, 2))
    assert str(raised.value).startswith(message)


def test_an_id_that_occurs_twice_is_an_error_of_every_shard_that_has_both_within_its_limit(tmp_path: Path) -> None:
    path = file_of(tmp_path, lines(row("A", id="x"), row("B"), row("C", id="x")))
    for number in (1, 2, 3):
        with pytest.raises(UserError, match="two examples have the id 'x'"):
            part(path, Shard(number, 3))
    assert [example.id for _, example in part(path, Shard(1, 3), limit=2) or ()] == ["x"]


def test_a_file_that_changes_under_a_shard_is_an_error(tmp_path: Path) -> None:
    path = file_of(tmp_path, lines(row("A"), row("B")))
    examples = load(path).part(2, 2, None)
    path.write_text(" " + lines(row("A"), row("B")))
    assert examples is not None
    with pytest.raises(UserError, match="was changed while it was read"):
        list(examples)


def test_examples_of_a_shard_have_their_positions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pipelines.engine.planning.plan import make_plan
    from pipelines.engine.planning.sampling import run_examples, shown_data

    monkeypatch.chdir(tmp_path)
    file_of(tmp_path, lines(*ROWS))
    plan = make_plan("qa", data="rows.jsonl", model="extractive", shard="2/4")
    examples = list(run_examples(plan))
    assert all(isinstance(example, ShardExample) for example in examples)
    assert [getattr(example, "position", None) for example in examples] == [1, 5, 9]
    assert [example.id for example in shown_data(plan).examples()] == [example.id for example in examples]
    whole_plan = make_plan("qa", data="rows.jsonl", model="extractive")
    assert shown_data(whole_plan) is whole_plan.data
