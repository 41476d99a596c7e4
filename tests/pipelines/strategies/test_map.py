"""One request per chunk, and how the outputs are joined."""

from collections.abc import Callable
from typing import Any

import pytest

from chunkers.lines import Lines
from models import Generate, Prompt
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies import Job, Outcome
from pipelines.strategies.map import Map

TEXT = "\nOne two.\nThree.\n\nFour five.\n  Six.\n"


def job(text: str, size: int, selected: Callable[[list[Any]], list[Any]] = lambda chunks: chunks) -> Job:
    chunks = Lines(size).split(text)
    selected_chunks = selected(chunks)
    ranks = {chunk.start: rank for rank, chunk in enumerate(selected_chunks)}
    example = Example("e", Document("d", text))
    return Job(
        example,
        chunks,
        selected_chunks,
        ranks,
        50,
        Template("{instruction}{document}", "to: "),
        lambda query, k, before: [],
    )


def prompts_of(strategy: Map, map_job: Job) -> list[Prompt]:
    requests = next(strategy(map_job))
    assert isinstance(requests, list)
    assert all(isinstance(request, Generate) and request.max_new_tokens == 50 for request in requests)
    return [request.prompt for request in requests]


def outcome(strategy: Map, map_job: Job, reader: Callable[[str], str]) -> Any:
    generator = strategy(map_job)
    requests: Any = next(generator)
    with pytest.raises(StopIteration) as stop:
        generator.send([reader("\n".join(part.text for part in request.prompt.passages)) for request in requests])
    return stop.value.value


def test_there_is_one_request_per_chunk_in_document_order_and_outputs_are_joined() -> None:
    map_job = job(TEXT, 3, lambda chunks: chunks[::-1])
    assert [prompt.text for prompt in prompts_of(Map(), map_job)] == ["to: One two.\nThree.", "to: Four five.\n  Six."]
    assert outcome(Map(), map_job, str.upper) == "ONE TWO.\nTHREE.\nFOUR FIVE.\n  SIX."
    assert outcome(Map(), map_job, lambda text: str(len(text))) == "15\n17"


def test_keep_lines_puts_the_documents_white_space_between_the_outputs() -> None:
    for size in (1, 2, 3, 50):
        result = outcome(Map(keep_lines=True), job(TEXT, size), str.upper)
        assert result == Outcome(TEXT.upper(), {"long_lines": "line 2: 2 parts; line 5: 2 parts"} if size == 1 else {})


def test_chunks_that_come_back_with_another_number_of_lines_are_noted() -> None:
    flat = outcome(Map(keep_lines=True), job(TEXT, 3), lambda text: " ".join(text.split()))
    assert flat.prediction == "\nOne two. Three.\n\nFour five. Six.\n"
    assert flat.notes == {"lines": "chunk 1: 2 lines in, 1 out; chunk 2: 2 lines in, 1 out"}
    more = outcome(Map(keep_lines=True), job("a\nb", 50), lambda text: text + "\nc\n")
    assert (more.prediction, more.notes) == ("a\nb\nc", {"lines": "chunk 1: 2 lines in, 3 out"})


def test_a_long_note_lists_the_first_chunks_and_counts_the_others() -> None:
    note = outcome(Map(keep_lines=True), job("a b\n" * 30, 2), lambda text: "x\ny").notes["lines"]
    assert note.split("; ")[0] == "chunk 1: 1 lines in, 2 out"
    assert note.split("; ")[20:] == ["and 10 more"]


def test_a_long_line_is_one_line_again_and_noted() -> None:
    text = "Short.\nA first sentence here. And a second one.\nTail."
    result = outcome(Map(keep_lines=True), job(text, 5), lambda text: f" {text.upper()}\n")
    assert (result.prediction, result.notes) == (text.upper(), {"long_lines": "line 2: 2 parts"})


def test_only_line_breaks_stay_of_text_that_was_not_selected() -> None:
    map_job = job("one\ntwo\nthree\nfour", 1, lambda chunks: [chunks[3], chunks[1]])
    assert outcome(Map(keep_lines=True), map_job, str.upper).prediction == "\nTWO\n\nFOUR"


def test_a_document_without_chunks_keeps_its_white_space() -> None:
    assert outcome(Map(keep_lines=True), job("\n \n", 5), str.upper).prediction == "\n \n"
    assert outcome(Map(), job("", 5), str.upper) == ""


def test_by_line_every_line_is_a_request_and_lines_stay_aligned() -> None:
    map_job = job("a b\n\n  c \na b\n", 50)
    prompts = prompts_of(Map(by_line=True), map_job)
    assert [prompt.text for prompt in prompts] == ["to: a b", "to: c", "to: a b"]
    assert [part.rank for prompt in prompts for part in prompt.passages] == [0, 0, 0]
    assert prompts[1].spans == [(7, 8)]
    result = outcome(Map(by_line=True), map_job, lambda text: text.replace(" ", "\n").upper())
    assert (result.prediction, result.notes) == ("A B\n\n  C \nA B\n", {})
