"""Chunks of texts, and an encoder that needs no model."""

import hashlib
import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from chunkers import Chunk
from models.encoders import Split


class HashEncoder:
    """Sums of fixed random vectors, one for each word, so that texts that share words are near each other.

    `encoded` has the kind and text of all that was encoded.
    """

    def __init__(self, dimensions: int = 32) -> None:
        self.dimensions = dimensions
        self.encoded: list[tuple[str, str]] = []

    def encode(self, texts: Sequence[str], kind: str) -> np.ndarray:
        self.encoded += [(kind, text) for text in texts]
        rows = [sum(map(self.word, text.lower().split()), np.zeros(self.dimensions)) for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), self.dimensions)

    def word(self, word: str) -> np.ndarray:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
        return np.random.default_rng(seed).standard_normal(self.dimensions)

    def identity(self) -> dict[str, str]:
        return {"model": "hash"}


class LimitedHashEncoder(HashEncoder):
    """Reads the first `limit` words of a text; its windows have that many words and no overlap."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def max_tokens(self) -> int | None:
        return self.limit

    def encode(self, texts: Sequence[str], kind: str) -> np.ndarray:
        vectors = super().encode([" ".join(text.split()[: self.limit]) for text in texts], kind)
        self.encoded[len(self.encoded) - len(texts) :] = [(kind, text) for text in texts]
        return vectors

    def split(self, texts: Sequence[str], kind: str) -> list[Split]:
        return [self._split(text) for text in texts]

    def _split(self, text: str) -> Split:
        words = [match.span() for match in re.finditer(r"\S+", text)]
        parts = [words[at : at + self.limit] for at in range(0, len(words), self.limit)]
        spans = tuple((part[0][0], part[-1][1]) for part in parts) or ((0, len(text)),)
        return Split(len(words), max(0, len(words) - self.limit), spans)


@pytest.fixture
def limited_encoder() -> Callable[[int], LimitedHashEncoder]:
    return LimitedHashEncoder


@pytest.fixture
def encoder() -> HashEncoder:
    return HashEncoder()


@pytest.fixture
def chunks() -> Callable[..., list[Chunk]]:
    """A function that makes chunks of texts, one after another with a space between them."""

    def make(*texts: str) -> list[Chunk]:
        result, start = [], 0
        for text in texts:
            result.append(Chunk(text, start, start + len(text)))
            start += len(text) + 1
        return result

    return make
