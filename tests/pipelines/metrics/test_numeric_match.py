import pytest

from longdoc.errors import UserError
from pipelines.metrics import get


@pytest.mark.parametrize("reference", ["$1577.00", "65.4%", "-1.1", "(1,234)", "$2.3 billion", "2,018mn", "~ 5 USD."])
def test_a_number_with_signs_and_units_around_it_is_read_as_one(reference: str) -> None:
    assert get("numeric_match").takes([reference])
    assert get("numeric_match").score([f"It was {reference}"], [[reference]]) == {"numeric_match": 100}


@pytest.mark.parametrize("reference", ["", "FY2018", "1.5x", "from 2 to 3", "Yes, 12 of them", "1.2.3", "9" * 50])
def test_other_references_are_not_numbers(reference: str) -> None:
    assert not get("numeric_match").takes([reference])


@pytest.mark.parametrize(
    "prediction, reference, value",
    [
        ("1,577 million USD in 2018", "$1577.00", 100),
        ("0.654 of the sales", "65.4%", 100),
        ("about 1.56bn", "$1,560 million", 100),
        ("a fall of 1.1 %", "-1.1", 100),
        ("1.015 or so", "1", 0),
        ("1.01", "1", 100),
        ("1212", "12", 0),
        ("no figure", "12", 0),
        ("0", "0", 100),
        ("0.001", "0", 0),
    ],
)
def test_an_output_is_right_when_any_of_its_numbers_is_the_reference(
    prediction: str, reference: str, value: int
) -> None:
    assert get("numeric_match").score([prediction], [[reference]]) == {"numeric_match": value}


def test_the_tolerance_is_a_share_of_the_reference() -> None:
    assert get("numeric_match:tolerance=0.1").score(["110"], [["100"]]) == {"numeric_match": 100}
    assert get("numeric_match:tolerance=0").score(["100.1"], [["100"]]) == {"numeric_match": 0}
    with pytest.raises(UserError, match="tolerance must be from 0 to below 1"):
        get("numeric_match:tolerance=1.5")
