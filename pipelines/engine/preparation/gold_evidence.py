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
    """The chunks of one document, against the evidence of its examples."""

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
        """What `Prediction.evidence` holds; empty for an example without evidence.

        `ids` are the ranked chunks, best first; the first `taken_count` of them were selected, whole or in part.
        Chunks that were not ranked come behind all others. A heading counts with the best-ranked chunk under it,
        which shows it. `most_evidence` returns the passages of the budget of the selection, filled with nothing but
        the evidence; where the budget is `k` chunks, it holds as much as the `k` chunks with most of it.
        """
        missing = int(example.meta.get("evidence_missing", 0))
        if not example.evidence:
            return {"missing": missing} if missing else {}
        gold = _positions(self._text, example.evidence)
        rank = np.full(len(self._starts), len(ids), np.int64)
        rank[ids] = np.arange(len(ids))
        holding_pairs = self._holding_rows(gold, rank)
        ranks = {position for _, position in holding_pairs}
        shown_spans = (span for chunk in selected for span in (chunk.heading, (chunk.start, chunk.end)) if span)
        amounts = {
            "in_chunks": _inside(gold, (span for span, _ in holding_pairs)),
            "ranked": _inside(gold, (span for span, position in holding_pairs if position < taken_count)),
            "selected": _inside(gold, shown_spans),
        }
        if most_evidence is not None:
            filled_count = _inside(
                gold, [(chunk.start, chunk.end) for chunk in most_evidence(merged(example.evidence))]
            )
            amounts["budget"] = max(min(filled_count, amounts["in_chunks"]), amounts["selected"])
        elif k is not None:
            amounts["budget"] = max(self._best_count(gold, k), amounts["selected"])
        return {
            "characters": len(gold),
            "missing": missing,
            **amounts,
            "chunks": len(ranks),
            "best_rank": min(ranks, default=-1) + 1,
            "worst_rank": max(ranks, default=-1) + 1,
            "taken": taken_count,
        }

    def _best_count(self, gold: Positions, k: int) -> int:
        """The evidence in the best `k` chunks and their headings, each the one that adds most to those before it."""
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

    def _holding_rows(self, gold: Positions, rank: Ids) -> list[tuple[Span, int]]:
        """The spans of chunks and headings that hold gold evidence, each with the rank of the chunk that shows it."""
        holds = np.searchsorted(gold, self._ends) > np.searchsorted(gold, self._starts)
        pairs = [
            ((start, end), location)
            for start, end, location in zip(*(a[holds].tolist() for a in (self._starts, self._ends, rank)), strict=True)
        ]
        headings = [heading for heading in self._under if _inside(gold, [heading])]
        return pairs + [(heading, int(rank[self._under[heading]].min())) for heading in headings]


def shown_length(text: str, evidence: Sequence[Span], spans: Sequence[Span]) -> int:
    """The characters of evidence in the spans that a model was shown."""
    return _inside(_positions(text, evidence), spans)


def _positions(text: str, spans: Sequence[Span]) -> Positions:
    """Where the characters of the spans are that are not white space, in order."""
    entries = [np.flatnonzero(~white_space(text[start:end])) + start for start, end in merged(spans)]
    return np.concatenate([np.empty(0, np.int64), *entries])


def _inside(positions: Positions, spans: Iterable[Span]) -> int:
    """How many of the positions are in the spans."""
    edges = np.array(merged(spans), np.int64).reshape(-1, 2)
    return int((np.searchsorted(positions, edges[:, 1]) - np.searchsorted(positions, edges[:, 0])).sum())
