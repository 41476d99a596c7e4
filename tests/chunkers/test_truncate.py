import pytest

import chunkers
from chunkers import Chunk
from chunkers.truncate import Truncate
from longdoc.errors import UserError


def test_it_returns_the_whole_text_and_sets_the_reader_s_limit() -> None:
    chunker = Truncate(512)
    assert chunker.split(" a text ") == [Chunk(" a text ", 0, 8)]
    assert chunker.max_input_tokens == 512
    assert chunker.split(" \n") == []


def test_it_has_no_default_limit() -> None:
    assert chunkers.get("truncate:512") == Truncate(512)
    with pytest.raises(UserError, match="needs tokens"):
        chunkers.get("truncate")
    with pytest.raises(UserError, match="must be 1 or more"):
        Truncate(0)


def test_side_middle_needs_no_limit() -> None:
    chunker = chunkers.get("truncate:side=middle")
    assert chunker == Truncate(side="middle")
    assert (chunker.max_input_tokens, chunker.cut_side) == (None, "middle")
