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
    """Turns texts into vectors; their inner product says how well a passage matches a query."""

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """The vectors of texts: float32 [texts, dimensions], not normalized."""
        ...

    def identity(self) -> Mapping[str, Any]:
        """Everything besides the text that changes a vector: model, revision, pooling, prefixes, dtype."""
        ...


@runtime_checkable
class RecordedEncoder(Encoder, Protocol):
    """An encoder that also reports its devices and batch sizes."""

    def resolve(self) -> Mapping[str, Any]:
        """The fields that a run records: the identity, devices and batch sizes."""
        ...


@dataclass(frozen=True, slots=True)
class Split:
    """How much of a text an encoder reads: its `tokens`, and how many of them are `beyond` the limit (not read).

    `windows` are spans (start, end) of the text in code points that `encode` reads whole. They cover it, and
    neighbours may overlap; a text within the limit is one window.
    """

    tokens: int
    beyond: int
    windows: tuple[tuple[int, int], ...]


@runtime_checkable
class LimitedEncoder(Encoder, Protocol):
    """An encoder with a known limit, which can split longer texts."""

    def max_tokens(self) -> int | None:
        """The longest input in tokens, special ones and prefix included; None: no limit."""
        ...

    def split(self, texts: Sequence[str], kind: Kind) -> list[Split]:
        """How much of each text is read. Tokens are the text's own, without special ones and prefix."""
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
        """The token vectors of texts: each query encoded alone, passages with their neighbours in the document."""
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
