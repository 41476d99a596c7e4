"""How well a document supports a claim: one support score a file. `pipelines.support.get("overlap")`.

A quote is a stretch of the document, one sentence or two neighbouring ones: it is taken from the document's text by
position, whatever a model wrote, so that `document[quote.start:quote.end] == quote.text` always holds.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers.shared.boundaries import sentences
from longdoc.registry import Registry

MOST_CLAIMS = 100  # sentences of an answer that are looked at; further ones are not supported

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Quote:
    """A stretch of a document: `document[start:end] == text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer, how well the document supports it (0–1), and by which quote; None where by nothing."""

    text: str
    support: float
    quote: Quote | None = None


class SupportIndex(ABC):
    """The sentences of one document, ready for many claims."""

    @abstractmethod
    def scores(self, claim: str, query: str) -> tuple[Floats, Floats]:
        """How well each sentence supports a claim, 0–1, and how well each sentence and the next one do together.

        The second has one number less. `query` is the question that the claim is an answer to.
        """


class Support(ABC):
    """Base class of support scores: a subclass defines `index`."""

    @abstractmethod
    def index(self, sentences: Sequence[str]) -> SupportIndex:
        """The index of a document's sentences."""


registry: Registry[Support] = Registry(__name__, "support score", contract=Support, example="support='overlap'")


def get(spec: Any, /, **fields: Any) -> Support:
    """The support score for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec, **fields)


def names() -> list[str]:
    """The names of all support scores."""
    return registry.names()


def asserted_text(claim: str, query: str) -> str:
    """What a claim asserts, for models: the question that it answers, and the claim, a line each."""
    return f"{query}\n{claim}" if query.strip() else claim


class SupportedDocument:
    """A document whose sentences support claims."""

    def __init__(self, text: str, support: Support) -> None:
        self.text = text
        self.spans = sentences(text)
        self._index = support.index([text[start:end] for start, end in self.spans])

    def claims(self, answer: str, query: str = "") -> list[Claim]:
        """The sentences of an answer, each with the quote that supports it best; empty for an empty answer.

        Numbers of lists, which are sentences without letters, are left out where there are others.
        """
        texts = [answer[start:end] for start, end in sentences(answer)]
        texts = [text for text in texts if any(map(str.isalpha, text))] or texts
        return [self._claim(text, query) for text in texts[:MOST_CLAIMS]] + [
            Claim(text, 0.0) for text in texts[MOST_CLAIMS:]
        ]

    def _claim(self, text: str, query: str) -> Claim:
        if not self.spans:
            return Claim(text, 0.0)
        single, double = self._index.scores(text, query)
        number = int(single.argmax())
        value, start, end = float(single[number]), *self.spans[number]
        if len(double) and double.max() > value:
            number = int(double.argmax())
            value, start, end = float(double[number]), self.spans[number][0], self.spans[number + 1][1]
        return Claim(text, value, Quote(start, end, self.text[start:end])) if value > 0 else Claim(text, 0.0)


def answer_support(claims: Sequence[Claim]) -> float:
    """How well an answer is supported: as its worst claim; 0 without claims."""
    return min((claim.support for claim in claims), default=0.0)
