"""How relevant texts are to a query, by models that read both: `models.relevance.get(MODEL).scores(query, texts)`.

A cross-encoder reads query and text together (Nogueira & Cho 2019, "Passage Re-ranking with BERT"); a ColBERT model
compares their tokens' vectors (Khattab & Zaharia 2020, "ColBERT"). The ColBERT folders of sentence-transformers, of
PyLate and of Stanford are read by sentence-transformers, which knows their layouts; PyLate itself is not needed.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Any, Protocol

from longdoc.errors import UserError
from longdoc.optional import check
from longdoc.quiet import quiet
from models import hub
from models.encoders import Kind, Split, _windows
from models.neural.cross_encoder import CrossEncoder

COLBERT = frozenset({"ColBERT", "MultiVectorEncoder"})  # as PyLate and sentence-transformers name them
QUERY = 4  # a query may take up to this part of the limit: 1/4
CACHE_SIZE = 2_000  # passages whose vectors are kept for the document's next questions


class Relevance(Protocol):
    """A model that scores texts for a query, with a known limit on both."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The score of each text, higher is more relevant."""
        ...

    def max_tokens(self, kind: Kind) -> int:
        """The longest query or passage that it reads, in tokens without special ones."""
        ...

    def split(self, texts: Sequence[str], kind: Kind) -> list[Split]:
        """How much of each text is read, with windows within the limit."""
        ...


def get(model: str, device: str | None = None) -> Relevance:
    """The model of a folder, a hub id or `minilm`. Raises `UserError`: no such model, or one that scores no pairs."""
    path = hub.folder(model).path
    if is_colbert(model):
        return LateInteraction(str(path), device)
    if (path / "modules.json").is_file() and not hub.outputs(hub.config(path)):
        raise UserError(f"{model} encodes query and text separately, so it scores no pairs: retriever='dense:{model}'")
    return PairScores(str(path), device)


def is_colbert(model: str) -> bool:
    """Whether a model's folder is a ColBERT model (of Stanford, PyLate or sentence-transformers)."""
    path = hub.folder(model).path
    kind = hub.settings(path / "config_sentence_transformers.json").get("model_type")
    return kind in COLBERT or "HF_ColBERT" in (hub.settings(path / "config.json").get("architectures") or ())


class PairScores:
    """Scores query and text read together, with the network of the reader `cross_encoder`: the logit of its head."""

    def __init__(self, model: str, device: str | None) -> None:
        self._reader = CrossEncoder(model, device=device, dtype="fp32")

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The logit of each pair. Raises `UserError`: no weights, no trained head, no memory."""
        query = self._beginning(query)
        return [float(logit) for logit in self._reader.logits([(query, text) for text in texts])]

    def max_tokens(self, kind: Kind) -> int:
        """A quarter of the limit for a query, the rest for a passage."""
        budget = self._reader.text_limit
        query = max(1, budget // QUERY)
        return query if kind == "query" else budget - query

    def split(self, texts: Sequence[str], kind: Kind) -> list[Split]:
        """How much of each text is read, in the model's tokens."""
        budget = self.max_tokens(kind)

        def fits(parts: Sequence[str]) -> bool:
            return max(self._reader.count(parts)) <= budget

        encode = self._reader.subwords.encode
        return [_windows.split(text, encode(text).text_spans, budget, fits) for text in texts]

    def _beginning(self, query: str) -> str:
        token_spans = self._reader.subwords.encode(query).text_spans
        budget = self.max_tokens("query")
        return query if len(token_spans) <= budget else query[: token_spans[budget - 1][1]]


class LateInteraction:
    """Scores texts with a ColBERT model: each token of the query counts with the most similar one of the text (eq. 3).

    Queries are cut to the model's limit and padded as the model does.
    """

    def __init__(self, path: str, device: str | None) -> None:
        check(("torch", "sentence_transformers"), "neural", f"the model {path}")
        import sentence_transformers

        try:
            with quiet():
                self._model: Any = sentence_transformers.MultiVectorEncoder(
                    path, device=device, local_files_only=True, trust_remote_code=False
                )
        except (OSError, ValueError) as error:
            raise UserError(f"{path} cannot be loaded as a ColBERT model: {error}") from error
        self._lock = Lock()
        self._passage_vectors: dict[str, Any] = {}

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The sum over the query's tokens of the best similarity to a token of the text."""
        from sentence_transformers.util import maxsim

        if not texts:
            return []
        with self._lock, quiet():
            query_vectors = self._model.encode_query([query], show_progress_bar=False)
            return [float(score) for score in maxsim(query_vectors, self._passages(texts))[0]]

    def _passages(self, texts: Sequence[str]) -> list[Any]:
        if len(self._passage_vectors) + len(texts) > CACHE_SIZE:
            self._passage_vectors.clear()
        if missing := [text for text in dict.fromkeys(texts) if text not in self._passage_vectors]:
            vectors = self._model.encode_document(missing, show_progress_bar=False)
            self._passage_vectors |= dict(zip(missing, vectors, strict=True))
        return [self._passage_vectors[text] for text in texts]

    def max_tokens(self, kind: Kind) -> int:
        """The model's own limit for this kind of text, without the special tokens and the mark of the kind."""
        first = self._model[0]
        length = first.query_length if kind == "query" else first.document_length
        limit = int(length or self._model.max_seq_length)
        prompt = self._model.prompts.get("query" if kind == "query" else "document") or ""
        return max(1, limit - len(self._model.tokenizer([prompt], verbose=False)["input_ids"][0]))

    def split(self, texts: Sequence[str], kind: Kind) -> list[Split]:
        """How much of each text is read, in the model's tokens."""
        if not texts:
            return []
        budget = self.max_tokens(kind)

        def fits(parts: Sequence[str]) -> bool:
            return max(map(len, self._token_spans(parts))) <= budget

        pairs = zip(texts, self._token_spans(texts), strict=True)
        return [_windows.split(text, token_spans, budget, fits) for text, token_spans in pairs]

    def _token_spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        options = {"add_special_tokens": False, "return_offsets_mapping": True, "verbose": False}
        return list(self._model.tokenizer(list(texts), **options)["offset_mapping"])
