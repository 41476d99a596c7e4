"""Where the gold evidence of an example is lost: how much of it is in the chunks, ranked high, and selected.

Amounts are characters of the evidence that are not white space, each counted once.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from chunkers._words import white_space
from pipelines.records import Document, Example, Span
from retrievers import Ids

Mask = npt.NDArray[np.bool_]


class GoldEvidence:
    """The chunks of one document, against the evidence of its examples."""

    def __init__(self, document: Document, chunks: Sequence[Chunk]) -> None:
        self._text = document.text
        self._starts = np.array([chunk.start for chunk in chunks], np.int64)
        self._ends = np.array([chunk.end for chunk in chunks], np.int64)

    def counts(self, example: Example, ids: Ids, taken: int, selected: Sequence[Span]) -> dict[str, int]:
        """What `Prediction.evidence` holds; empty for an example without evidence.

        `ids` are all chunks, best first; the first `taken` of them were selected, whole or in part.
        """
        missing = int(example.meta.get("evidence_missing", 0))
        if not example.evidence:
            return {"missing": missing} if missing else {}
        low, high = min(s for s, _ in example.evidence), max(e for _, e in example.evidence)
        gold = _mask(example.evidence, low, high) & ~white_space(self._text[low:high])
        near = np.flatnonzero((self._starts < high) & (self._ends > low))
        holding = [i for i in near.tolist() if gold[max(self._starts[i] - low, 0) : self._ends[i] - low].any()]
        rank = np.full(len(self._starts), len(ids), np.int64)
        rank[ids] = np.arange(len(ids))
        ranks = rank[holding]
        spans = list(zip(self._starts[holding].tolist(), self._ends[holding].tolist(), strict=True))
        high_ranked = [span for span, at in zip(spans, ranks.tolist(), strict=True) if at < taken]
        return {
            "characters": int(gold.sum()),
            "missing": missing,
            "in_chunks": _inside(gold, spans, low, high),
            "ranked": _inside(gold, high_ranked, low, high),
            "selected": _inside(gold, selected, low, high),
            "chunks": len(holding),
            "best_rank": int(ranks.min()) + 1 if len(ranks) else 0,
            "worst_rank": int(ranks.max()) + 1 if len(ranks) else 0,
            "taken": taken,
        }


def shown(text: str, evidence: Sequence[Span], spans: Sequence[Span]) -> int:
    """The characters of evidence in the spans that a model was shown."""
    low, high = min(s for s, _ in evidence), max(e for _, e in evidence)
    return _inside(_mask(evidence, low, high) & ~white_space(text[low:high]), spans, low, high)


def _mask(spans: Sequence[Span], low: int, high: int) -> Mask:
    mask = np.zeros(high - low, np.bool_)
    for start, end in spans:
        mask[max(start - low, 0) : max(end - low, 0)] = True
    return mask


def _inside(gold: Mask, spans: Sequence[Span], low: int, high: int) -> int:
    return int((gold & _mask(spans, low, high)).sum())
