"""ColBERT: each token of the query counts with the most similar token of the text (Khattab & Zaharia 2020, eq. 3).

The folders of sentence-transformers, of PyLate and of Stanford's ColBERT are read by sentence-transformers, which knows
their layouts; PyLate itself is not needed.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Any

from longdoc.errors import UserError
from longdoc.optional import check
from models.encoders import Kind, Split
from models.encoders._windows import windows
from models.quiet import quiet

CACHE_SIZE = 2_000  # passages whose vectors are kept for the document's next questions


class LateInteraction:
    """A query is cut at the model's limit, and padded with the tokens that the model adds to it."""

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
        self._known_values: dict[str, Any] = {}

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The sum over the query's tokens of the best similarity to a token of the text."""
        from sentence_transformers.util import maxsim

        if not texts:
            return []
        with self._lock, quiet():
            asked_value = self._model.encode_query([query], show_progress_bar=False)
            return [float(score) for score in maxsim(asked_value, self._passages(texts))[0]]

    def _passages(self, texts: Sequence[str]) -> list[Any]:
        if len(self._known_values) + len(texts) > CACHE_SIZE:
            self._known_values.clear()
        if missing := [text for text in dict.fromkeys(texts) if text not in self._known_values]:
            vectors = self._model.encode_document(missing, show_progress_bar=False)
            self._known_values |= dict(zip(missing, vectors, strict=True))
        return [self._known_values[text] for text in texts]

    def max_tokens(self, kind: Kind) -> int:
        """The model's own limit for this kind of text, without the special tokens and the mark of the kind."""
        first = self._model[0]
        own_value = first.query_length if kind == "query" else first.document_length
        limit = int(own_value or self._model.max_seq_length)
        prompt = self._model.prompts.get("query" if kind == "query" else "document") or ""
        return max(1, limit - len(self._model.tokenizer([prompt], verbose=False)["input_ids"][0]))

    def split(self, texts: Sequence[str], kind: Kind) -> list[Split]:
        """Each text beside the limit, in the model's tokens."""
        if not texts:
            return []
        budget = self.max_tokens(kind)
        return [self._split(text, places, budget) for text, places in zip(texts, self._places(texts), strict=True)]

    def _split(self, text: str, places: Sequence[tuple[int, int]], budget: int) -> Split:
        if len(places) <= budget:
            return Split(len(places), 0, ((0, len(text)),))

        def fits(parts: Sequence[str]) -> bool:
            return max(map(len, self._places(parts))) <= budget

        return Split(len(places), len(places) - budget, windows(text, places, budget, fits))

    def _places(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        given_values = {"add_special_tokens": False, "return_offsets_mapping": True, "verbose": False}
        return list(self._model.tokenizer(list(texts), **given_values)["offset_mapping"])
