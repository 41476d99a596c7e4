from math import exp

import pytest

from longdoc.errors import UserError
from pipelines.metrics import examples, get

REFERENCES = ["the gull sat", "a gull is on the wall"]


def test_a_row_holds_clipped_matches_and_totals_of_each_order_and_both_lengths() -> None:
    (example,) = examples([""], [REFERENCES])
    assert get("bleu:n=2").statistics("The gull, the gull, the gull sat", example) == {
        "matches-1": 3.0,  # the, gull, sat: once each in any one reference
        "total-1": 7.0,
        "matches-2": 2.0,  # the gull, gull sat
        "total-2": 6.0,
        "hypothesis": 7.0,
        "reference": 6.0,
    }


def test_of_two_reference_lengths_as_close_the_shorter_counts() -> None:
    (example,) = examples([""], [["one two three four", "one two"]])
    assert get("bleu-1").statistics("x y z", example)["reference"] == 2


def test_counts_are_summed_over_the_corpus_first() -> None:
    scores = get("bleu-1").score(["a b c", "x"], [["a b c"], ["y"]])
    assert scores == {"bleu-1": pytest.approx(75, abs=1e-6)}


def test_orders_are_joined_by_their_geometric_mean() -> None:
    scores = get("bleu:n=2").score(["a b x c"], [["a b c d"]])
    assert scores == {"bleu-2": pytest.approx(100 * (3 / 4 * 1 / 3) ** 0.5, abs=1e-6)}


def test_a_short_corpus_has_the_brevity_penalty() -> None:
    assert get("bleu-1").score(["a b"], [["a b c"]])["bleu-1"] == pytest.approx(100 * exp(1 - 3 / 2), abs=1e-6)


def test_a_long_corpus_has_no_penalty() -> None:
    assert get("bleu-1").score(["a b c d"], [["a b"]])["bleu-1"] == pytest.approx(50, abs=1e-6)


def test_outputs_without_a_token_score_0() -> None:
    assert get("bleu-4").score(["", "?"], [["a b"], ["!"]]) == {"bleu-4": 0.0}


def test_a_text_shorter_than_the_order_scores_near_0_however_right() -> None:
    # two orders have no n-gram: each is 1e-15 / 1e-9
    assert get("bleu-4").score(["a b"], [["a b"]])["bleu-4"] == pytest.approx(100 * (1e-6**2) ** 0.25, abs=1e-6)


def test_n_is_at_least_1() -> None:
    with pytest.raises(UserError, match="n must be 1 to 100, got 0"):
        get("bleu:n=0")
