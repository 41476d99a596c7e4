from chunkers import Chunk
from chunkers.whole import Whole


def test_the_chunk_is_exactly_the_text() -> None:
    assert Whole().split("\n a text \n") == [Chunk("\n a text \n", 0, 10)]


def test_a_blank_text_has_no_chunk() -> None:
    assert Whole().split("") == Whole().split(" \n\u2028") == []
