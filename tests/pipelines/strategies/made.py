"""A job of given chunks, and a strategy driven by a function instead of a reader."""

from collections.abc import Callable, Sequence
from typing import Any

from chunkers import Chunk
from models import Generate
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies import Job, Outcome, Retrieve


def job(*texts: str, selected: Sequence[int] | None = None, search: Any = None, **fields: Any) -> Job:
    """A job with these chunks; `selected` are the indexes of the selected ones, best first. Words are tokens."""
    text, chunks = " ".join(texts), []
    at = 0
    for chunk_text in texts:
        chunks.append(Chunk(chunk_text, at, at + len(chunk_text)))
        at += len(chunk_text) + 1
    selected_chunks = chunks if selected is None else [chunks[i] for i in selected]
    ranks = {chunk.start: rank for rank, chunk in enumerate(selected_chunks)}
    example = Example("e", Document("d", text), "who?")
    return Job(example, chunks, selected_chunks, ranks, 5, Template("{query} | {document}"), search, **fields)


def drive(strategy: Any, job: Job, reader: Callable[[Any], Any]) -> tuple[Outcome, list[Any]]:
    """The outcome, and the requests of each round: texts of prompts, requests of other kinds, searches."""
    generator, rounds, replies = strategy(job), [], None
    while True:
        try:
            step = generator.send(replies)
        except StopIteration as stop:
            return stop.value if isinstance(stop.value, Outcome) else Outcome(stop.value), rounds
        if isinstance(step, Retrieve):
            rounds.append(step)
            replies = job.search(step.query, step.k, step.before)
        else:
            rounds.append([request.prompt.text if isinstance(request, Generate) else request for request in step])
            replies = [reader(request) for request in step]
