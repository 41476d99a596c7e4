"""Numbers and dates of an answer that the passages do not have, however either writes them."""

import pytest

from pipelines.plugins.ask.unsupported_numbers import unsupported_numbers
from tests.turns import for_each


@for_each(
    ("answer", "source"),
    [
        ("It was built in 1987 [1].", "Built in 1987."),
        ("It cost 1200 crowns.", "It cost 1,200 crowns."),
        ("It cost 1.200 crowns.", "It cost 1200.00 crowns."),
        ("It cost 1,577.5.", "1.577,50"),
        ("Twelve, 12 in digits.", "There were twelve."),
        ("25 men, 205 women, 1200 hens", "twenty-five men, two hundred and five women, twelve hundred hens"),
        ("the 3rd of 20", "the third of twenty"),
        ("World War 2", "World War II"),
        ("$1.577 billion", "1,577 (in millions)"),
        ("05/12/2020", "May 12, 2020"),
        ("On 3 March 2020", "2020-03-03"),
        ("24.12.1990", "on December 24, 1990"),
        ("Sept. 5, 1990", "5 September 1990"),
        ("1. The mill.\n2. The town.", "mill and town"),
        ("30 km² of forest", "30 km of forest"),
        ("It may be so, said Mr March.", "Nothing."),
        ("No numbers but these [7], [12].", "Nothing."),
    ],
)
def test_a_number_that_a_source_writes_differently_is_supported(answer: str, source: str) -> None:
    assert unsupported_numbers(answer, ["", source]) == []


@pytest.mark.parametrize(
    ("answer", "source", "numbers"),
    [
        ("It was built in 1987 [1].", "Built in 1978.", ["1987"]),
        ("Built in 1987, sold in 1990, gone in 1987.", "1991", ["1987", "1990"]),
        ("It has 5 rooms.", "It has 55 rooms.", ["5"]),
        ("On March 3, 2020.", "On April 3, 2020.", ["March"]),
        ("On the 3rd of March", "On the 3rd of April", ["March"]),
        ("$2.6 billion", "1,577 (in millions)", ["2.6"]),
        ("3.5 percent", "35 percent", ["3.5"]),
        ("24.12.1990", "December 25, 1990", ["24.12.1990"]),
    ],
)
def test_a_number_that_no_source_has_is_named_as_the_answer_writes_it(
    answer: str, source: str, numbers: list[str]
) -> None:
    assert unsupported_numbers(answer, [source, "Nothing."]) == numbers
