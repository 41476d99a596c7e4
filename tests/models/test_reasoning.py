"""Outputs without what the model thought aloud."""

import pytest

from models.reasoning import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Anna", "Anna"),
        ("", ""),
        ("<think>a\nb</think>\n\nAnna", "Anna"),
        ("<think></think>Anna<think>c</think> Tom", "AnnaTom"),
        ("opened by the template</think>\nAnna", "Anna"),
        ("<think>cut off at the leng", ""),
        ("Anna <think>cut off", "Anna "),
        ("a < b, and </thin>", "a < b, and </thin>"),
    ],
)
def test_blocks_are_taken_out(text, shown):
    assert visible(text) == shown
