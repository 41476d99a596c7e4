"""Counts in messages, with their nouns."""

import pytest

from longdoc.messages import counted


@pytest.mark.parametrize(
    ("number", "noun", "plural", "text"),
    [
        (0, "document", "", "0 documents"),
        (1, "document", "", "1 document"),
        (2, "document", "", "2 documents"),
        (1200, "example", "", "1,200 examples"),
        (1, "reply", "replies", "1 reply"),
        (3, "reply", "replies", "3 replies"),
    ],
)
def test_a_count_has_its_noun_in_the_right_number(number: int, noun: str, plural: str, text: str) -> None:
    assert counted(number, noun, plural) == text
