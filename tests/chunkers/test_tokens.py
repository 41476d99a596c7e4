import random
from itertools import pairwise
from typing import Any

import pytest

import chunkers
from chunkers import Chunk
from chunkers.tokens import Tokens
from longdoc.errors import UserError

TEN = "a b c d e f g h i j"


def texts(chunks: list[Chunk]) -> list[str]:
    return [chunk.text for chunk in chunks]


def test_windows_without_a_stride_do_not_overlap() -> None:
    assert texts(Tokens(4).split(TEN)) == ["a b c d", "e f g h", "i j"]


def test_a_chunk_keeps_white_space_inside_it_and_drops_white_space_around_it() -> None:
    assert Tokens(2).split("  one\n\ntwo   three ") == [Chunk("one\n\ntwo", 2, 10), Chunk("three", 13, 18)]


def test_windows_start_every_stride_tokens_and_the_last_ends_with_the_document() -> None:
    assert texts(Tokens(4, 3).split(TEN)) == ["a b c d", "d e f g", "g h i j"]
    assert texts(Tokens(4, 2).split("a b c d e")) == ["a b c d", "c d e"]
    assert texts(Tokens(4, 1).split("a b c")) == ["a b c"]


def test_offsets_count_code_points() -> None:
    text = "😀 e\u0301 船 b"
    assert Tokens(2).split(text) == [Chunk("😀 e\u0301", 0, 4), Chunk("船 b", 5, 8)]


def test_in_scripts_without_spaces_a_letter_is_a_token() -> None:
    assert texts(Tokens(4).split("使うPython3を「はい」 ok")) == ["使うPython3を", "「はい」 ok"]
    chunks = Tokens(200).split("鲸鱼" * 87_012)
    assert (len(chunks), {len(chunk.text) for chunk in chunks[:-1]}, len(chunks[-1].text)) == (871, {200}, 24)


def test_a_very_long_word_gets_a_remark_where_words_are_counted(word_pieces: Any) -> None:
    text = "aa " + "b" * 201
    remark = "1 word(s) of over 200 characters, the longest 201; for useful sizes set unit= to a tokenizer"
    for name in ("tokens", "sentences", "paragraphs", "lines", "mentions"):
        assert chunkers.get(name).remark(text) == remark
        assert chunkers.get(name, unit=word_pieces).remark(text) is chunkers.get(name, unit=len).remark(text) is None
    assert chunkers.get("sections").remark(text) == f"no headings: split at paragraphs; {remark}"
    assert chunkers.get("tokens").remark("b" * 200 + " 鲸鱼" * 300) is None


def test_repeated_text_keeps_its_own_offsets() -> None:
    assert [chunk.start for chunk in Tokens(1).split("the the the")] == [0, 4, 8]


@pytest.mark.parametrize("fields", [{"size": 0}, {"size": -3}, {"size": 5, "stride": 0}, {"size": 5, "stride": 6}])
def test_sizes_below_one_and_strides_that_would_lose_text_are_refused(fields: dict[str, int]) -> None:
    with pytest.raises(UserError, match=r"must be (1 or more|between 1)"):
        Tokens(**fields)


def test_it_can_be_made_by_name_and_is_described_by_its_parameters() -> None:
    from longdoc.registry import describe

    chunker = chunkers.get("tokens:50,stride=25")
    assert chunker == Tokens(50, 25)
    assert describe(chunker) == {"name": "tokens", "size": 50, "stride": 25, "unit": "words"}


def test_a_chunk_has_as_many_subword_tokens_as_its_size(word_pieces: Any) -> None:
    text = "The ship sailed at dawn, and nobody counted the crew again."
    offsets = word_pieces.encode(text).offsets
    chunks = Tokens(4, unit=word_pieces).split(text)
    assert [(chunk.start, chunk.end) for chunk in chunks] == [
        (offsets[i][0], offsets[min(i + 4, len(offsets)) - 1][1]) for i in range(0, len(offsets), 4)
    ]


def test_a_window_that_has_more_tokens_by_itself_is_shortened_and_the_next_starts_there(
    byte_pairs: Any,
) -> None:
    text = "ships ships ships"
    assert byte_pairs.encode(text).tokens[-1:] == ["Ġships"]
    assert len(byte_pairs.encode("ships").tokens) == 4  # without its space the word is four tokens
    assert texts(Tokens(4, unit=byte_pairs).split(text)) == ["ships", "ships", "ships"]
    assert texts(Tokens(5, unit=byte_pairs).split(text)) == ["ships ships", "ships"]


def test_an_emoji_of_several_tokens_is_neither_cut_nor_repeated(byte_pairs: Any) -> None:
    assert len(byte_pairs.encode("😀").tokens) == 4
    assert texts(Tokens(9, unit=byte_pairs).split("😀" * 5)) == ["😀😀", "😀😀", "😀"]
    assert texts(Tokens(3, unit=byte_pairs).split("😀😀")) == ["😀", "😀"]  # one character over the size


@pytest.mark.parametrize("stride", [1, 2, 5, 7])
@pytest.mark.parametrize("kind", ["words", "byte_pairs", "function"])
def test_overlapping_windows_keep_order_size_and_every_character(kind: str, stride: int, byte_pairs: Any) -> None:
    unit = {"words": "words", "byte_pairs": byte_pairs, "function": lambda text: (len(text) + 2) // 3}[kind]
    chunker = Tokens(7, stride, unit)
    count = chunker._unit.count
    for seed in range(30):
        text = "".join(random.Random(seed).choices("ab ship 😀e\u0301船\n\x00.", k=150))
        chunks = chunker.split(text)
        assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
        assert all(a.start < b.start and a.end < b.end for a, b in pairwise(chunks))
        assert all(count(chunk.text) <= 7 or len(chunk.text) == 1 for chunk in chunks)
        covered = {i for chunk in chunks for i in range(chunk.start, chunk.end)}
        assert [i for i, char in enumerate(text) if i not in covered and not char.isspace()] == []


def test_a_function_that_counts_packs_whole_words() -> None:
    chunker = Tokens(6, unit=len)
    assert texts(chunker.split("ab cd efg h")) == ["ab cd", "efg h"]


def test_a_function_may_return_the_tokens_themselves() -> None:
    assert texts(Tokens(2, unit=str.split).split("a b c")) == ["a b", "c"]


def test_a_word_over_the_size_is_cut_between_characters() -> None:
    assert texts(Tokens(4, unit=len).split("a bcdefghijk l")) == ["a", "bcde", "fghi", "jk", "l"]


def test_overlap_by_a_function_starts_about_a_stride_later() -> None:
    assert texts(Tokens(5, 2, len).split("a b c d e")) == ["a b c", "b c d", "c d e"]


def test_five_million_words_are_split() -> None:
    text = "word " * 5_000_000
    chunks = Tokens(200).split(text)
    assert len(chunks) == 25_000
    assert (chunks[-1].start, chunks[-1].end) == (len(text) - 1000, len(text) - 1)


def test_chunks_are_filled_where_a_function_counts_several_words_as_one_token() -> None:
    chunks = Tokens(2, unit=lambda text: (len(text.split()) + 9) // 10).split("w " * 50)
    assert [len(chunk.text.split()) for chunk in chunks] == [20, 20, 10]


def test_a_stride_does_not_skip_text_after_a_shortened_window(byte_pairs: Any) -> None:
    text = "ships ships ships ships ships"  # four tokens at the start of a text, one after a space
    assert texts(Tokens(4, 3, byte_pairs).split(text)) == ["ships", "s ships ships ships", "ships"]
