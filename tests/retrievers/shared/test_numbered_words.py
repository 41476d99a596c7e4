import random
import re
import unicodedata

import numpy as np
import pytest

from longdoc.words import terms
from retrievers.shared import numbered_words
from retrievers.shared.counts import SCIKIT_LEARN_WORDS, TERMS, Words
from retrievers.shared.numbered_words import NumberedWords

CHARACTERS = (
    "abzAZ09_ .,-/()\n\r\x1d\0\u0301\u0300\u0e33\u0e01\u0e48中文ーｰｱﾞ\u3099"
    "かがßİıΣσςﬁ½²\u00ad\u200d\u200b\u2060\ufeff\ud800\udfff"
    "😀𝔘𐐀𠮷\U000e0100हिन्दी\u1160\u3164\uffa0가ᄀ\u1161\u11a8é“”"
)


def words_of(texts: list[str], words: Words) -> list[list[str]]:
    """The words of each text, as `NumberedWords` numbers them together."""
    numbered = NumberedWords.of(texts, words.splitting)
    different = numbered.distinct.texts()
    every = [different[number] for number in numbered.ids]
    assert different == list(dict.fromkeys(every)), "they are numbered in the order of their first places"
    rows = [every[start:end] for start, end in zip(numbered.ends[:-1], numbered.ends[1:], strict=True)]
    return [[word for word in words if word[0] != "\n"] for words in rows]  # those that open lines: see test_counts


def expected(text: str, words: Words) -> list[str]:
    if words is SCIKIT_LEARN_WORDS:
        return re.findall(r"(?u)\b\w\w+\b", text.lower())
    return [word for word in terms(text) if len(word) > 1 or word.isdecimal() or unicodedata.category(word) == "Lo"]


@pytest.mark.parametrize("words", [TERMS, SCIKIT_LEARN_WORDS], ids=["terms", "scikit-learn"])
@pytest.mark.parametrize("block", [1, 20, 1 << 20])
def test_the_words_of_random_texts_are_those_of_each_text(
    words: Words, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbered_words, "_BLOCK", block)
    draw = random.Random(block)
    for _ in range(150):
        letters = draw.choice([CHARACTERS, "ab \n", "ab中\u0301", "a1٣中\u0301.,-/() ", draw.sample(CHARACTERS, 6)])
        texts = [
            "".join(draw.choices(letters, k=draw.choice([0, 1, 2, 5, 30, 300]))) for _ in range(draw.randint(0, 6))
        ]
        assert words_of(texts, words) == [expected(text, words) for text in texts]


@pytest.mark.parametrize("words", [TERMS, SCIKIT_LEARN_WORDS], ids=["terms", "scikit-learn"])
def test_every_character_is_split_as_in_a_text_of_its_own(words: Words) -> None:
    characters = [char for char in map(chr, range(0x3100)) if unicodedata.category(char) != "Cn"]
    texts = [f"{c} a{c}b {c}{c} 中{c}文 {c}\u0301x Σ{c} {c}中中中 \n{c}" for c in characters]
    assert words_of(texts, words) == [expected(text, words) for text in texts]


def test_a_word_of_millions_of_letters_is_one_word() -> None:
    numbered = NumberedWords.of(["x" * 3_000_000, "y", "x" * 3_000_000], TERMS.splitting)
    assert numbered.ids.tolist() == [0, 0] and numbered.ends.tolist() == [0, 1, 1, 2]


def test_texts_without_words_have_none() -> None:
    for texts in ([], [""], ["", "?"], ["a", "\u0301", "\n\n"]):
        numbered = NumberedWords.of(texts, TERMS.splitting)
        assert numbered.ends.tolist() == [0] * (len(texts) + 1) and numbered.ids.dtype == np.int32
