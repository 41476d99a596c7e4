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
    for one in texts:
        chunks.append(Chunk(one, at, at + len(one)))
        at += len(one) + 1
    chosen = chunks if selected is None else [chunks[i] for i in selected]
    ranks = {chunk.start: rank for rank, chunk in enumerate(chosen)}
    example = Example("e", Document("d", text), "who?")
    return Job(example, chunks, chosen, ranks, 5, Template("{query} | {document}"), search, **fields)


def drive(strategy: Any, given: Job, reader: Callable[[Any], Any]) -> tuple[Outcome, list[Any]]:
    """The outcome, and the requests of each round: texts of prompts, requests of other kinds, searches."""
    generator, rounds, values = strategy(given), [], None
    while True:
        try:
            step = generator.send(values)
        except StopIteration as stop:
            return stop.value if isinstance(stop.value, Outcome) else Outcome(stop.value), rounds
        if isinstance(step, Retrieve):
            rounds.append(step)
            values = given.search(step.query, step.k, step.before)
        else:
            rounds.append([one.prompt.text if isinstance(one, Generate) else one for one in step])
            values = [reader(one) for one in step]
