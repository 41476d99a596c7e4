"""Only the parts of a long text that may change are normalized; the result is the same as for the whole text."""

import random
import sys
import unicodedata

import numpy as np
import pytest
import regex

from longdoc import characters
from longdoc.characters import (
    code_points,
    compatible_form,
    compatible_form_without_points,
    different_characters,
    foreign_characters,
    foreign_positions,
    normal_form,
    positions_of,
    without_points,
)
from tests.turns import for_each


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


def test_each_different_character_is_checked_once() -> None:
    checked: list[str] = []
    assert not len(positions_of(code_points("“a” “b” é" * 1000), lambda char: bool(checked.append(char))))
    assert checked == ["é", "“", "”"]


def test_an_empty_text_has_no_characters() -> None:
    assert different_characters(np.empty(0, np.uint16)) == []


CHARACTERS = (
    "abzAZ09_ .\n\0\u0301\u0300\u0327\u0e33\u0e01\u0e48中ｶﾞ\u3099がßİΣﬁ½²\u00ad\u200d\u200b\u2060\ufeff\ud800\udfff"
    "😀𝔘𐐀\U000e0100हिन्दी\u1160\u3164\uffa0가ᄀ\u1161\u11a8é“”…\u00a0\u0640ش\u05c1\ufb2a\u0344\u212b\U00016d67"
)


def nfkc_of_the_whole(text: str) -> str:
    """The form of a text by normalizing all of it."""
    return unicodedata.normalize("NFKC", regex.sub(r"\p{Default_Ignorable_Code_Point}+", "", text))


@pytest.mark.parametrize("share_of_foreign", [0.002, 0.02, 0.3, 1.0])
def test_a_long_text_has_the_same_form_as_when_normalized_whole(share_of_foreign: float) -> None:
    draw = random.Random(repr(share_of_foreign))
    for _ in range(30):
        length = draw.randrange(2_001, 6_000)
        text = "".join(draw.choice(CHARACTERS) if draw.random() < share_of_foreign else "x" for _ in range(length))
        assert compatible_form(text) == nfkc_of_the_whole(text)
        assert compatible_form_without_points(text) == without_points(nfkc_of_the_whole(text))
        assert normal_form(text) == nfkc_of_the_whole(text).lower()
        assert foreign_characters(text) == {char for char in text if not char.isascii()}


@for_each("middle", ["e\u0301", "\u0301", "ﬁ", "ᄀ\u1161\u11a8", "\u200be\u200b\u0301", "ש\u05c1"])
@for_each("position", [0, 1_000, 3_000])
def test_a_run_is_normalized_with_the_character_before_it(middle: str, position: int) -> None:
    text = "x" * position + middle + "x" * (3_000 - position)
    assert compatible_form(text) == nfkc_of_the_whole(text)


def test_every_other_character_is_its_own_form_and_joins_none_before_it() -> None:
    every_character = [chr(code) for code in range(128, sys.maxunicode + 1) if unicodedata.category(chr(code)) != "Cn"]
    stable = {char for char in every_character if not characters._may_change(char)}
    assert len(stable) > 100_000
    assert all(unicodedata.normalize("NFKC", char) == char and not unicodedata.combining(char) for char in stable)
    decompositions = (unicodedata.decomposition(char).split() for char in every_character)
    second = {chr(int(parts[1], 16)) for parts in decompositions if len(parts) == 2 and not parts[0].startswith("<")}
    hangul = {
        part for syllable in map(chr, range(0xAC00, 0xD7A4)) for part in unicodedata.normalize("NFD", syllable)[1:]
    }
    assert len(hangul) == 21 + 27
    assert not stable & (second | hangul)


def test_each_part_that_may_change_is_normalized_once_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    normalized: list[str] = []

    def recording(text: str) -> str:
        normalized.append(text)
        return unicodedata.normalize("NFKC", text)

    monkeypatch.setattr(characters, "_nfkc", recording)
    text = "“plain” text – with quotes, 王小明, café and “”. " * 5_000
    assert compatible_form(f"\ufeff{text}cafe\u0301 ﬁne {text}cafe\u0301") == f"{text}café fine {text}café"
    assert normalized == ["e\u0301", " ﬁ"], "each run once, with the character before it"
