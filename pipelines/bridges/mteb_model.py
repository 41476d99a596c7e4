"""A search model for MTEB that ranks long documents by their best chunk.

    mteb.evaluate(mteb_model("bm25"), [mteb_task("scrolls/qmsum", data="qmsum.zip")])

MTEB's own models encode a document whole, and cut it at the encoder's limit. Here it is split, and its score is that of
its best chunk (MaxP: Dai and Callan 2019, "Deeper Text Understanding for IR with Contextual Neural Language Modeling",
section 3.2). Any retriever that ranks by the question will do, `dense` with any sentence-transformers model included.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

import chunkers
import retrievers
from chunkers import Chunk, moved
from longdoc import __version__
from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.optional import need
from longdoc.registry import describe, name_of
from retrievers import Index

CHUNKER = "sentences:size=200"
NAME = "longdoc/best-chunk"  # MTEB's names have an organization
QUERIES = 64  # that are scored together


@checks_names
def mteb_model(retriever: Any = "bm25", chunker: Any = None) -> Any:
    """The `mteb.ModelMeta` of the search model, for `mteb.evaluate`. Raises `UserError`.

    - `retriever`: one that ranks by the question: "bm25", "tfidf", "dense:MODEL", "hybrid:[bm25,dense]" …
    - `chunker`: by default the retriever's own, else sentences up to 200 words.

    What they are is in the name of the experiment (`experiment_kwargs`), so that results of two are kept apart.
    """
    need("mteb", "mteb", "the search model for MTEB")
    from mteb.models import ModelMeta

    ranker = retrievers.get(retriever)
    if ranker.query_source != "query":
        raise UserError(f"the retriever {name_of(ranker)} does not rank by the question: retriever='bm25'")
    splitter = chunkers.get(chunker or ranker.chunker or CHUNKER)
    if splitter.per_query or splitter.size is None:
        raise UserError(f"the chunker {name_of(splitter)} needs a question or a reader: chunker={CHUNKER!r}")

    def load(model_name: str, revision: str | None, **arguments: Any) -> "BestChunkSearch":
        return BestChunkSearch(ranker, splitter)

    return ModelMeta(
        loader=load,
        name=NAME,
        revision=__version__,
        release_date=None,
        languages=None,
        n_parameters=None,
        memory_usage_mb=None,
        max_tokens=None,
        embed_dim=None,
        license=None,
        open_weights=None,
        public_training_code=None,
        public_training_data=None,
        framework=[],
        similarity_fn_name=None,
        use_instructions=False,
        training_datasets=None,
        experiment_kwargs={
            "retriever": _component_text(describe(ranker)),
            "chunker": _component_text(describe(splitter)),
        },
    )


@dataclass(slots=True)
class BestChunkSearch:
    """MTEB's `SearchProtocol`: `index` a corpus, `search` it; a document's score is that of its best chunk."""

    retriever: retrievers.Retriever
    chunker: chunkers.Chunker
    mteb_model_meta: Any = None
    _index: Index | None = field(init=False, default=None)
    _documents: list[str] = field(init=False, default_factory=list)  # ids of those that have chunks
    _starts: list[int] = field(init=False, default_factory=list)  # the number of each one's first chunk

    def index(self, corpus: Any, **arguments: Any) -> None:
        """Split and index the documents; a title is the first line of a document."""
        self._documents, self._starts = [], []
        all_chunks: list[Chunk] = []
        position = 0
        for row in corpus:
            text = "\n".join(filter(None, (row.get("title") or "", row["text"])))
            if chunks := self.chunker.split(text):
                self._documents.append(str(row["id"]))
                self._starts.append(len(all_chunks))
                all_chunks += [moved(chunk, position) for chunk in chunks]
            position += len(text) + 1
        self._index = self.retriever.index(all_chunks)

    def search(
        self, queries: Any, *, top_k: int, top_ranked: Mapping[str, Sequence[str]] | None = None, **arguments: Any
    ) -> dict[str, dict[str, float]]:
        """The scores of the `top_k` best documents by query; of those in `top_ranked` where a query has any."""
        assert self._index is not None, "MTEB indexes before it searches"
        values: dict[str, dict[str, float]] = {}
        ids, texts = [str(value) for value in queries["id"]], [_query(row) for row in queries]
        for start in range(0, len(ids), QUERIES):
            scores = self._document_scores(self._index, texts[start : start + QUERIES])
            for query_id, row in zip(ids[start : start + QUERIES], scores, strict=True):
                candidates = set(top_ranked[query_id]) if top_ranked and query_id in top_ranked else None
                values[query_id] = self._best(row, top_k, candidates)
        return values

    def _document_scores(self, index: Index, texts: list[str]) -> npt.NDArray[np.float32]:
        """float32 [queries, documents]."""
        if not self._documents:
            return np.zeros((len(texts), 0), dtype=np.float32)
        best: npt.NDArray[np.float32] = np.maximum.reduceat(index.scores(texts), self._starts, axis=1)
        return best

    def _best(self, scores: npt.NDArray[np.float32], top_k: int, candidates: set[str] | None) -> dict[str, float]:
        order = np.argsort(-scores, kind="stable")
        ranked = (int(i) for i in order if candidates is None or self._documents[i] in candidates)
        return {self._documents[i]: float(scores[i]) for i, _ in zip(ranked, range(top_k), strict=False)}


def _query(row: Mapping[str, Any]) -> str:
    """A query with its instruction where the task has them, as MTEB's own BM25 joins them."""
    return " ".join(filter(None, (row["text"], row.get("instruction"))))


def _component_text(description: Any) -> str:
    """A component in a line: `dense(model=minilm,…)`."""
    if not isinstance(description, Mapping):
        return str(description)
    fields = ",".join(f"{name}={_component_text(value)}" for name, value in description.items() if name != "name")
    return f"{description.get('name', '')}({fields})"
