import re

import pytest

from chunkers.shared.heading_numbers import COUNTER, roman, value
from tests.turns import for_each


@for_each(
    ("counter", "number"),
    [
        ("7", 7), ("12a", 12), ("3-2", 3), ("No. 5", 5), ("#6", 6), ("IV", 4), ("XLIX", 49), ("one", 1),
        ("Nineteen", 19), ("TWENTY", 20), ("Twenty-One", 21), ("ninety nine", 99), ("the First", 1),
        ("THE TWENTIETH", 20), ("A", None), ("the last", None), ("\\thechapter", None),
    ],
)  # fmt: skip
def test_counters_and_their_numbers(counter: str, number: int | None) -> None:
    assert re.fullmatch(COUNTER, counter)
    assert value(counter) == number


@pytest.mark.parametrize("word", ["and", "", "IIII", "thirty-ten", "1234", "of", "twentyone"])
def test_other_words_are_not_counters(word: str) -> None:
    assert not re.fullmatch(COUNTER, word)


def test_roman_numerals_are_well_formed_capitals() -> None:
    assert [roman(numeral) for numeral in ("MCMXCIV", "iv", "", "IC")] == [None, None, None, None]
    assert [roman(numeral) for numeral in ("XCIV", "CD", "IX", "CM")] == [94, 400, 9, 900]
