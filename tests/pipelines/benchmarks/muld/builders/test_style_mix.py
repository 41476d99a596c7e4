"""Documents of several authors: lengths, labels, and which authors are drawn."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.benchmarks.muld.builders import _stories
from pipelines.plugins.builders.builder import Built
from tests.pipelines.plugins.builders import small_sources

FIELDS: dict[str, Any] = {"low": 100, "high": 300, "train": 40, "validation": 10, "test": 10}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    rows = (
        small_sources.stories(6, "a") + small_sources.stories(6, "b", first=6) + small_sources.stories(6, "c", first=12)
    )
    return small_sources.jsonl(tmp_path / "stories.jsonl", rows)


def build(source: Path, out: Path, seed: int = 0, **fields: Any) -> Built:
    return pipelines.build("style_mix", source, out=out, seed=seed, **{**FIELDS, **fields})


def documents(built: Built, split: str = "train") -> list[dict[str, Any]]:
    return small_sources.read(built.folder / f"{split}.jsonl")


def authors(row: dict[str, Any]) -> list[str]:
    """The author of each line, from the mark that begins every paragraph."""
    return [f"author-{int(line.split('N')[0][1:]):02}" for line in row["input"].split("\n")]


def test_every_line_is_a_paragraph_and_has_the_number_of_its_author_by_first_appearance(
    source: Path, tmp_path: Path
) -> None:
    for row in documents(build(source, tmp_path / "set")):
        line_authors = authors(row)
        order = list(dict.fromkeys(line_authors))
        assert row["metadata"]["authors"] == order
        assert row["output"] == ",".join(str(order.index(name) + 1) for name in line_authors)


def test_a_document_has_its_minimum_and_each_author_at_most_one_paragraph_more_than_needed(
    source: Path, tmp_path: Path
) -> None:
    for row in documents(build(source, tmp_path / "set", low=250, high=250)):
        # Every author overshoots by less than a paragraph, unless a section was drawn too short for one.
        assert 250 <= len(row["input"].split()) < 250 + 25 * 8


def test_minimum_lengths_are_spread_evenly_from_low_to_high(source: Path, tmp_path: Path) -> None:
    rows = documents(build(source, tmp_path / "set", authors=1, train=800, low=101, high=300))
    lengths = [len(row["input"].split()) for row in rows]  # paragraphs of 25 words: 125, 150 … 300, equally often
    assert sorted(set(lengths)) == list(range(125, 301, 25))
    assert all(70 <= lengths.count(length) <= 130 for length in set(lengths))


def test_half_of_the_documents_have_one_author_and_the_rest_two_to_four(source: Path, tmp_path: Path) -> None:
    counts = [len(row["metadata"]["authors"]) for row in documents(build(source, tmp_path / "set", train=120))]
    assert counts.count(1) == 60
    assert min(counts.count(number) for number in (2, 3, 4)) >= 10
    assert max(counts) == 4
    assert all(sorted(counts[n : n + 2])[0] == 1 < max(counts[n : n + 2]) for n in range(0, 120, 2))


def test_authors_come_back_in_some_documents(source: Path, tmp_path: Path) -> None:
    outputs = [row["output"].split(",") for row in documents(build(source, tmp_path / "set"))]
    assert any(labels != sorted(labels) for labels in outputs)


def test_paragraphs_of_a_document_are_distinct_and_not_in_the_order_of_the_story(source: Path, tmp_path: Path) -> None:
    for row in documents(build(source, tmp_path / "set")):
        lines = row["input"].split("\n")
        assert len(set(lines)) == len(lines)
        assert len(lines) < 4 or lines != sorted(lines, key=lambda line: int(line.split()[0].split("N")[1]))


def test_a_document_keeps_to_one_topic_and_one_topic_is_kept_for_test(source: Path, tmp_path: Path) -> None:
    built = build(source, tmp_path / "set", test_group="b")
    group = {f"author-{n:02}": "abc"[n // 6] for n in range(18)}
    groups = {
        split: {row["metadata"]["group"] for row in documents(built, split)}
        for split in ("train", "validation", "test")
    }
    assert groups == {"train": {"a", "c"}, "validation": {"a", "c"}, "test": {"b"}}
    assert all({group[name] for name in authors(row)} == {row["metadata"]["group"]} for row in documents(built))


def test_by_default_the_last_topic_by_name_is_kept_for_test(source: Path, tmp_path: Path) -> None:
    assert {row["metadata"]["group"] for row in documents(build(source, tmp_path / "set"), "test")} == {"c"}


def test_authors_held_out_write_validation_documents_only(tmp_path: Path) -> None:
    source = small_sources.jsonl(tmp_path / "s.jsonl", small_sources.stories(10, "a"))
    built = build(source, tmp_path / "set", held_out=0.4, test=0)
    authors_by_split = {
        split: {name for row in documents(built, split) for name in authors(row)} for split in ("train", "validation")
    }
    assert (len(authors_by_split["train"]), len(authors_by_split["validation"])) == (6, 4)
    assert not authors_by_split["train"] & authors_by_split["validation"]


def test_neither_the_order_of_rows_nor_the_number_of_documents_changes_one(source: Path, tmp_path: Path) -> None:
    first = documents(build(source, tmp_path / "set"))
    rows = small_sources.read(source)
    random.Random(3).shuffle(rows)
    small_sources.jsonl(source, rows)
    assert documents(build(source, tmp_path / "shuffled")) == first
    assert documents(build(source, tmp_path / "more", train=60))[:40] == first


def test_a_folder_of_texts_makes_the_same_documents(source: Path, tmp_path: Path) -> None:
    first = documents(build(source, tmp_path / "set"))
    for row in small_sources.read(source):
        path = tmp_path / "texts" / row["group"] / f"{row['author']}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(row["text"], encoding="utf-8")
    built = build(tmp_path / "texts", tmp_path / "again")
    assert documents(built) == first
    assert built.manifest["sources"]["files"][0]["name"] == "a/author-00.txt"


def test_several_rows_of_an_author_are_put_together(tmp_path: Path) -> None:
    halves = [dict(row, text=text) for row in small_sources.stories(4, "a") for text in _halves(row["text"])]
    built = build(small_sources.jsonl(tmp_path / "s.jsonl", halves), tmp_path / "set", low=450, high=450, test=0)
    assert built.manifest["kept"] == 50  # 20 paragraphs of 25 words each: both halves are needed


def _halves(text: str) -> tuple[str, str]:
    parts = text.split("\n\n")
    return "\n\n".join(parts[:10]), "\n\n".join(parts[10:])


def test_short_shared_and_repeated_paragraphs_are_left_out_and_counted(tmp_path: Path) -> None:
    notice = "This text is shared by everybody who ever wrote anything about anything, and so it shows no style at all."
    rows = small_sources.stories(4, "a")
    for row in rows:
        row["text"] += f"\n\nToo short.\n\n{notice}\n\n" + row["text"].split("\n\n")[0]
    built = build(small_sources.jsonl(tmp_path / "s.jsonl", rows), tmp_path / "set", test=0)
    assert built.manifest["notes"] == {
        "paragraphs": 92,
        "paragraphs of fewer than 100 characters left out": 4,
        "paragraphs of several authors left out": 4,
        "repeated paragraphs left out": 4,
    }
    assert not any(notice in row["input"] or "Too short" in row["input"] for row in documents(built))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One long line here.\nAnother long line.", ["One long line here.", "Another long line."]),
        ("wrapped\nlines\n \n  next one\n", ["wrapped lines", "next one"]),
        ("a  long\tline with spaces\nshort\n\nend\u200b", ["a long line with spaces", "short", "end"]),
    ],
)
def test_paragraphs_are_lines_or_what_stands_between_blank_lines(
    text: str, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_stories, "SHORTEST", 15)
    assert list(_stories.split(text)) == expected


def test_documents_without_enough_text_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = small_sources.stories(4, "a", paragraphs=20)
    built = build(small_sources.jsonl(tmp_path / "s.jsonl", rows), tmp_path / "set", low=400, high=1400, test=0)
    reason = "documents for whose length no authors of a group have enough text"
    assert built.manifest["dropped"] == {reason: built.manifest["read"] - built.manifest["kept"]}
    assert 0 < built.manifest["dropped"][reason] < 50


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"low": 501, "high": 600},
            "too little text for train: .* at least 501 words, and no author has more than 500",
        ),
        ({"test_group": "d"}, "unknown topic group 'd'"),
        ({"held_out": 0.5}, "no topic group for train has more than 3: add texts, or set authors=3"),
        ({"held_out": 1.0}, "held_out must be a share"),
        ({"low": 300, "high": 200}, "high, with this low, must be at least 300, got 200"),
        ({"authors": 5}, "authors must be at most 4"),
        ({"authors": 0}, "authors must be at least 1"),
        ({"train": -1}, "train must be at least 0"),
        ({"train": 0, "validation": 0, "test": 0}, "no row is left of 0"),
    ],
)
def test_impossible_settings_are_refused_with_what_is_missing(
    source: Path, tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        build(source, tmp_path / "set", **fields)
    assert not (tmp_path / "set").exists()


def test_one_topic_group_alone_cannot_be_kept_for_test(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the test split needs a topic group of its own, and there is only a"):
        build(small_sources.jsonl(tmp_path / "s.jsonl", small_sources.stories(6, "a")), tmp_path / "set")


def test_a_source_of_another_kind_is_refused_with_what_is_needed(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    bad = small_sources.jsonl(tmp_path / "s.jsonl", [{"group": "a", "text": "t"}])
    for source, message in (
        (tmp_path / "empty", "has no files GROUP/AUTHOR.txt; style_mix needs texts by topic group and author"),
        (bad, r"s\.jsonl:1: the row needs group, author, text, and has no author; found group, text\. style_mix needs"),
        (tmp_path / "s.json", r"there is no 's\.json' in .*; did you mean s\.jsonl\?"),
    ):
        with pytest.raises(UserError, match=message):
            build(source, tmp_path / "set")


def test_one_author_at_most_makes_single_author_documents(source: Path, tmp_path: Path) -> None:
    assert {row["output"].strip("1,") for row in documents(build(source, tmp_path / "set", authors=1))} == {""}


def test_real_stories_are_mixed_with_different_ones_for_test(realdata: Path, tmp_path: Path) -> None:
    rows = []
    for name in ("train", "dev"):
        for line in (realdata / "squality" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            story = json.loads(line)
            rows.append({"group": name, "author": story["metadata"]["passage_id"], "text": story["document"]})
    source = small_sources.jsonl(tmp_path / "stories.jsonl", rows)
    built = build(source, tmp_path / "set", low=1000, high=3000, test_group="dev", held_out=0.2)
    assert built.manifest["kept"] == 60
    authors_by_split = {split: {one for row in documents(built, split) for one in row["metadata"]["authors"]}
            for split in ("train", "validation", "test")}  # fmt: skip
    assert not authors_by_split["train"] & authors_by_split["test"]
    assert not authors_by_split["train"] & authors_by_split["validation"]
    for row in documents(built):
        lines = row["input"].split("\n")
        assert len(row["output"].split(",")) == len(lines)
        assert min(map(len, lines)) >= 100
        assert len(row["input"].split()) >= 1000
