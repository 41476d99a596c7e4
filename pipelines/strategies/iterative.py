"""Retrieval again with what was found first, for questions that take several hops (Das et al. 2019, "Multi-step
Retriever-Reader Interaction"; Xiong et al. 2021: the query extended by the passages before).
"""

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from chunkers import Chunk
from longdoc.errors import UserError
from models.requests import Generate
from pipelines.strategies import Job, Outcome, Retrieve, Step


@dataclass(frozen=True, slots=True)
class Iterative:
    """The question and what `rounds` searches found, in one prompt.

    The first search is the retriever's selection. Each next one asks with the question and what `extend` says: the
    answer to what is selected so far (one request a round), or the text of the passages that the search before found.
    It adds the `k` best chunks that are not selected yet (None: as many as the first search found). Over the limit,
    the last of each search are cut first. The note `queries` holds the further queries, where they are answers; the
    note `spans` all that was selected, which the metrics of the selection measure. Raises `UserError` for `rounds` or
    `k` below 1.
    """

    needs: ClassVar[frozenset[type]] = frozenset({Generate})
    searches: ClassVar[bool] = True

    rounds: int = 2
    extend: Literal["answer", "passages"] = "answer"
    k: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("rounds", self.rounds), ("k", self.k)):
            if value is not None and value < 1:
                raise UserError(f"{name} must be at least 1, got {value}")

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Search and ask by turns; ask about everything in the end."""
        found = [sorted(job.selected, key=lambda chunk: job.ranks.get(chunk.start, 0))]
        queries: list[str] = []
        for _ in range(1, self.rounds):
            if not found[-1]:
                break
            if self.extend == "answer":
                (output,) = yield [_request(job, found)]
                queries.append(f"{job.example.query} {job.answer(output)}".strip())
                query = queries[-1]
            else:
                query = " ".join([job.example.query, *(chunk.text for chunk in found[-1])]).strip()
            known = {chunk.start for chunks in found for chunk in chunks}
            width = self.k or len(found[0])
            ranked = yield Retrieve(query, width + len(known))
            found.append([chunk for chunk in ranked if chunk.start not in known][:width])
        (output,) = yield [_request(job, found)]
        spans = sorted((chunk.start, chunk.end) for chunks in found for chunk in chunks)
        notes = {"spans": json.dumps(spans)} | ({"queries": json.dumps(queries, ensure_ascii=False)} if queries else {})
        return Outcome(job.answer(output), notes)


def _request(job: Job, found: Sequence[Sequence[Chunk]]) -> Generate:
    """All that was found; the best of every search before the second best of any."""
    placed = sorted((at, turn, chunk.start) for turn, chunks in enumerate(found) for at, chunk in enumerate(chunks))
    ranks = {start: rank for rank, (_, _, start) in enumerate(placed)}
    chunks = [chunk for some in found for chunk in some]
    shown = sorted(chunks, key=lambda chunk: chunk.start if job.order == "document" else ranks[chunk.start])
    return Generate(replace(job, ranks=ranks).prompt(shown), job.length)
