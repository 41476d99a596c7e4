"""Whether two paragraphs have one author, by the cosine of their embeddings: one encoding per paragraph, not per pair.

Probability = 1 / (1 + exp(-(scale · cosine + bias))) (Reimers and Gurevych 2019, section 3, with a logistic output).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from chunkers.shared.words import count_words
from longdoc.errors import UserError
from models import encoders
from models.author_pairs import Floats, Logistic, cosines, fitted, sampled_pairs
from models.encoders import Encoder, LimitedEncoder
from models.requests import Compare, Reply, Request, TrainingExample
from models.word_reader import WordReader

SCALE, BIAS = 10.0, -4.0  # before fitting: alike from a cosine of 0.4 on
REGULARIZATION = 1.0


@dataclass(frozen=True)
class BiEncoder(WordReader):
    """Answers Compare by any encoder of `models.encoders`.

    `scale` and `bias`, if both are given, are taken as they are; else they are fitted on about `pairs` pairs of
    paragraphs, sampled by `seed`, such that 0.5 is the threshold that does best on neighbours in held-out training
    documents (`models.author_pairs`). What a paragraph has beyond the encoder's limit is not read: a reply's
    `truncated_tokens` counts it, in the encoder's tokens, once for each text of its request. `device` and `dtype` are
    the encoder's ("auto": bf16 where the hardware computes in it). Raises `UserError` where only one of `scale` and
    `bias` is given, or there is no such encoder.
    """

    model: str = "minilm"
    scale: float | None = None
    bias: float | None = None
    pairs: int = 10_000
    seed: int = 0
    revision: str | None = None
    device: str | tuple[str, ...] | None = None
    dtype: Literal["auto", "bf16", "fp32"] = "auto"

    supports = frozenset({Compare})
    batch_requests = 1  # a document

    _learned: dict[str, Logistic] = field(default_factory=dict, init=False, repr=False, compare=False)
    _latest: dict[tuple[str, ...], tuple[Floats, int]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.pairs < 10:
            raise UserError(f"bi_encoder: pairs must be at least 10, got {self.pairs}")
        if (self.scale is None) != (self.bias is None):
            raise UserError("bi_encoder: give scale and bias together, or neither to have them fitted")
        if self.scale is not None and self.bias is not None:
            self._learned["model"] = Logistic(np.array([self.scale]), self.bias)
        self._encoder()  # raises for one that cannot be

    @property
    def fitted(self) -> bool:  # type: ignore[override]
        """Whether scale and bias are given or learned; otherwise defaults stand in for them."""
        return bool(self._learned)

    @property
    def learned(self) -> tuple[float, float]:
        """The fitted or given scale and bias, else the defaults."""
        model = self._learned.get("model", Logistic(np.array([SCALE]), BIAS))
        return float(model.weights[0]), float(model.bias)

    def fit(self, examples: Iterable[TrainingExample]) -> None:
        """Learn scale and bias from Compare training examples whose references say who wrote the paragraphs."""
        pairs = sampled_pairs(examples, self.pairs, self.seed)
        features = cosines(self._vectors(pairs.texts), pairs.first, pairs.second)[:, None]
        self._learned["model"] = fitted(features, pairs, REGULARIZATION)

    def resolve(self) -> Mapping[str, Any]:
        """The encoder's identity, and the devices."""
        return {"device": self.device, **encoders.record(self._encoder())}

    def reply_to(self, request: Request) -> Reply:
        """The probabilities of a request's pairs; the vectors of a document are cached until the next document."""
        if not isinstance(request, Compare):
            raise self.unsupported(request)
        if request.texts not in self._latest:
            self._latest.clear()
            self._latest[request.texts] = self._vectors(request.texts), self._beyond(request.texts)
        vectors, cut = self._latest[request.texts]
        first, second = np.array(request.pairs, np.int64).reshape(-1, 2).T
        model = self._learned.get("model", Logistic(np.array([SCALE]), BIAS))
        probabilities = model(cosines(vectors, first, second)[:, None])
        return Reply(probabilities, tokens_in=sum(count_words(request.texts)), truncated_tokens=cut)

    def _beyond(self, texts: Sequence[str]) -> int:
        """Number of tokens beyond the encoder's limit; 0 for an encoder without a known limit."""
        encoder = self._encoder()
        if not isinstance(encoder, LimitedEncoder):
            return 0
        return sum(split.beyond for split in encoder.split(texts, "passage"))

    def _vectors(self, texts: Sequence[str]) -> Floats:
        """The normalized embeddings of texts."""
        vectors = self._encoder().encode(texts, "passage")
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Floats = vectors / np.where(length > 0, length, 1)
        return unit

    def _encoder(self) -> Encoder:
        options = {"revision": self.revision, "device": self.device, "dtype": self.dtype}
        return encoders.get(self.model, **options)
