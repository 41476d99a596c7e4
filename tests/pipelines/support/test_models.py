"""Support scores by models: what they are asked, and that quotes are the document's own whatever they say."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from longdoc.errors import UserError
from models.encoders import Kind, Split, Vectors
from models.reader import Reader
from models.requests import Generate, Reply, Request, Score
from pipelines import support
from pipelines.support import MOST_CLAIMS, Support, SupportedDocument, answer_support
from pipelines.support.cross_encoder import CrossEncoder

TEXT = "Anna Berg opened the meeting. The harbour costs 1,200 crowns.\n\nThe clerk wrote the minutes in May."
HOSTILE = (
    'It says "The harbour costs 9,999 crowns and more."',  # invented
    "Call me Ishmael.",  # of another document
    "",
    "\ud800 \x00 \u202e Anna",
    "Anna Berg opened the meeting. " * 10_000,
    "…!?",
)


class Letters:
    """Encodes a text as how often it has each letter."""

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        return np.array([[text.lower().count(chr(97 + n)) + 0.01 for n in range(26)] for text in texts], np.float32)

    def identity(self) -> Mapping[str, Any]:
        return {"model": "letters"}


class Longest:
    """A relevance model that likes long texts."""

    def __init__(self) -> None:
        self.read: list[tuple[str, str]] = []

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.read += [(query, text) for text in texts]
        return [len(text) / 10 for text in texts]

    def max_tokens(self, kind: Kind) -> int:
        return 100

    def split(self, texts: Sequence[str], kind: Kind) -> list[Split]:
        return [Split(1, 0, ((0, len(text)),)) for text in texts]


class Saying(Reader):
    """A reader that writes a text, or scores "yes"."""

    def __init__(self, value: Any, kind: type = Generate) -> None:
        self.value, self.supports, self.requests = value, frozenset({kind}), list[Request]()

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        self.requests += requests
        return [self._reply(request) for request in requests]

    def _reply(self, request: Request) -> Reply:
        if isinstance(request, Score):
            return Reply(self.value if request.continuation == "yes" else 0.0)
        return Reply(self.value) if isinstance(self.value, str) else Reply.failed("no server")


def cross_encoder(**fields: Any) -> CrossEncoder:
    score = CrossEncoder(**fields)
    score._loaded.append(Longest())
    return score


def scores() -> list[Support]:
    return [
        support.get("embedding", model=Letters()),
        cross_encoder(),
        support.get("prompted", model=Saying("Yes, it is.")),
        support.get("prompted", model=Saying("I was told to ignore that; <quote>invented</quote>")),
        support.get("prompted", model=Saying("")),
        support.get("prompted", model=Saying(-2.5, Score)),
    ]


@pytest.mark.parametrize("score", scores())
@pytest.mark.parametrize("text", [TEXT, "", "x"])
def test_every_quote_is_a_stretch_of_the_document_whatever_is_said(score: Support, text: str) -> None:
    document = SupportedDocument(text, score)
    for answer in HOSTILE:
        claims = document.claims(answer, "What is it?")
        quotes = [claim.quote for claim in claims if claim.quote is not None]
        assert all(text[quote.start : quote.end] == quote.text != "" for quote in quotes)
        assert all(0 <= claim.support <= 1 for claim in claims)
        assert len(quotes) <= MOST_CLAIMS


def test_an_embedding_compares_the_claim_behind_its_question() -> None:
    document = SupportedDocument(TEXT, support.get("embedding", model=Letters()))
    (claim,) = document.claims("1,200 crowns", "The harbour costs")
    assert claim.quote is not None
    assert claim.quote.text == "The harbour costs 1,200 crowns."
    assert claim.support == pytest.approx(1.0, abs=1e-3)


def test_a_cross_encoder_reads_the_candidates_with_most_words_in_common_alone() -> None:
    score = cross_encoder(candidates=2)
    SupportedDocument(TEXT, score).claims("1,200 crowns.", "What does the harbour cost?")
    (model,) = score._loaded
    assert isinstance(model, Longest)
    assert [text for _, text in model.read] == [
        "The harbour costs 1,200 crowns.",
        "Anna Berg opened the meeting. The harbour costs 1,200 crowns.",
    ]
    assert {query for query, _ in model.read} == {"What does the harbour cost?\n1,200 crowns."}


def test_a_model_is_asked_for_yes_or_no_and_scores_are_shares() -> None:
    reader = Saying("yes")
    (claim,) = SupportedDocument(TEXT, support.get("prompted", model=reader)).claims("the clerk", "Who wrote?")
    (request, *_) = reader.requests
    assert isinstance(request, Generate)
    assert (request.choices, claim.support) == (("yes", "no"), 1.0)
    assert "The clerk wrote the minutes in May." in str(request.prompt.text)  # type: ignore[union-attr]
    (claim,) = SupportedDocument(TEXT, support.get("prompted", model=Saying(-2.0, Score))).claims("the minutes")
    assert claim.support == pytest.approx(1 / (1 + np.exp(2)))


def test_without_a_word_in_common_nothing_is_read() -> None:
    reader = Saying("yes")
    claims = SupportedDocument(TEXT, support.get("prompted", model=reader)).claims("gulls", "seagulls")
    assert (answer_support(claims), reader.requests) == (0.0, [])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"name": "prompted", "model": "linear"}, "writes no text"),
        ({"name": "prompted", "model": "constant:yes", "candidates": 0}, "candidates must be at least 1, got 0"),
        ({"name": "cross_encoder", "candidates": 0}, "candidates must be at least 1, got 0"),
        ({"name": "embedding", "model": "/no/such/folder"}, "folder"),
    ],
)
def test_what_cannot_score_is_refused(spec: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        SupportedDocument(TEXT, support.get(spec)).claims("Anna")


def test_a_request_that_fails_is_an_error_in_a_line() -> None:
    with pytest.raises(UserError, match=r"^prompted: no server$"):
        SupportedDocument(TEXT, support.get("prompted", model=Saying(None))).claims("Anna")
