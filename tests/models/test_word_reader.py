import random

from chunkers.shared.words import word_spans
from models.word_reader import first_words


def test_the_first_words_end_with_the_last_of_them() -> None:
    assert first_words("  Emily was  born. Then", 3) == "  Emily was  born."
    assert first_words("Emily was", 3) == "Emily was"
    assert first_words("Emily was", 0) == first_words("Emily was", -1) == first_words("  ", 3) == ""
    assert first_words("「はい」と、言う", 3) == "「はい」と、"


def test_the_first_words_of_a_long_text_are_those_of_the_whole() -> None:
    draw = random.Random(0)
    for _ in range(3_000):
        text = "".join(draw.choices([*"ab.,—é \n使は「」ก", "x" * 40, " " * 40], k=draw.randrange(60)))
        number = draw.randint(1, 9)
        ends = word_spans(text)[:number, 1].tolist()
        assert first_words(text, number) == text[: ends[-1] if ends else 0]
