"""Retrieval again with the results of the first search, for multi-hop questions (Das et al. 2019, "Multi-step
Retriever-Reader Interaction"; Xiong et al. 2021: the query extended by the passages before).
"""

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from chunkers import Chunk
from longdoc.errors import UserError
from models.requests import Generate
from pipelines.strategies import Job, Outcome, Retrieve, Step, Strategy


@dataclass(frozen=True)
class Iterative(Strategy):
    """The question and the results of `rounds` searches, in one prompt.

    The first search is the retriever's selection. Each next one asks with the question and what `extend` says: the
    answer to what is selected so far (one request per round), or the text of the passages of the search before.
    It adds the `k` best chunks that are not selected yet (None: as many as the first search gave); with a budget of
    words, each search fills its share of it. Over the limit, the last of each search are cut first. The note `queries`
    holds the further queries, where they are answers; the note `spans` all that was selected, which the metrics of the
    selection measure. Raises `UserError` for `rounds` or `k` below 1.
    """

    needs = frozenset({Generate})
    searches = True

    rounds: int = 2
    extend: Literal["answer", "passages"] = "answer"
    k: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("rounds", self.rounds), ("k", self.k)):
            if value is not None and value < 1:
                raise UserError(f"{name} must be at least 1, got {value}")

    @property
    def selections(self) -> int:
        """The number of searches: one per round."""
        return self.rounds

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Search and ask in turn; the last prompt has the chunks of all searches."""
        searches = [sorted(job.selected, key=lambda chunk: job.ranks.get(chunk.start, 0))]
        queries: list[str] = []
        for _ in range(1, self.rounds):
            if not searches[-1]:
                break
            if self.extend == "answer":
                (output,) = yield [_request(job, searches)]
                queries.append(f"{job.example.query} {job.answer(output)}".strip())
                query = queries[-1]
            else:
                query = " ".join([job.example.query, *(chunk.text for chunk in searches[-1])]).strip()
            searches.append(
                (yield from self._new_chunks(job, query, [chunk for chunks in searches for chunk in chunks]))
            )
        (output,) = yield [_request(job, searches)]
        spans = sorted((chunk.start, chunk.end) for chunks in searches for chunk in chunks)
        notes = {"spans": json.dumps(spans)} | ({"queries": json.dumps(queries, ensure_ascii=False)} if queries else {})
        return Outcome(job.answer(output), notes)

    def _new_chunks(self, job: Job, query: str, selected: list[Chunk]) -> Generator[Step, list[Any], list[Chunk]]:
        """The chunks that a further search adds."""
        if job.fills_budget:
            return (yield Retrieve(query, self.k, tuple(selected)))
        starts = {chunk.start for chunk in selected}
        count = self.k or len(job.selected)
        ranked = yield Retrieve(query, count + len(starts))
        return [chunk for chunk in ranked if chunk.start not in starts][:count]


def _request(job: Job, searches: Sequence[Sequence[Chunk]]) -> Generate:
    """The request with the chunks of all searches; the best of each search rank before the second best of any."""
    interleaved = sorted(
        (rank, turn, chunk.start) for turn, chunks in enumerate(searches) for rank, chunk in enumerate(chunks)
    )
    ranks = {start: rank for rank, (_, _, start) in enumerate(interleaved)}
    chunks = [chunk for search in searches for chunk in search]
    ordered_chunks = sorted(chunks, key=lambda chunk: chunk.start if job.order == "document" else ranks[chunk.start])
    return replace(job, ranks=ranks).request(ordered_chunks)
