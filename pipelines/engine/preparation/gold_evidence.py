"""Where the gold evidence of an example is lost: how much of it is in the chunks, ranked high, and selected.

Amounts are characters of the evidence that are not white space, each counted once.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from chunkers.shared.words import white_space
from pipelines.metrics.shared.gold_spans import merged
from pipelines.records import Document, Example, Span
from retrievers import Ids

Positions = npt.NDArray[np.int64]
MostEvidence = Callable[[Sequence[Span]], Sequence[Chunk]]


class GoldEvidence:
    """Counts the gold evidence of a document's examples in its chunks, in the ranking and in the selection."""

    def __init__(self, document: Document, chunks: Sequence[Chunk]) -> None:
        self._text = document.text
        self._starts = np.array([chunk.start for chunk in chunks], np.int64)
        self._ends = np.array([chunk.end for chunk in chunks], np.int64)
        headings = [chunk.heading or (0, 0) for chunk in chunks]
        self._headings = np.array(headings, np.int64).reshape(-1, 2).T
        self._under: dict[Span, list[int]] = {}  # the chunks under each heading
        for i, chunk in enumerate(chunks):
            if chunk.heading:
                self._under.setdefault(chunk.heading, []).append(i)

    def counts(
        self,
        example: Example,
        ids: Ids,
        taken_count: int,
        selected: Sequence[Chunk],
        most_evidence: MostEvidence | None = None,
        k: int | None = None,
    ) -> dict[str, int]:
        """The counts of `Prediction.evidence`; empty for an example without evidence.

        `ids` are the ranked chunks, best first; the first `taken_count` of them were selected, whole or in part.
        Chunks that were not ranked come after all others. A heading counts with the best-ranked chunk under it, which
        shows it. The most that the budget of the selection can hold is that of the `k` chunks with most evidence, or of
        the passages that `most_evidence` fills the budget with.
        """
        missing = int(example.meta.get("evidence_missing", 0))
        if not example.evidence:
            return {"missing": missing} if missing else {}
        gold = _positions(self._text, example.evidence)
        chunk_ranks = np.full(len(self._starts), len(ids), np.int64)
        chunk_ranks[ids] = np.arange(len(ids))
        ranked_spans = self._ranked_spans(gold, chunk_ranks)
        ranks = {rank for _, rank in ranked_spans}
        selected_spans = (span for chunk in selected for span in (chunk.heading, (chunk.start, chunk.end)) if span)
        amounts = {
            "in_chunks": _inside(gold, (span for span, _ in ranked_spans)),
            "ranked": _inside(gold, (span for span, rank in ranked_spans if rank < taken_count)),
            "selected": _inside(gold, selected_spans),
        }
        if most_evidence is not None:
            passages = most_evidence(merged(example.evidence))
            most = _inside(gold, [(passage.start, passage.end) for passage in passages])
            amounts["budget"] = max(min(most, amounts["in_chunks"]), amounts["selected"])
        elif k is not None:
            amounts["budget"] = max(self._most_in_chunks(gold, k), amounts["selected"])
        return {
            "characters": len(gold),
            "missing": missing,
            **amounts,
            "chunks": len(ranks),
            "best_rank": min(ranks, default=-1) + 1,
            "worst_rank": max(ranks, default=-1) + 1,
            "taken": taken_count,
        }

    def _most_in_chunks(self, gold: Positions, k: int) -> int:
        """The evidence in `k` chunks and their headings, each chosen as the one that adds most to those before it."""
        left = np.ones(len(gold), np.int64)
        edges = [np.searchsorted(gold, edge) for edge in (self._starts, self._ends, *self._headings)]
        for _ in range(min(k, len(self._starts))):
            sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(left)])
            gains = sums[edges[1]] - sums[edges[0]] + sums[edges[3]] - sums[edges[2]]
            best = int(gains.argmax())
            if not gains[best]:
                break
            for start, end in ((edges[0], edges[1]), (edges[2], edges[3])):
                left[start[best] : end[best]] = 0
        return int((left == 0).sum())

    def _ranked_spans(self, gold: Positions, chunk_ranks: Ids) -> list[tuple[Span, int]]:
        """The spans of chunks and headings with gold evidence, each with the rank of the chunk that shows it."""
        holds = np.searchsorted(gold, self._ends) > np.searchsorted(gold, self._starts)
        pairs = [
            ((start, end), rank)
            for start, end, rank in zip(
                *(numbers[holds].tolist() for numbers in (self._starts, self._ends, chunk_ranks)), strict=True
            )
        ]
        headings = [heading for heading in self._under if _inside(gold, [heading])]
        return pairs + [(heading, int(chunk_ranks[self._under[heading]].min())) for heading in headings]


def shown_length(text: str, evidence: Sequence[Span], spans: Sequence[Span]) -> int:
    """The number of characters of evidence that are not white space and in the spans that a model was shown."""
    return _inside(_positions(text, evidence), spans)


def _positions(text: str, spans: Sequence[Span]) -> Positions:
    """The positions of the spans' characters that are not white space, in order."""
    arrays = [np.flatnonzero(~white_space(text[start:end])) + start for start, end in merged(spans)]
    return np.concatenate([np.empty(0, np.int64), *arrays])


def _inside(positions: Positions, spans: Iterable[Span]) -> int:
    """The number of positions that are in the spans."""
    edges = np.array(merged(spans), np.int64).reshape(-1, 2)
    return int((np.searchsorted(positions, edges[:, 1]) - np.searchsorted(positions, edges[:, 0])).sum())
