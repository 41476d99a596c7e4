import pytest

from pipelines.metrics import get


def rouge(prediction: str, *references: str) -> dict[str, float]:
    return get("rouge").score([prediction], [references])


def test_each_kind_is_twice_the_common_over_the_sum() -> None:
    scores = rouge("the gull sat on the wall", "the grey gull sat")
    assert scores["rouge1"] == pytest.approx(100 * 2 * 3 / 10)
    assert scores["rouge2"] == pytest.approx(100 * 2 * 1 / 8)
    assert scores["rougeL"] == pytest.approx(100 * 2 * 3 / 10)


def test_each_kind_takes_its_own_best_reference() -> None:
    scores = rouge("a b c d", "d c b a", "a b x y z")
    assert scores["rouge1"] == 100
    assert scores["rouge2"] == pytest.approx(100 * 2 * 1 / 7)
    assert scores["rougeL"] == pytest.approx(100 * 2 * 2 / 9)


def test_the_geometric_mean_is_that_of_the_three_means() -> None:
    scores = get("rouge").score(["a b", "a b"], [["a b"], ["b a"]])
    assert scores == pytest.approx(
        {"rouge1": 100, "rouge2": 50, "rougeL": 75, "geometric_mean": (100 * 50 * 75) ** (1 / 3)}
    )


def test_one_kind_of_0_makes_the_geometric_mean_0() -> None:
    assert rouge("gull", "gull") == {"rouge1": 100, "rouge2": 0, "rougeL": 100, "geometric_mean": 0}


def test_a_repeated_word_counts_as_often_as_both_have_it() -> None:
    assert rouge("gull gull gull", "gull gull ship")["rouge1"] == pytest.approx(100 * 2 * 2 / 6)


def test_words_are_not_stemmed_and_case_and_punctuation_do_not_count() -> None:
    assert rouge("Gull's,\nNEST", "gull s nest")["rougeL"] == 100
    assert rouge("gulls", "gull")["rouge1"] == 0


def stemmed(prediction: str, *references: str) -> dict[str, float]:
    return get("rouge:stemming=true").score([prediction], [references])


def test_words_of_more_than_three_letters_may_be_compared_by_their_stems() -> None:
    assert stemmed("gulls", "gull")["rouge1"] == 100
    assert stemmed("running ponies relational", "run poni relate")["rougeL"] == 100
    assert stemmed("was", "wa")["rouge1"] == 0  # three letters
    assert stemmed("naïvely", "na vely")["rouge2"] == 100


def test_the_signature_says_whether_words_are_stemmed() -> None:
    plain, stems = get("rouge").signature, get("rouge:stemming=true").signature
    assert "|stemming:no|" in plain
    assert stems == plain.replace("stemming:no", "stemming:porter, over 3 letters")


def test_stemmed_scores_are_rouge_score_s() -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="rouge-score is of the extra dev")
    one = "The researchers were studying relational databases and their histories; generously, he denied flying."
    other = "A researcher studied the relations of a database's history, generous and denying to have flown."
    expected = scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True).score(other, one)
    scores = stemmed(one, other)
    assert {key: scores[key] for key in expected} == {
        key: pytest.approx(100 * f.fmeasure) for key, f in expected.items()
    }
    assert scores["rouge1"] > rouge(one, other)["rouge1"]


def test_letters_outside_ascii_separate_words() -> None:
    assert rouge("naïve", "na ve")["rouge2"] == 100


def test_line_breaks_make_no_difference() -> None:
    assert rouge("a b\nc d", "c d\na b")["rougeL"] == rouge("a b c d", "c d a b")["rougeL"] == 50
