"""Encoders: texts to vectors, for retrieval by meaning. `models.encoders.get("minilm").encode(texts, "passage")`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from longdoc.registry import Registry, describe

Kind = Literal["query", "passage"]
Vectors = npt.NDArray[np.float32]


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors whose inner products say how well a passage answers a query."""

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """float32 [texts, dimensions], as the model gives them."""
        ...

    def identity(self) -> Mapping[str, Any]:
        """All that decides a vector besides the text: model, revision, pooling, prefixes, dtype."""
        ...


@runtime_checkable
class RecordedEncoder(Encoder, Protocol):
    """An encoder that can also say how it computes here."""

    def resolve(self) -> Mapping[str, Any]:
        """What a run records: the identity, and what does not decide a vector, such as devices and batches."""
        ...


@dataclass(frozen=True, slots=True)
class Split:
    """A text beside an encoder's limit: its `tokens`, and how many of them are `beyond`, which `encode` never reads.

    `windows` are spans (start, end) of the text in code points that `encode` reads whole. They cover it, and
    neighbours may overlap; a text within the limit is one window.
    """

    tokens: int
    beyond: int
    windows: tuple[tuple[int, int], ...]


@runtime_checkable
class LimitedEncoder(Encoder, Protocol):
    """An encoder that knows how much of a text it reads, and can say what is longer."""

    def max_tokens(self) -> int | None:
        """The most tokens it reads, special ones and prefix among them; None: it has no limit."""
        ...

    def split(self, texts: Sequence[str], kind: Kind) -> list[Split]:
        """Each text beside the limit. Tokens are those of the text alone, special ones and prefix left out."""
        ...


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The vectors of the tokens of texts, special ones left out: those of text i from `starts[i]` to `starts[i + 1]`.

    `vectors` float32 [tokens, dimensions], each of length 1; `ids` int64 [tokens] are their numbers in the vocabulary.
    """

    vectors: Vectors
    ids: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]


@runtime_checkable
class TokenEncoder(Encoder, Protocol):
    """An encoder that gives a vector for each token too."""

    def token_vectors(self, texts: Sequence[str], kind: Kind) -> TokenVectors:
        """The vectors of texts: each query by itself, passages as they follow each other in their document."""
        ...


def _folder_or_hub_id(name: str) -> Mapping[str, Any]:
    return {"name": "sentence_transformer", "model": name}


registry: Registry[Encoder] = Registry(
    __name__,
    "encoder",
    contract=Encoder,
    presets={"minilm": "sentence_transformer:minilm"},
    otherwise=_folder_or_hub_id,
    example="encoder='minilm'",
)


def get(spec: Any, /, **fields: Any) -> Encoder:
    """The encoder for `minilm`, a model folder, a hub id, `NAME:ARGS`, a mapping or an object. Raises `UserError`."""
    return registry.get(spec, **fields)


def record(encoder: Encoder) -> dict[str, Any]:
    """What a run records of an encoder, as JSON has it."""
    fields = encoder.resolve() if isinstance(encoder, RecordedEncoder) else encoder.identity()
    return dict(describe(fields))


def names() -> list[str]:
    """The names of all encoders that come with longdoc."""
    return registry.names()
