"""The share of an output's numbers that are the right one, with which LongBench scores its synthetic tasks."""

import re

_NUMBER = re.compile(r"\d+")


def share_right(prediction: str, right: str) -> float:
    """The share of the runs of digits in an output that are `right`, compared as text, 0–100; 0 without any."""
    numbers = _NUMBER.findall(prediction)
    return 100 * numbers.count(right) / len(numbers) if numbers else 0.0
