import pytest

from longdoc.errors import UserError
from pipelines.metrics import get


def index(prediction: str, *references: str) -> dict[str, float]:
    return get("concordance_index").score([prediction], [references])


@pytest.mark.parametrize(
    ("prediction", "right"), [("1, 2, 3, 4", 6), ("2, 1, 3, 4", 5), ("4, 1, 2, 3", 3), ("4, 3, 2, 1", 0)]
)
def test_the_score_is_the_share_of_pairs_in_the_right_order(prediction: str, right: int) -> None:
    assert index(prediction, "1, 2, 3, 4") == {"concordance_index": pytest.approx(100 * right / 6), "no_permutation": 0}


def test_the_order_of_the_reference_counts_not_that_of_the_numbers() -> None:
    assert index("3, 1, 2", "3, 1, 2")["concordance_index"] == 100


@pytest.mark.parametrize("prediction", ["Order: 2, 1, 3.", "2 1 3", "2,1,3", "[2]\n[1]\n[3]", "(02), 01, 3"])
def test_all_but_digits_commas_and_white_space_is_discarded(prediction: str) -> None:
    assert index(prediction, "2, 1, 3") == {"concordance_index": 100, "no_permutation": 0}


@pytest.mark.parametrize("prediction", ["", "1, 2", "1, 2, 2", "1, 2, 3, 4", "1-2-3", "Of 3: 1, 2, 3", "9" * 5000])
def test_an_output_that_is_no_permutation_scores_0_and_is_counted(prediction: str) -> None:
    assert index(prediction, "1, 2, 3") == {"concordance_index": 0, "no_permutation": 100}


def test_the_best_reference_counts() -> None:
    assert index("1, 2, 3", "3, 2, 1", "1, 3, 2", "1, 2")["concordance_index"] == pytest.approx(200 / 3)


def test_one_number_is_in_order() -> None:
    assert index("Order: 1", "1") == {"concordance_index": 100, "no_permutation": 0}


@pytest.mark.parametrize("reference", ["", "none", "1, 2, 1"])
def test_a_reference_that_is_no_order_is_refused(reference: str) -> None:
    with pytest.raises(UserError, match="must list different numbers"):
        index("1, 2", reference)
