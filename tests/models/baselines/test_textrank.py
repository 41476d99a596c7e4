"""TextRank: weights and scores by hand, selection in document order."""

from math import log

import numpy as np
import pytest

import models
from longdoc.errors import UserError
from models import Generate, Reply
from models.baselines._sentences import analyse
from models.baselines.textrank import MAX_SENTENCES, scores, similarities

SENTENCES = (
    "Old ships carry red tea.",
    "Red tea grows in rainy valleys.",
    "Ships carry tea.",
    "Owls sleep all day long.",
)


def textrank(text: str, length: int, **fields: object) -> Reply:
    return models.get("textrank", **fields).reply([Generate(text, length)])[0]


def test_weights_are_common_words_over_the_logarithms_of_the_lengths() -> None:
    weights = similarities([analyse(text) for text in SENTENCES])
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = 2 / (log(5) + log(6))  # red, tea
    expected[0, 2] = expected[2, 0] = 3 / (log(5) + log(3))  # ship, carry, tea
    expected[1, 2] = expected[2, 1] = 1 / (log(6) + log(3))  # tea
    np.testing.assert_allclose(weights, expected, rtol=1e-6)


def test_two_sentences_of_one_word_have_a_finite_weight() -> None:
    assert similarities([analyse("Ships"), analyse("ships")])[0, 1] == pytest.approx(1 / log(2))


def test_scores_are_the_fixed_point_of_the_papers_equation() -> None:
    weights = similarities([analyse(text) for text in SENTENCES])
    ranks = scores(weights)
    outward = weights.sum(axis=1)
    for i in range(4):
        inward = sum(weights[j, i] / outward[j] * ranks[j] for j in range(4) if weights[j, i])
        assert ranks[i] == pytest.approx(0.15 + 0.85 * inward, abs=2e-4)
    assert ranks[3] == pytest.approx(0.15)
    assert ranks.argmax() == 0


def test_the_best_sentences_come_in_document_order() -> None:
    text = " ".join(("Owls sleep all day long.", "Red tea grows in rainy valleys.", "Old ships carry red tea."))
    assert textrank(text, 5).value == "Old ships carry red tea."
    assert textrank(text, 11).value == "Red tea grows in rainy valleys. Old ships carry red tea."


def test_a_sentence_that_does_not_fit_is_passed_over() -> None:
    text = "Old ships carry red tea. Red tea grows in rainy valleys there. Ships do carry something."
    assert textrank(text, 9).value == "Old ships carry red tea. Ships do carry something."


def test_where_no_sentence_fits_the_best_is_cut() -> None:
    reply = textrank("Owls sleep all day long. Red tea grows well. Old ships carry red tea.", 2)
    assert (reply.value, reply.finish_reason) == ("Red tea", "length")


def test_equal_sentences_count_once() -> None:
    assert textrank("Old ships carry red tea. Old ships carry red tea. Red tea grows well.", 50).value == (
        "Old ships carry red tea. Red tea grows well."
    )


def test_only_the_first_of_very_many_sentences_are_ranked() -> None:
    text = " ".join(f"Ship number{i} carries tea{i}." for i in range(MAX_SENTENCES + 1))
    assert f"tea{MAX_SENTENCES}" not in textrank(text, 10**6).value
    assert f"tea{MAX_SENTENCES - 1}." in textrank(text, 10**6).value


@pytest.mark.parametrize("spec", ["textrank:damping=0.5", "textrank:max_input_tokens=0"])
def test_wrong_numbers_are_refused(spec: str) -> None:
    with pytest.raises(UserError):
        models.get(spec)
