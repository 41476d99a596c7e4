import random

import pytest

from pipelines.metrics import get
from pipelines.metrics.shared.subsequence import matched


def lsum(prediction: str, *references: str) -> float:
    return get("rouge_lsum").score([prediction], [references])["rouge_lsum"]


def test_each_line_of_the_reference_takes_words_from_every_line_of_the_prediction() -> None:
    assert lsum("c d\na b", "a b\nc d") == 100
    assert lsum("c d a b", "a b c d") == 50
    assert lsum("c d\na b", "a b c d") == 100  # a b of one line, c d of the other


def test_no_more_hits_than_either_text_has_of_a_word() -> None:
    assert lsum("a", "a\na\na") == 50
    assert lsum("a\na\na", "a") == 50


def test_full_stops_split_nothing() -> None:
    assert lsum("C d. A b.", "a b. c d.") == 50


def test_case_and_other_scripts_do_not_count_and_the_best_reference_does() -> None:
    assert lsum("The GULL, the Åle", "x", "the gull the le") == 100


@pytest.mark.parametrize("text", ["", "\n\n", "…"])
def test_a_text_without_words_scores_0(text: str) -> None:
    assert lsum(text, "a gull") == 0
    assert lsum("a gull", text or " ") == 0


def test_of_several_subsequences_the_one_found_from_the_ends_counts() -> None:
    assert matched("ab", "ba") == {0}
    assert matched("abcab", "cab") == {2, 3, 4}
    assert matched("abab", "ab") == {2, 3}
    assert matched("", "ab") == matched("ab", "") == set()


def test_the_score_equals_rouge_score_s_on_random_texts() -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rougeLsum"])
    draw = random.Random(5)
    for _ in range(300):
        prediction, reference = (
            "".join(draw.choice("abcd") + draw.choice(" \n-") for _ in range(draw.randrange(1, 25))) for _ in range(2)
        )
        expected = 100 * scorer.score(reference, prediction)["rougeLsum"].fmeasure
        assert lsum(prediction, reference) == pytest.approx(expected, abs=1e-9)
