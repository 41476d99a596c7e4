"""A cross-encoder's score of a claim and a quote that it reads together (Nogueira and Cho 2019).

    score = 1 / (1 + exp(-logit))

The claim stands behind the question that it answers. A quote over the model's limit counts by its best window.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp

from longdoc.errors import UserError
from models import relevance
from pipelines.support import Support, SupportIndex
from pipelines.support._candidates import CandidateIndex


@dataclass(frozen=True)
class CrossEncoder(Support):
    """Scores of a cross-encoder; `model` is a folder or hub id, as `rerank` takes it.

    `candidates`: how many sentences and pairs of neighbours are read for a claim, those with most words in common. The
    model is loaded at the first index. Raises `UserError` for no such model, and for scores that are no numbers.
    """

    model: str = "cross-encoder/ms-marco-MiniLM-L6-v2"
    candidates: int = 10
    device: str | None = None
    _loaded: list[relevance.Relevance] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.candidates < 1:
            raise UserError(f"cross_encoder: candidates must be at least 1, got {self.candidates}")

    def index(self, sentences: Sequence[str]) -> SupportIndex:
        """The sentences, and the model."""
        if not self._loaded:
            self._loaded.append(relevance.get(self.model, self.device))
        return CandidateIndex(sentences, self.candidates, self._supports)

    def _supports(self, claim: str, quotes: Sequence[str]) -> list[float]:
        (model,) = self._loaded
        splits = model.split(quotes, "passage")
        return [
            max(_sigmoid(logit) for logit in model.scores(claim, [quote[start:end] for start, end in split.windows]))
            for quote, split in zip(quotes, splits, strict=True)
        ]


def _sigmoid(logit: float) -> float:
    if logit != logit:
        raise UserError("cross_encoder: the model gave no number: it is broken, or not made for pairs")
    return 1 / (1 + exp(-logit)) if logit > -700 else 0.0
