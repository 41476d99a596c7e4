"""Words of the claim and words of its question in the same quote.

    score = overlap(claim, quote) · overlap(question, quote)

Both are those of `overlap`: shares of words, weighted by how rare they are in the document. A short answer stands in
many sentences, of which few are about the question. Without a question it is the overlap of the claim.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.support import Floats, Support, SupportIndex
from pipelines.support.overlap import OverlapIndex


@dataclass(frozen=True)
class Alignment(Support):
    """Lexical overlap of a claim and of its question with the same sentences."""

    def index(self, sentences: Sequence[str]) -> "AlignmentIndex":
        """The sentences' words."""
        return AlignmentIndex(sentences)


class AlignmentIndex(SupportIndex):
    """In which sentences each word is."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._words = OverlapIndex(sentences)

    def scores(self, claim: str, query: str) -> tuple[Floats, Floats]:
        """The products of both overlaps."""
        single, double = self._words.scores(claim, query)
        if not query.strip():
            return single, double
        query_single, query_double = self._words.scores(query, "")
        return single * query_single, double * query_double
