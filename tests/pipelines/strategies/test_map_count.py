"""Counts over the whole document: by rule, by models that do not follow it, and over real scripts at any chunk size."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import longdoc
from chunkers import Chunk
from longdoc.errors import UserError
from pipelines.strategies import get, names
from pipelines.strategies.map_count import _disjoint
from tests.pipelines.strategies.made import drive, job


def outcome(spec: str, *replies: str) -> Any:
    """The outcome of as many chunks as there are replies."""
    answers = iter(replies)
    return drive(get(spec), job(*[f"text {number}" for number in range(len(replies))]), lambda _: next(answers))[0]


def test_map_count_has_two_spellings_and_stands_in_the_list_once() -> None:
    assert get("map:count") == get("map_count")
    assert get("map:count,total=distinct").total == "distinct"  # type: ignore[attr-defined]
    assert "map:count" in names() and "map_count" not in names()
    with pytest.raises(UserError, match="mean"):
        get("map:count,total=mean")


def test_each_part_is_asked_about_alone_in_document_order() -> None:
    strategy = get("map:count")
    _, rounds = drive(strategy, job("a b", "c d", selected=[1, 0]), lambda _: "1")
    assert rounds == [["who? | a b", "who? | c d"]]
    assert "for this part alone, with the number" in strategy.ending(())


@pytest.mark.parametrize(
    "replies, total, parts",
    [
        (["3", "0", "There are 12 of them."], "15", [3, 0, 12]),
        (["1,204 times", "2.", "**7**"], "1213", [1204, 2, 7]),
        (["none", "", "about 3.5"], "0", [None, None, None]),
        (["9" * 13, "-4"], "4", [None, 4]),
    ],
)
def test_numbers_are_summed_and_replies_without_one_counted(replies: list[str], total: str, parts: list[Any]) -> None:
    result = outcome("map:count", *replies)
    assert (result.prediction, json.loads(result.notes["parts"])) == (total, parts)
    assert result.outputs == ({"no count": parts.count(None)} if None in parts else {})


def test_items_that_several_parts_name_are_one() -> None:
    result = outcome("map:count,total=distinct", "- Chapter I\n- Chapter  II", "chapter ii.\nChapter III", "None")
    assert (result.prediction, result.notes["parts"]) == ("3", "[2, 2, 0]")
    assert result.notes["items"] == "Chapter I\nChapter  II\nChapter III"


def test_the_first_is_that_of_the_first_part_that_has_one() -> None:
    assert outcome("map:count,total=first", "none", "None.", "Anna.", "Boris").prediction == "Anna"
    assert outcome("map:count,total=first", "none", "").prediction == ""


def test_words_that_two_chunks_share_are_shown_once() -> None:
    text = "a b c d"
    chunks = [Chunk("a b", 0, 3), Chunk("b c", 2, 5), Chunk("b", 2, 3), Chunk("c d", 4, 7)]
    assert [(part.start, part.text) for part in _disjoint(chunks, text)] == [(0, "a b"), (3, " c"), (5, " d")]


def reader(prompt: str) -> str:
    """Follows the rules of the prompt, reading its part alone."""
    part = prompt.partition("Part:\n")[2].partition("\nEnd.")[0]
    if "the number" in prompt:
        word = re.search(r"How many lines are (\S+)\?", prompt)
        assert word is not None
        return str(part.splitlines().count(word[1]))
    pair = re.search(r"Which stands first, (\S+) or (\S+)\?", prompt)
    assert pair is not None
    places = {name: place for name in pair.groups() if (place := part.find(name)) >= 0}
    return min(places, key=lambda name: places[name]) if places else "none"


def answers(document: str, question: str, **arguments: Any) -> str:
    rows = [{"document": document, "question": question, "answers": ["x"]}]
    prompt = "{query}\nPart:\n{document}\nEnd."
    result = longdoc.run("qa", data=rows, model=reader, retriever="all", prompt=prompt, report=False, **arguments)
    return result.predictions[0].prediction


@pytest.mark.parametrize("chunker", ["lines:20", "lines:200", "tokens:150,stride=100", "paragraphs:90"])
def test_counts_over_a_real_script_are_exact_at_any_chunk_size(realdata: Path, tmp_path: Path, chunker: str) -> None:
    scripts = sorted((realdata / "character_archetype").rglob("*.txt"))
    text = scripts[0].read_text(encoding="utf-8", errors="replace")
    lines = [line.strip() for line in text.splitlines()]
    names = [name for name in dict.fromkeys(lines) if re.fullmatch(r"[A-Z]{4,}", name) and lines.count(name) > 10]
    document = "\n".join(lines)
    assert names
    question = f"How many lines are {names[0]}?"
    arguments = {"chunker": chunker, "out": tmp_path / "run"}
    assert answers(document, question, strategy="map:count", **arguments) == str(lines.count(names[0]))


def test_the_first_of_two_is_found_and_retrieval_misses_a_part_of_a_count(tmp_path: Path) -> None:
    document = "\n\n".join(["The sea is calm."] * 30 + ["Boris came."] + ["The sea is calm."] * 30 + ["Anna came."])
    question = "Which stands first, Anna or Boris?"
    first = answers(document, question, strategy="map:count,total=first", chunker="paragraphs:10", out=tmp_path / "a")
    assert first == "Boris"
    rows = [
        {"document": "\n".join(["ANNA", "She spoke."] * 20), "question": "How many lines are ANNA?", "answers": ["20"]}
    ]
    prompt = "{query}\nPart:\n{document}\nEnd."
    result = longdoc.run(
        "qa", data=rows, model=reader, retriever="bm25", k=2, chunker="lines:6", strategy="map:count", prompt=prompt,
        report=False, out=tmp_path / "b",
    )  # fmt: skip
    assert result.predictions[0].prediction != "20"
