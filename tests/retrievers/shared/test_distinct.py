import random

import numpy as np
import pytest

from retrievers.shared.distinct import Stretches, Vocabulary, joined


def stretches(words: list[str], dtype: type[np.unsignedinteger]) -> Stretches:
    codes = np.array(list(map(ord, " ".join(words))), dtype)
    sizes = np.array(list(map(len, words)), np.int64)
    ends = np.cumsum(sizes + 1) - 1
    return Stretches(codes, ends - sizes, ends)


def some_words(letters: str) -> list[str]:
    """Words of all lengths around the borders of 8, 16, 32 and 64 bytes, most of them several times."""
    draw = random.Random(0)
    words = ["".join(draw.choices(letters, k=draw.choice([1, 2, 3, 7, 8, 9, 15, 16, 17]))) for _ in range(3000)]
    words += ["".join(draw.choices(letters[:2], k=k)) for k in range(18, 70) for _ in range(3)]
    return [*words, *words[::-3], "a" * 100_000, "a" * 99_999, "a" * 100_000]


WIDTHS = pytest.mark.parametrize(
    ("letters", "dtype"), [("abcÿ", np.uint8), ("abżЯ中ā", np.uint16), ("ab\U0001d518\U00020bb7", np.uint32)]
)


@WIDTHS
def test_the_first_of_equal_words_is_found(letters: str, dtype: type[np.unsignedinteger]) -> None:
    words = some_words(letters)
    first = {word: number for number, word in reversed(list(enumerate(words)))}
    assert stretches(words, dtype).first_equal().tolist() == [first[word] for word in words]


@WIDTHS
def test_words_are_found_by_their_letters_and_others_are_not(letters: str, dtype: type[np.unsignedinteger]) -> None:
    words = list(dict.fromkeys(some_words(letters)))
    vocabulary = Vocabulary(stretches(words, dtype))
    assert vocabulary.find(words).tolist() == list(range(len(words)))
    known_words = set(words)
    others = [
        "",
        "?",
        "b" * 64,
        "q" * 65,
        *(word + "x" for word in words),
        "\ud800",
        "ｷ" * 3,
        "\U0001f600",
    ]
    assert set(vocabulary.find([word for word in others if word not in known_words]).tolist()) == {-1}
    assert vocabulary.find([]).tolist() == []


def test_an_empty_vocabulary_knows_no_word() -> None:
    assert Vocabulary(stretches([], np.uint8)).find(["a", "b" * 99]).tolist() == [-1, -1]
    assert stretches([], np.uint8).first_equal().tolist() == []


@WIDTHS
def test_stretches_are_cut_out_as_strings(letters: str, dtype: type[np.unsignedinteger]) -> None:
    words = some_words(letters)
    assert stretches(words, dtype).texts() == words
    assert stretches([], dtype).texts() == []


def test_stretches_of_narrow_and_wide_letters_are_joined() -> None:
    parts = [stretches(["ab", "c"], np.uint8), stretches([], np.uint8), stretches(["中", "ab"], np.uint16)]
    whole = joined(parts)
    assert whole.texts() == ["ab", "c", "中", "ab"]
    assert whole.first_equal().tolist() == [0, 1, 2, 0]


def test_words_that_collide_in_small_tables_are_distinguished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrievers.shared.distinct._MAX_TABLE_BITS", 1)  # two places: most words collide
    words = some_words("abcd")[:60] * 2
    first = {word: number for number, word in reversed(list(enumerate(words)))}
    assert stretches(words, np.uint8).first_equal().tolist() == [first[word] for word in words]
    distinct = list(dict.fromkeys(words))
    assert Vocabulary(stretches(distinct, np.uint8)).find(distinct).tolist() == list(range(len(distinct)))
