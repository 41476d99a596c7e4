import numpy as np
import pytest

from longdoc.code_points import code_points, different_characters, foreign_positions, positions_of


@pytest.mark.parametrize(
    ("text", "width"), [("", 1), ("plain", 1), ("naïve", 2), ("“so”", 2), ("\ud83d\ude00", 2), ("😀 é", 4)]
)
def test_code_points_are_those_of_python_in_the_narrowest_of_three_widths(text: str, width: int) -> None:
    codes = code_points(text)
    assert codes.tolist() == list(map(ord, text))
    assert codes.dtype.itemsize == width


def test_characters_beyond_ascii_are_found_with_their_positions() -> None:
    codes = code_points("a“b” ÿ “")
    assert foreign_positions(codes).tolist() == [1, 3, 5, 7]
    assert different_characters(codes) == [" ", "a", "b", "ÿ", "“", "”"]
    assert positions_of(codes, "“ÿ".__contains__).tolist() == [1, 5, 7]


def test_each_different_character_is_asked_for_once() -> None:
    asked: list[str] = []
    assert not len(positions_of(code_points("“a” “b” é" * 1000), lambda char: bool(asked.append(char))))
    assert asked == ["é", "“", "”"]


def test_no_text_has_no_characters() -> None:
    assert different_characters(np.empty(0, np.uint16)) == []
