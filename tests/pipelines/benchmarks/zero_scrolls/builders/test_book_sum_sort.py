"""BookSumSort from ordered summaries: orders and outputs, which books are taken, what summaries must have."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import metrics, sources, tasks
from pipelines.plugins.builders.builder import Built
from tests.pipelines.plugins.builders import small_sources


def build(source: Path, out: Path, *, seed: int = 0, **fields: Any) -> Built:
    return pipelines.build("book_sum_sort", source, out=out, seed=seed, **fields)


def rows(built: Built, split: str = "test") -> list[dict[str, Any]]:
    return small_sources.unzipped(built.folder / "book_sum_sort.zip").get(f"book_sum_sort/{split}.jsonl", [])


def summaries_of(book: str, count: int) -> list[dict[str, Any]]:
    return [{"book": book, "summary": f"{book}, thing {n}."} for n in range(count)]


def summaries(row: dict[str, Any]) -> list[str]:
    """The inner documents without their numbers, as they stand."""
    starts = [*row["inner_docs_start_indices"], row["document_end_index"]]
    return [row["input"][start:end].split(":\n", 1)[1].strip() for start, end in pairwise(starts)]


def test_read_in_the_order_of_the_output_the_summaries_are_the_book(tmp_path: Path) -> None:
    built_rows = rows(build(small_sources.jsonl(tmp_path / "b.jsonl", summaries_of("B", 9)), tmp_path / "set"))
    assert [row["id"] for row in built_rows] == ["B-1", "B-2", "B-3", "B-4"]
    assert len({row["output"] for row in built_rows}) == 4
    for row in built_rows:
        texts = summaries(row)
        assert [texts[int(number) - 1] for number in row["output"].split(", ")] == [f"B, thing {n}." for n in range(9)]
        first = row["inner_docs_start_indices"][0]
        assert row["input"][first:].startswith("Summary 1:\n")


def test_the_output_scores_full_and_its_reverse_nothing() -> None:
    score = metrics.get("concordance_index").score
    assert score(["3, 1, 2", "2, 1, 3"], [["3, 1, 2"], ["3, 1, 2"]])["concordance_index"] == 50.0


def test_three_summaries_have_six_orders_and_no_more(tmp_path: Path) -> None:
    built = build(small_sources.jsonl(tmp_path / "b.jsonl", summaries_of("B", 3)), tmp_path / "set", permutations=8)
    outputs = [row["output"] for row in rows(built)]
    assert (len(outputs), len(set(outputs[:6]))) == (8, 6)


def test_orders_depend_on_seed_and_book_alone(tmp_path: Path) -> None:
    one = build(small_sources.jsonl(tmp_path / "a.jsonl", summaries_of("A", 9) + summaries_of("B", 9)), tmp_path / "a")
    other = build(small_sources.jsonl(tmp_path / "b.jsonl", summaries_of("B", 9)), tmp_path / "b")
    assert rows(one)[4:] == rows(other)
    assert rows(build(tmp_path / "b.jsonl", tmp_path / "c", seed=1)) != rows(other)


def test_books_are_shared_out_whole_and_those_of_too_few_or_many_summaries_are_left_out(tmp_path: Path) -> None:
    source_rows = (
        [one for book in "ABCD" for one in summaries_of(book, 5)]
        + summaries_of("short", 2)
        + summaries_of("long", 87)
        + summaries_of("most", 86)
    )
    built = build(
        small_sources.jsonl(tmp_path / "b.jsonl", source_rows), tmp_path / "set", permutations=2, test=4, validation=2
    )
    books = {split: {row["id"][:-2] for row in rows(built, split)} for split in ("test", "validation")}
    assert (len(books["test"]), len(books["validation"]), books["test"] & books["validation"]) == (2, 1, set())
    assert built.manifest["dropped"] == {
        "orders of books that were not drawn": 4,
        "orders of books with fewer than 3 summaries": 2,
        "orders of books with more than 86 summaries": 2,
    }


def test_files_are_in_the_order_of_section_and_part_not_of_their_names(tmp_path: Path) -> None:
    folder = tmp_path / "notes" / "Emma"
    folder.mkdir(parents=True)
    for section, part in ((10, 0), (9, 1), (9, 0), (2, 0)):
        text = f"Thing {section}.{part}"
        content = json.dumps({"name": "Chapter 1", "summary": text}) if section == 9 else text
        (folder / f"section_{section}_part_{part}.txt").write_text(content)
    (folder / "overview.txt").write_text("All of it.")
    row, *_ = rows(build(tmp_path / "notes", tmp_path / "set"))
    texts = summaries(row)
    assert row["id"] == "Emma-1"
    assert [texts[int(number) - 1] for number in row["output"].split(", ")] == [
        "Thing 2.0", "Thing 9.0", "Thing 9.1", "Thing 10.0",
    ]  # fmt: skip


def test_introductions_empty_summaries_and_words_of_position_are_left_out(tmp_path: Path) -> None:
    texts = ["As the play opens, she waits.", "", "Chapter 2: He comes.", "In Chapter 3, they dance."]
    entries = [{"name": "Introduction", "summary": "Of its time."}, *({"name": "x", "summary": text} for text in texts)]
    built = build(small_sources.jsonl(tmp_path / "b.jsonl", [{"book": "B", "summaries": entries}]), tmp_path / "set")
    assert sorted(summaries(rows(built)[0])) == ["He comes.", "In this chapter, they dance.", "She waits."]
    assert built.manifest["notes"] == {
        "introductions, prefaces and overviews left out": 1,
        "summaries left out, because they are empty": 1,
        "words that tell a position: headings": 1,
        "words that tell a position: numbers": 1,
        "words that tell a position: openings": 1,
    }


@pytest.mark.parametrize(
    ("source_rows", "message"),
    [
        ([{"book": "B", "summary": "One."}], "no row is left of 4: orders of books with fewer than 3 summaries: 4"),
        (
            [{"summary": "One."}],
            "b.jsonl:1: the row has no book; found summary. book_sum_sort needs summaries in order",
        ),
        ([{"book": "B", "plot": "One."}], "b.jsonl:1: the summary is missing; found book, plot"),
        ([{"book": "B", "summaries": [3]}], "b.jsonl:1: the summary is missing; found int"),
    ],
)
def test_missing_fields_and_files_are_named(source_rows: list[Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        build(small_sources.jsonl(tmp_path / "b.jsonl", source_rows), tmp_path / "set")
    with pytest.raises(UserError, match=r"has no section_N_part_M\.txt; book_sum_sort needs summaries in order"):
        build(tmp_path, tmp_path / "set")


def test_the_real_books_are_ordered_by_their_outputs(realdata: Path, tmp_path: Path) -> None:
    source = realdata / "booksum_sort"
    built = pipelines.build("zero_scrolls", source, out=tmp_path / "set", task="book_sum_sort")
    task = tasks.get("zero_scrolls/book_sum_sort")
    examples = list(sources.load(task.name, task.dataset, built.folder, "test").examples())
    assert len(examples) == 28 * 4 == built.manifest["kept"]
    identity = metrics.get("concordance_index")
    trivial = [", ".join(str(n + 1) for n in range(len(one.meta["inner"]))) for one in examples]
    scores = identity.score(trivial, [list(one.references) for one in examples])
    assert 40 < scores["concordance_index"] < 60
    assert scores["no_permutation"] == 0.0
    for one in examples:
        book = source / one.id.rpartition("-")[0]
        starts = [*one.meta["inner"], len(one.document.text)]
        texts = [one.document.text[a:b].split(":\n", 1)[1].strip() for a, b in pairwise(starts)]
        first = texts[int(one.references[0].split(",")[0]) - 1]
        files = sorted(book.glob("section_*.txt"), key=lambda path: [int(n) for n in path.stem.split("_")[1::2]])
        assert first[-60:] in {
            json.loads(file.read_text(encoding="utf-8"))["summary"].strip()[-60:] for file in files[:2]
        }
