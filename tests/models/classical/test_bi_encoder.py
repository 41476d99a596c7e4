"""The bi-encoder over a stand-in encoder that counts the texts it encodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import models
from longdoc.errors import UserError
from models import Compare, TrainingExample, encoders
from models.encoders import Split, Vectors


@dataclass(frozen=True)
class Letters:
    """An encoder whose vectors are the counts of a, b and c."""

    calls: ClassVar[list[int]] = []

    def encode(self, texts: Sequence[str], kind: str) -> Vectors:
        self.calls.append(len(texts))
        return np.array([[text.count(letter) for letter in "abc"] for text in texts], np.float32)

    def identity(self) -> Mapping[str, Any]:
        return {"model": "letters"}


@pytest.fixture(autouse=True)
def letters(monkeypatch: pytest.MonkeyPatch) -> None:
    Letters.calls.clear()
    monkeypatch.setattr(encoders, "get", lambda spec, **fields: Letters())


class ThreeLetters(Letters):
    """`Letters` with a limit of three letters."""

    def max_tokens(self) -> int | None:
        return 3

    def split(self, texts: Sequence[str], kind: str) -> list[Split]:
        return [Split(len(text), max(0, len(text) - 3), ((0, len(text)),)) for text in texts]


TEXTS = ("aaab", "aab", "bbbc", "ccc", "")


def test_the_probability_is_the_logistic_of_the_cosine() -> None:
    (reply,) = models.get("bi_encoder:scale=4,bias=-2").reply([Compare(("ab", "a", "b"), ((0, 1), (1, 2), (0, 0)))])
    assert reply.value == pytest.approx([1 / (1 + np.exp(2 - 4 * cosine)) for cosine in (0.5**0.5, 0, 1)], abs=1e-5)


def test_a_text_is_encoded_once_for_all_rounds_of_its_document() -> None:
    reader = models.get("bi_encoder:scale=4,bias=-2")
    for pairs in (((0, 1), (1, 2)), ((0, 2), (0, 3), (2, 3)), ((0, 4),)):
        reader.reply([Compare(TEXTS, pairs)])
    assert Letters.calls == [5]


def test_tokens_over_the_encoder_s_limit_are_counted_in_every_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = models.get("bi_encoder:scale=4,bias=-2")
    assert reader.reply([Compare(TEXTS, ((0, 1),))])[0].truncated_tokens == 0, "an encoder that does not know its limit"
    monkeypatch.setattr(encoders, "get", lambda spec, **fields: ThreeLetters())
    reader = models.get("bi_encoder:scale=4,bias=-2")
    replies = reader.reply([Compare(TEXTS, ((0, 1),)), Compare(TEXTS, ((1, 2),)), Compare(("a", "b"), ((0, 1),))])
    assert [reply.truncated_tokens for reply in replies] == [2, 2, 0]


def test_an_unfitted_reader_has_defaults_and_one_with_scale_and_bias_needs_no_fitting() -> None:
    assert models.get("bi_encoder").fitted is False  # type: ignore[attr-defined]
    (reply,) = models.get("bi_encoder").reply([Compare(("a", "a", "b"), ((0, 1), (1, 2)))])
    assert [value >= 0.5 for value in reply.value] == [True, False]
    assert models.get("bi_encoder:scale=4,bias=-2").fitted is True  # type: ignore[attr-defined]
    with pytest.raises(UserError, match="give scale and bias together"):
        models.get("bi_encoder:scale=4")


def test_scale_and_bias_are_learned_so_that_one_half_separates_the_classes() -> None:
    reader = models.get("bi_encoder")
    texts = ("aaab", "aaa", "abbbb", "bbb")
    training_examples = [
        TrainingExample(Compare(texts[: n + 2], ()), (",".join("1122"[: n + 2]),)) for n in (2, 1, 2, 1)
    ]
    reader.fit(training_examples)  # type: ignore[attr-defined]
    (reply,) = reader.reply([Compare(texts, ((0, 1), (2, 3), (0, 2), (1, 3)))])
    assert [value >= 0.5 for value in reply.value] == [True, True, False, False]


def test_the_encoder_is_on_record() -> None:
    assert models.get("bi_encoder", device="cpu").resolve() == {"model": "letters", "device": "cpu"}  # type: ignore
