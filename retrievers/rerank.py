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
            raise UserError("rerank: retriever must rank by the question, as in rerank:retriever=bm25")

    ranks_by_centroid = False

    @property
    def members(self) -> Sequence[Retriever]:
        """The first retriever."""
        return (self.retriever,)

    @property
    def chunker(self) -> str:  # type: ignore[override]
        """The chunker of the first retriever."""
        return str(self.retriever.chunker)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index over the first retriever's index and the chunks' texts."""
        texts = ranked_texts(chunks, self.heading)
        return _RerankIndex(self.retriever.index(chunks), texts, self._relevance(), self.top)

    def _relevance(self) -> relevance.Relevance:
        if not self._loaded:
            self._loaded.append(relevance.get(self.model, self.device))
        return self._loaded[0]


class _RerankIndex(CompositeIndex):
    """`_texts` are the distinct texts, `_text_of` [chunks] is the number of each chunk's text among them."""

    def __init__(self, first: Index, texts: Sequence[str], model: relevance.Relevance, top: int) -> None:
        super().__init__("rerank", [first])
        self._model, self._top = model, top
        self._texts = list(dict.fromkeys(texts))
        places = {text: place for place, text in enumerate(self._texts)}
        self._text_of = np.array([places[text] for text in texts], np.int64)
        self._splits = model.split(self._texts, "passage")

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]: the model's scores; below them, whole numbers in the first retriever's order."""
        (table,) = (np.array(row, np.float32) for row in self.member_scores(queries))
        for query, row in zip(queries, table, strict=True):
            if query.strip() and len(row):
                row[:] = self._reranked(query, row)
        return table

    def _reranked(self, query: str, first_scores: Scores) -> Scores:
        """The scores [chunks] of one query, given those of the first retriever."""
        text_ids = self._text_of[top_k(first_scores[None], None)[1][0]]
        top_texts = list(dict.fromkeys(text_ids.tolist()))[: self._top]
        top_scores = self._text_scores(query, top_texts)
        text_scores = np.full(len(self._texts), np.nan, np.float32)
        text_scores[top_texts] = top_scores
        scores = text_scores[self._text_of]
        rest = np.isnan(scores)
        ranks = np.unique(-steps(first_scores[rest]), return_inverse=True)[1]  # chunks that tie stay tied
        scores[rest] = np.floor(top_scores.min()) - 1 - ranks
        return scores

    def _text_scores(self, query: str, text_ids: Sequence[int]) -> Scores:
        """The model's score of each text: that of its best window."""
        windows = [[self._texts[text_id][a:b] for a, b in self._splits[text_id].windows] for text_id in text_ids]
        scores = np.array(self._model.scores(query, list(chain.from_iterable(windows))), np.float32)
        if not np.isfinite(scores).all():
            raise UserError(
                "rerank: the model returned NaN or infinite scores; use a model trained to score query-passage pairs"
            )
        starts = np.cumsum([0, *map(len, windows[:-1])])
        return np.asarray(np.maximum.reduceat(scores, starts), np.float32)

    def passages(self) -> tuple[Lengths, ...]:
        """Counts of chunks over the model's limit, and over those of the first retriever."""
        lengths = self._lengths([self._splits[i] for i in self._text_of], "passage")
        return (lengths, *super().passages())

    def queries(self, queries: Sequence[str]) -> tuple[Lengths, ...]:
        """Counts of queries over the model's limit, and over those of the first retriever."""
        lengths = self._lengths(self._model.split([query for query in queries if query.strip()], "query"), "query")
        return (lengths, *super().queries(queries))

    def _lengths(self, splits: Sequence[Split], kind: Kind) -> Lengths:
        excess = [split.beyond for split in splits if split.beyond]
        tokens = sum(split.tokens for split in splits)
        limit = self._model.max_tokens(kind)
        return Lengths("rerank", limit, "windows", len(splits), len(excess), tokens, sum(excess))
