"""Chunks ranked by the references or by the gold evidence: an upper bound on what a retriever can contribute.

Compared with a retriever it shows how much of the loss is due to retrieval. It is not a system to compare with others.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from chunkers import Chunk
from chunkers.shared.words import count_words
from longdoc.errors import unknown
from longdoc.words import words
from retrievers import Index, Retriever, Scores
from retrievers._contract import QuerySource
from retrievers.shared.ranking import ExactIndex

_SOURCES: dict[str, QuerySource] = {"answers": "references", "evidence": "evidence"}
_SPAN = re.compile(r"^(\d{1,18}) (\d{1,18})$", re.MULTILINE)


@dataclass(frozen=True)
class Oracle(Retriever):
    """Ranks chunks by the example's gold: its answers or its evidence.

    - `of="answers"`: by the share of a reference's words (`longdoc.words`, each as often as it comes) that they hold. A
      chunk that holds all of them in a row scores 1 more; of several references the best counts. Chunks that hold the
      words of an answer need not be those that it follows from, so a retriever can do better.
    - `of="evidence"`: by the characters of gold evidence that they hold for each of their words. This is the ceiling of
      a chunker under a budget of words: to pack the most value into a limited weight, items are taken by value for
      weight, best first, which is optimal where the last one may be cut (Dantzig 1957, the fractional
      knapsack). It is exact but for the last chunk, which is cut to its first words, and for headings that are shown
      with chunks; overlapping chunks are valued one by one.

    Where there are no references, or no evidence, every chunk scores 0.
    """

    of: Literal["answers", "evidence"] = "answers"

    def __post_init__(self) -> None:
        if self.of not in _SOURCES:
            raise unknown("oracle: of", str(self.of), _SOURCES)

    @property
    def query_source(self) -> QuerySource:  # type: ignore[override]
        """The example's references or its gold evidence, which are passed as queries."""
        return _SOURCES[self.of]

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index whose queries have a reference, or a span of evidence ("120 145"), on each line."""
        return (
            _EvidenceIndex(chunks) if self.of == "evidence" else _AnswerIndex([words(chunk.text) for chunk in chunks])
        )


class _AnswerIndex(ExactIndex):
    def __init__(self, chunks: Sequence[Sequence[str]]) -> None:
        self._counts = [Counter(chunk) for chunk in chunks]
        self._texts = [f" {' '.join(chunk)} " for chunk in chunks]

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks], 0 to 2."""
        table = np.zeros((len(queries), len(self._texts)), np.float32)
        for row, query in zip(table, queries, strict=True):
            for reference in filter(None, map(words, query.splitlines())):
                np.maximum(row, self._reference_scores(reference), out=row)
        return table

    def _reference_scores(self, reference: Sequence[str]) -> Scores:
        reference_counts, reference_text = Counter(reference), f" {' '.join(reference)} "
        shares = [(reference_counts & counts).total() / len(reference) for counts in self._counts]
        contains_reference = [reference_text in text for text in self._texts]
        return np.add(shares, contains_reference, dtype=np.float32) if shares else np.zeros(0, np.float32)


class _EvidenceIndex(ExactIndex):
    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._starts = np.array([chunk.start for chunk in chunks], np.int64)
        self._ends = np.array([chunk.end for chunk in chunks], np.int64)
        self._word_counts = np.maximum(count_words([chunk.text for chunk in chunks]), 1)

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]: characters of gold evidence per word of the chunk."""
        table = np.zeros((len(queries), len(self._starts)), np.float32)
        for row, query in zip(table, queries, strict=True):
            row += self._evidence_lengths(query) / self._word_counts
        return table

    def _evidence_lengths(self, query: str) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        lengths = np.zeros(len(self._starts), np.int64)
        covered_until = 0
        for start, end in sorted((int(start), int(end)) for start, end in _SPAN.findall(query)):
            # what two spans share counts once
            start, covered_until = max(start, covered_until), max(end, covered_until)
            lengths += np.maximum(np.minimum(self._ends, end) - np.maximum(self._starts, start), 0)
        return lengths
