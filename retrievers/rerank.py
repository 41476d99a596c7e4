"""The first chunks of a ranking, ranked again by a model that reads query and chunk.

Nogueira & Cho 2019, "Passage Re-ranking with BERT" (cross-encoders), and Khattab & Zaharia 2020, "ColBERT", section 3.5
(late interaction as a reranker). Of a chunk over the model's limit the best window counts, as in `dense` (MaxP).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from chunkers import Chunk
from longdoc.errors import UserError
from models import relevance
from models.encoders import Kind, Split
from retrievers import Index, Lengths, Retriever, Scores, registry
from retrievers.shared.members import Composite, CompositeIndex
from retrievers.shared.ranking import steps, top_k
from retrievers.shared.texts import ranked_texts


@dataclass(frozen=True)
class Rerank(Composite):
    """Ranks the best `top` chunks of another retriever by a model's scores; the others follow in their own order.

    `retriever` is a name, a mapping or an object. `model` is a folder or hub id of a cross-encoder (one output, or two,
    of which the second is "relevant") or of a ColBERT model in the layout of sentence-transformers, PyLate or Stanford.
    Chunks of equal text have equal scores, and count once in `top`; with `heading` a chunk's label is read before its
    text. The scores of chunks that are not reranked are below those that are. A blank query is ranked by the first
    retriever alone. The model is loaded at the first index.
    """

    model: str = "cross-encoder/ms-marco-MiniLM-L6-v2"
    retriever: Any = "bm25"
    top: int = 50
    heading: bool = False
    device: str | None = None
    _loaded: list[relevance.Relevance] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.top < 1:
            raise UserError(f"rerank: top must be at least 1, got {self.top}")
        first = registry.get(self.retriever)
        object.__setattr__(self, "retriever", first)  # so that a run's record names it in full
        if first.query_source != "query":
            raise UserError("rerank: its retriever is asked no question; name another, as in rerank:retriever=bm25")

    ranks_by_centroid = False

    @property
    def members(self) -> Sequence[Retriever]:
        """The first retriever."""
        return (self.retriever,)

    @property
    def chunker(self) -> str:  # type: ignore[override]
        """That of the first retriever."""
        return str(self.retriever.chunker)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that holds the first retriever's, and the chunks' texts."""
        texts = ranked_texts(chunks, self.heading)
        return _RerankIndex(self.retriever.index(chunks), texts, self._relevance(), self.top)

    def _relevance(self) -> relevance.Relevance:
        if not self._loaded:
            self._loaded.append(relevance.get(self.model, self.device))
        return self._loaded[0]


class _RerankIndex(CompositeIndex):
    """`_texts` are the distinct texts, `_text_of` [chunks] says which of them each chunk's is."""

    def __init__(self, first: Index, texts: Sequence[str], model: relevance.Relevance, top: int) -> None:
        super().__init__("rerank", [first])
        self._model, self._top = model, top
        self._texts = list(dict.fromkeys(texts))
        places = {text: place for place, text in enumerate(self._texts)}
        self._text_of = np.array([places[text] for text in texts], np.int64)
        self._splits = model.split(self._texts, "passage")

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]: the model's scores, and below them whole numbers that fall with the first rank."""
        (table,) = (np.array(row, np.float32) for row in self.member_scores(queries))
        for query, row in zip(queries, table, strict=True):
            if query.strip() and len(row):
                row[:] = self._reranked(query, row)
        return table

    def _reranked(self, query: str, row: Scores) -> Scores:
        """The scores of one query, `row` being those of the first retriever."""
        order = self._text_of[top_k(row[None], None)[1][0]]
        chosen_entries = list(dict.fromkeys(order.tolist()))[: self._top]
        best = self._best(query, chosen_entries)
        scores = np.full(len(self._texts), np.nan, np.float32)
        scores[chosen_entries] = best
        values = scores[self._text_of]
        rest = np.isnan(values)
        ranks = np.unique(-steps(row[rest]), return_inverse=True)[1]  # chunks that tie stay tied
        values[rest] = np.floor(best.min()) - 1 - ranks
        return values

    def _best(self, query: str, chosen_numbers: Sequence[int]) -> Scores:
        """The score of each text: that of its best window."""
        parts = [[self._texts[i][a:b] for a, b in self._splits[i].windows] for i in chosen_numbers]
        scores = np.array(self._model.scores(query, list(chain.from_iterable(parts))), np.float32)
        if not np.isfinite(scores).all():
            raise UserError("rerank: the model gave NaN or infinite scores: it is broken, or not made for pairs")
        starts = np.cumsum([0, *map(len, parts[:-1])])
        return np.asarray(np.maximum.reduceat(scores, starts), np.float32)

    def passages(self) -> tuple[Lengths, ...]:
        """The counts of chunks over the model's limit, and those of the first retriever."""
        lengths = self._lengths([self._splits[i] for i in self._text_of], "passage")
        return (lengths, *super().passages())

    def queries(self, queries: Sequence[str]) -> tuple[Lengths, ...]:
        """The counts of queries over the limits."""
        lengths = self._lengths(self._model.split([query for query in queries if query.strip()], "query"), "query")
        return (lengths, *super().queries(queries))

    def _lengths(self, splits: Sequence[Split], kind: Kind) -> Lengths:
        over = [split.beyond for split in splits if split.beyond]
        tokens = sum(split.tokens for split in splits)
        return Lengths("rerank", self._model.max_tokens(kind), "windows", len(splits), len(over), tokens, sum(over))
