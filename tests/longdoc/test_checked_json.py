"""Numbers of records are bounded, so that no sum of them overflows."""

from math import inf, nan

from longdoc import checked_json


def test_numbers_are_bounded_and_may_be_nan_or_infinite_but_not_none() -> None:
    assert all(map(checked_json.number, (0, -1.5, 10**15, 1e15, -(10**15), nan, inf, -inf)))
    assert not any(map(checked_json.number, (10**15 + 1, 1e308, -1e308, 10**4000, "1", None)))
