"""BM25 in Lucene's form, over the chunks of one document.

score(q, d) = sum over the words t of q of idf(t) * tf / (tf + k1 * (1 - b + b * |d| / avgdl)), with
idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)), which is never negative, so that a document of a few chunks is ranked
sensibly. Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", section 3; this variant
as compared by Kamphuis et al. 2020, "Which BM25 Do You Mean?", table 1, "Lucene (accurate)": chunk lengths are exact,
and the constant factor (k1 + 1), which changes no ranking, is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from chunkers import Chunk
from longdoc.errors import UserError
from retrievers import Index, Retriever
from retrievers.shared.counts import Counts, WeightedIndex, Words, summed
from retrievers.shared.texts import ranked_texts
from retrievers.shared.word_forms import WithoutStopWords, check_stemmer, counted_words

if TYPE_CHECKING:
    from retrievers.shared.counts import Matrix


@dataclass(frozen=True)
class Bm25(Retriever):
    """Ranks chunks by BM25; defaults are Lucene's.

    For the centroid the query is all words of the chunks, each as often as it occurs. `k1` saturates the term frequency
    (0: a word counts once), `b` is the share of length normalization (0 to 1). Words are those of
    any script (`longdoc.words.terms`), as in `tfidf`; a word that occurs twice in the query counts twice.

    With `heading` a chunk's label (its title, section path or speaker) is ranked with its text, unless the text begins
    with it. `stop_words`, "english" (the list in `longdoc.languages`) or a list, are left out of chunks and
    queries; a query of nothing else is ranked as if there were none. `stem` names a language of the Snowball stemmers
    ("english", "german", …; https://snowballstem.org): words with the same stem are one. Other languages' letters stay
    as they are. "auto", for either, goes by the language that each text is in (`longdoc.languages`); words of a
    language without a stemmer are compared by their n-grams.
    """

    k1: float = 1.2
    b: float = 0.75
    heading: bool = False
    stop_words: Literal["auto", "english"] | tuple[str, ...] | None = None
    stem: str | None = None

    ranks_by_centroid = True

    def __post_init__(self) -> None:
        if not 0 <= self.k1 < np.inf:
            raise UserError(f"bm25: k1 must be a number of at least 0, got {self.k1}")
        if not 0 <= self.b <= 1:
            raise UserError(f"bm25: b must be between 0 and 1, got {self.b}")
        if self.stem is not None:
            check_stemmer(self.stem, "bm25: stem")

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index whose document frequencies and mean length are those of these chunks."""
        return self._index(chunks, None)

    def index_groups(self, chunks: Sequence[Chunk], groups: Sequence[Sequence[int]]) -> Index:
        """An index over groups of chunks; the words of each chunk are counted once, however many groups it is in."""
        return self._index(chunks, groups)

    def _index(self, chunks: Sequence[Chunk], groups: Sequence[Sequence[int]] | None) -> Index:
        texts = ranked_texts(chunks, self.heading)
        index, counts = self._count_and_weigh(texts, counted_words(self.stem, self.stop_words), groups)
        if not self.stop_words:
            return index
        return WithoutStopWords(
            index, counts, lambda: self._count_and_weigh(texts, counted_words(self.stem), groups)[0]
        )

    def _count_and_weigh(
        self, texts: Sequence[str], words: Words, groups: Sequence[Sequence[int]] | None
    ) -> tuple[WeightedIndex, Counts]:
        counts = Counts.of(texts, words)
        matrix = counts.matrix if groups is None else summed(counts.matrix, groups)
        index = WeightedIndex(self._weights(matrix), counts, lambda: np.asarray(matrix.sum(axis=1), np.float64))
        return index, counts

    def _weights(self, counts: "Matrix") -> "Matrix":
        chunk_count = counts.shape[1]
        document_frequencies = np.diff(counts.indptr)
        idf = np.log1p((chunk_count - document_frequencies + 0.5) / (document_frequencies + 0.5))
        lengths = np.bincount(counts.indices, counts.data, chunk_count)
        norms = self.k1 * (1 - self.b + self.b * lengths / (lengths.mean() if lengths.any() else 1.0))
        weights = counts.copy()
        weights.data = np.repeat(idf, document_frequencies) * counts.data / (counts.data + norms[counts.indices])
        return weights
