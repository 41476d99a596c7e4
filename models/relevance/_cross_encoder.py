"""Query and text read together by an encoder with a head, whose logit is the score."""

from collections.abc import Sequence

from models.encoders import Kind, Split
from models.encoders._windows import windows
from models.neural.cross_encoder import CrossEncoder

QUERY = 4  # a query may take up to this part of the limit: 1/4


class PairScores:
    """The network and the joining of the two texts are those of the reader `cross_encoder`."""

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
        """Each text beside the limit, in the model's tokens."""
        return [self._split(text, self.max_tokens(kind)) for text in texts]

    def _split(self, text: str, budget: int) -> Split:
        places = self._reader.subwords.encode(text).own_spans
        if len(places) <= budget:
            return Split(len(places), 0, ((0, len(text)),))
        return Split(
            len(places), len(places) - budget, windows(text, places, budget, lambda parts: self._fit(parts, budget))
        )

    def _fit(self, parts: Sequence[str], budget: int) -> bool:
        return max(self._reader.count(parts)) <= budget

    def _beginning(self, query: str) -> str:
        places = self._reader.subwords.encode(query).own_spans
        budget = self.max_tokens("query")
        return query if len(places) <= budget else query[: places[budget - 1][1]]
