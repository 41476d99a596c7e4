import pytest

from pipelines.benchmarks.longbench.metrics.rouge_l_longbench import sentences, subsequence
from pipelines.metrics import get


def rouge(prediction: str, *references: str) -> float:
    return get("rouge_l_longbench").score([prediction], [references])["rouge_l_longbench"]


def test_different_words_count_once() -> None:
    assert rouge("gull gull gull ship", "gull gull wall wall") == pytest.approx(50, abs=1e-5)


def test_each_pair_of_sentences_gives_its_words() -> None:
    # a b from the first sentences, c d from the second: in one text of eight words only two would be in order
    assert rouge("a b. c d", "c d. a b") == pytest.approx(100, abs=1e-5)
    assert rouge("a b c d", "c d a b") == pytest.approx(50, abs=1e-5)


def test_of_several_subsequences_the_one_found_from_the_ends_counts() -> None:
    assert subsequence(["a", "b"], ["b", "a"]) == {"b"}
    assert subsequence(["b", "a"], ["a", "b"]) == {"a"}


def test_words_are_found_from_the_reference_s_side() -> None:
    assert rouge("b a", "a b. b") == pytest.approx(50, abs=1e-5)  # from the output's side, a is found too


def test_case_and_punctuation_stay_with_the_words() -> None:
    assert rouge("Gull, ship", "gull ship") == pytest.approx(50, abs=1e-5)
    assert sentences("A 3.5 m gull. \n") == [["A", "3"], ["5", "m", "gull"], [""]]


def test_the_best_reference_counts() -> None:
    assert rouge("a b", "x y", "a b") == pytest.approx(100, abs=1e-5)


@pytest.mark.parametrize("text", ["", ".", "..."])
def test_nothing_but_full_stops_scores_0(text: str) -> None:
    assert rouge(text, "a gull") == rouge("a gull", text) == rouge(text, text) == 0


def test_a_sentence_of_thousands_of_words_is_scored() -> None:
    assert rouge("a " * 3000, "b a") == pytest.approx(100 * 2 / 3, abs=1e-5)
