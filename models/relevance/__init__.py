"""How relevant texts are to a query, by models that read both: `models.relevance.get(MODEL).scores(query, texts)`.

A cross-encoder reads query and text together (Nogueira & Cho 2019, "Passage Re-ranking with BERT"); a ColBERT model
compares their tokens' vectors (Khattab & Zaharia 2020, "ColBERT").
"""

from collections.abc import Sequence
from typing import Protocol

from longdoc.errors import UserError
from models import hub
from models.encoders import Kind, Split

COLBERT = frozenset({"ColBERT", "MultiVectorEncoder"})  # as PyLate and sentence-transformers name them


class Relevance(Protocol):
    """A model that scores texts for a query, and knows how much of each it reads."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The score of each text, higher is more relevant."""
        ...

    def max_tokens(self, kind: Kind) -> int:
        """The most tokens of a query, or of a passage, that it reads; special tokens left out."""
        ...

    def split(self, texts: Sequence[str], kind: Kind) -> list[Split]:
        """Each text beside that limit, with windows within it."""
        ...


def get(model: str, device: str | None = None) -> Relevance:
    """The model of a folder, a hub id or `minilm`. Raises `UserError`: no such model, or one that scores no pairs."""
    path = hub.folder(model).path
    if is_colbert(model):
        from models.relevance._late_interaction import LateInteraction

        return LateInteraction(str(path), device)
    if (path / "modules.json").is_file() and not hub.outputs(hub.config(path)):
        raise UserError(f"{model} encodes query and text each by itself: retriever='dense:{model}'")
    from models.relevance._cross_encoder import PairScores

    return PairScores(str(path), device)


def is_colbert(model: str) -> bool:
    """Whether a model's folder is laid out as ColBERT's, PyLate's or sentence-transformers' models of token vectors."""
    path = hub.folder(model).path
    kind = hub.settings(path / "config_sentence_transformers.json").get("model_type")
    return kind in COLBERT or "HF_ColBERT" in (hub.settings(path / "config.json").get("architectures") or ())
