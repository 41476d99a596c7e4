"""Headings, and marks of what was left out, before the passages of a prompt."""

from collections.abc import Sequence
from dataclasses import replace

from chunkers import Chunk, get
from models.prompts import Part
from models.truncation import truncate
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies import Job
from pipelines.strategies.shared.openings import with_headings

TEXT = "# Mills\n\nOne two.\n\nSix.\n\n# Cows\n\nTen eleven.\n\nTwelve.\n"
CHUNKS = get("units").split(TEXT)


def job(*places: int, fills_budget: bool = True) -> Job:
    selected = [CHUNKS[i] for i in places]
    ranks = {chunk.start: rank for rank, chunk in enumerate(selected)}
    example = Example("e", Document("d", TEXT), "Who?")
    return Job(
        example, CHUNKS, selected, ranks, 5, Template("{document}"), lambda query, k, before: [],
        fills_budget=fills_budget,
    )  # fmt: skip


def text(*places: int, fills_budget: bool = True) -> str:
    shown_job = job(*places, fills_budget=fills_budget)
    return shown_job.prompt(shown_job.selected).text


def test_a_heading_is_shown_before_the_first_of_its_passages_and_a_mark_where_text_was_left_out() -> None:
    assert text(0, 3) == "# Mills\nOne two.\n[...]\n# Cows\nTwelve."
    assert text(2, 3) == "# Cows\nTen eleven.\nTwelve."
    assert text(0, 1, 2, 3) == "# Mills\nOne two.\nSix.\n# Cows\nTen eleven.\nTwelve."


def test_passages_by_score_are_marked_wherever_they_do_not_follow_each_other() -> None:
    assert text(1, 0) == "# Mills\nSix.\n[...]\nOne two."
    assert text(3, 0, 2) == "# Cows\nTwelve.\n[...]\n# Mills\nOne two.\n[...]\nTen eleven."


def test_without_a_budget_of_the_selection_headings_are_shown_and_no_marks() -> None:
    assert text(0, 3, fills_budget=False) == "# Mills\nOne two.\n# Cows\nTwelve."


def test_spans_of_shown_headings_come_before_those_of_their_passages() -> None:
    shown_job = job(0, 1, 3)
    assert shown_job.prompt(shown_job.selected).spans == [(0, 7), (9, 17), (19, 23), (25, 31), (46, 53)]


def test_texts_of_a_model_have_neither_headings_nor_marks() -> None:
    shown_job = job(0)
    assert shown_job.prompt(["So it is.", CHUNKS[3]]).text == "So it is.\n# Cows\nTwelve."
    assert with_headings(TEXT, ["So"], [Part("document", "So")], True) == [Part("document", "So")]


def test_a_heading_goes_to_the_next_passage_where_the_first_is_cut_from_the_prompt() -> None:
    shown_job = job(1, 0)
    prompt = replace(shown_job, order="document").prompt([CHUNKS[0], CHUNKS[1]])
    assert truncate(prompt, 3, count).text == "# Mills\nSix."


def test_text_that_was_cut_is_marked_as_left_out() -> None:
    shown_job = job(2, 0, 1)  # the second paragraph is the worst
    prompt = shown_job.prompt([CHUNKS[0], CHUNKS[1], CHUNKS[2]])
    assert count([prompt.text]) == [9]
    assert truncate(prompt, 8, count).text == "# Mills\nOne\n[...]\n# Cows\nTen eleven."
    assert truncate(prompt, 4, count).text == "# Cows\nTen eleven."


def test_no_mark_stands_before_the_first_passage_that_is_left() -> None:
    shown_job = job(3, 0)
    assert truncate(shown_job.prompt([CHUNKS[0], CHUNKS[3]]), 3, count).text == "# Cows\nTwelve."


def test_chunks_that_hold_their_headings_are_as_they_are() -> None:
    chunks = [Chunk("# Mills\n\nOne two.", 0, 17), Chunk("Twelve.", 46, 53)]
    example = Example("e", Document("d", TEXT))
    shown_job = Job(example, chunks, chunks, {}, 5, Template("{document}"), lambda query, k, before: [])
    assert shown_job.prompt(chunks).text == "# Mills\n\nOne two.\nTwelve."


def count(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]
