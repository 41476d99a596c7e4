import random
from bisect import bisect_right
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

import chunkers
import retrievers
from chunkers import Chunk
from chunkers.mentions import Mentions, _Windows
from chunkers.shared.names import mentions
from chunkers.shared.units import unit_of
from chunkers.shared.words import word_spans
from longdoc.errors import UserError
from pipelines import sources
from pipelines.tasks import get
from tests.turns import for_each


def script(*places: int, words: int = 60, name: str = "Anna") -> str:
    """Numbered words, the name at some of the places."""
    return " ".join(name if number in places else f"w{number}" for number in range(words))


def texts(size: int, text: str, query: str = "Anna", **fields: object) -> list[str]:
    return [chunk.text for chunk in chunkers.get("mentions", size=size, **fields).split(text, query)]


def test_a_window_has_a_mention_in_its_middle() -> None:
    assert texts(5, script(30), windows=1) == ["w28 w29 Anna w31 w32"]


def test_the_size_is_shared_by_the_windows() -> None:
    assert texts(15, script(30)) == ["w28 w29 Anna w31 w32"]
    assert texts(2, script(30)) == ["Anna"]


def test_windows_at_the_ends_are_as_long_as_others() -> None:
    assert texts(5, script(0, 59), windows=1) == ["Anna w1 w2 w3 w4", "w55 w56 w57 w58 Anna"]
    assert texts(99, script(1, words=3), windows=1) == ["w0 Anna w2"]


def test_mentions_close_together_share_a_window_and_windows_do_not_overlap() -> None:
    chunks = Mentions(5, windows=1).split(script(10, 11, 13, 14, 40), "Anna")
    assert [chunk.text for chunk in chunks] == ["Anna Anna w12 Anna Anna", "w38 w39 Anna w41 w42"]
    assert [chunk.label for chunk in chunks] == ["4 mentions", "1 mention"]


def test_the_densest_window_is_placed_before_those_that_it_would_overlap() -> None:
    """Placed one after another, the windows of 30 and 35 would separate the four mentions at 33 to 37."""
    text = script(10, 30, 33, 34, 36, 37, 50)
    assert texts(5, text, windows=1) == [
        "w8 w9 Anna w11 w12",
        "w28 w29 Anna w31 w32",
        "Anna Anna w35 Anna Anna",
        "w48 w49 Anna w51 w52",
    ]


def test_the_densest_window_has_its_mentions_in_the_middle() -> None:
    assert texts(7, script(20, 30, 32, 50), windows=1)[1] == "w28 w29 Anna w31 Anna w33 w34"


def test_of_equally_dense_windows_the_first_is_placed_first() -> None:
    text = script(10, 20, 22, 24, 26)
    assert texts(3, text, windows=1) == ["w9 Anna w11", "Anna w21 Anna", "w23 Anna", "w25 Anna w27"]


def test_first_and_last_mention_are_in_the_middle_of_their_windows_unless_the_densest_is_too_near() -> None:
    assert texts(5, script(19, 22, 23, 24, 25, 27), windows=1) == [
        "w17 w18 Anna w20 w21",
        "Anna Anna Anna Anna w26",
        "Anna w28 w29 w30 w31",
    ]


def test_a_window_does_not_cut_the_name_behind_it() -> None:
    text = "Anna Berg w2 w3 w4 w5 Anna Berg w8 w9 w10 w11"
    assert texts(7, text, "Anna Berg", windows=1) == ["Anna Berg w2 w3 w4 w5", "Anna Berg w8 w9 w10 w11"]


def test_a_mention_in_a_word_that_is_too_long_is_in_its_window(byte_pairs: object) -> None:
    text = "w0 " + "x.y," * 30 + "Anna" + ".x,y" * 30 + " w1 Anna w2"
    chunks = Mentions(4, byte_pairs, windows=1).split(text, "Anna")
    assert all("Anna" in chunk.text for chunk in chunks)
    assert all(unit_of(byte_pairs).count(chunk.text) <= 4 and chunk.text.strip() for chunk in chunks)
    assert len(chunks) == 2


def densest(text: str, name: str, share: int, count: Callable[[str], int]) -> int:
    """The most mentions in a stretch of whole words, from one mention to another, of at most `share` tokens."""
    words = word_spans(text).tolist()
    places = [
        (max(start for start, _ in words if start <= begin), min(last for _, last in words if last >= end))
        for begin, end in mentions(text, name)
    ]
    fits = [
        last - first + 1
        for first in range(len(places))
        for last in range(first, len(places))
        if count(text[places[first][0] : places[last][1]]) <= share
    ]
    return max(fits, default=1)


@for_each("seed", range(40))
@for_each("name", ["Anna", "Anna Berg"])
def test_no_window_of_random_texts_is_denser_than_the_densest_one(seed: int, name: str) -> None:
    draw = random.Random(seed)
    likely = draw.choice([0.02, 0.1, 0.4])
    text = " ".join(name if draw.random() < likely else "w" * draw.randint(1, 9) for _ in range(draw.randint(1, 300)))
    share = draw.randint(2, 40)
    chunks = Mentions(share, windows=1).split(text, name)
    check(chunks, text, name, share, lambda part: len(part.split()))


@pytest.mark.parametrize("seed", range(8))
def test_no_window_is_denser_than_the_densest_one_where_a_tokenizer_counts(seed: int, byte_pairs: object) -> None:
    draw = random.Random(seed)
    text = " ".join("Anna" if draw.random() < 0.2 else draw.choice(["sail", "the", "counting"]) for _ in range(120))
    share = draw.randint(8, 40)
    chunks = Mentions(share, byte_pairs, windows=1).split(text, "Anna")
    check(chunks, text, "Anna", share, unit_of(byte_pairs).count)


def check(chunks: list[Chunk], text: str, name: str, share: int, count: Callable[[str], int]) -> None:
    places = mentions(text, name)
    assert all(text[chunk.start : chunk.end] == chunk.text and count(chunk.text) <= share for chunk in chunks)
    assert all(first.end <= second.start for first, second in pairwise(chunks))
    assert all(any(chunk.start <= start < chunk.end for chunk in chunks) for start, _ in places)
    if places:
        best = retrievers.get("mentions").index(chunks).search([name], 2)[1][0]
        most = max(len(mentions(chunks[i].text, name)) for i in best)
        assert most == max(len(mentions(chunk.text, name)) for chunk in chunks) == densest(text, name, share, count)


def test_the_densest_windows_of_the_real_scripts(realdata: Path) -> None:
    task = get("character_types")
    data = sources.load(task.name, task.dataset, realdata / "character_archetype").examples()
    for example in [next(data) for _ in range(10)]:
        text, name = example.document.text, example.query
        words = [start for start, _ in word_spans(text).tolist()]
        places = sorted(numbers(words, [start for start, _ in mentions(text, name)]))
        fullest = max(sum(first <= place < first + 170 for place in places) for first in places)
        assert max(len(mentions(chunk.text, name)) for chunk in Mentions(510).split(text, name)) == fullest


def numbers(words: list[int], places: list[int]) -> list[int]:
    """The number of the word at each place."""
    return [bisect_right(words, place) - 1 for place in places]


def test_text_without_a_mention_is_left_out() -> None:
    text = script(5, 50)
    assert [chunk.text for chunk in Mentions(3, windows=1).split(text, "Anna")] == ["w4 Anna w6", "w49 Anna w51"]


@pytest.mark.parametrize("query", ["Berta", "", None, "anna karenina of w999"])
def test_a_character_who_is_never_mentioned_has_no_windows(query: str | None) -> None:
    assert Mentions().split(script(name="Carl"), query) == []


def test_without_a_size_the_windows_share_512_words() -> None:
    (chunk,) = Mentions().split(script(1000, words=2000), "Anna")
    assert len(chunk.text.split()) == 512 // 3


def test_a_counting_unit_leaves_space_where_windows_meet() -> None:
    def letters(text: str) -> int:
        return len(text.split())

    assert texts(19, script(30), unit=letters) == ["w28 w29 Anna w31 w32"]  # (19 - 2 joints of 2) / 3


def test_a_window_that_lacks_one_of_32_tokens_counts_as_full() -> None:
    text = "Anna" + " a-b" * 15 + " c" + " a-b" * 15
    assert texts(32, text, windows=1, unit=lambda text: len(text.replace("-", " ").split())) == ["Anna" + " a-b" * 15]


def test_a_unit_may_count_nothing_of_some_words() -> None:
    assert texts(5, "Anna said so", windows=1, unit=lambda text: text.count("x")) == ["Anna said so"]


def test_a_huge_word_is_cut_at_the_size() -> None:
    text = "Anna." + "x" * 50_000
    assert texts(300, text, windows=1, unit=lambda text: -(-len(text) // 100)) == [text[:30_000]]


def test_a_name_longer_than_the_window_is_cut() -> None:
    assert texts(1, "then Anna Maria Berg left", "Anna Maria Berg", windows=1) == ["Anna"]


def test_white_space_around_the_name_is_kept() -> None:
    text = "INT. MILL - DAY\n\n          ANNA (V.O.)\n     No bread.\n\n  Out."
    assert texts(4, text, windows=1) == ["DAY\n\n          ANNA (V.O.)\n     No"]


@pytest.mark.parametrize("step", [4, 100])
def test_a_word_with_many_mentions_is_not_counted_for_each(step: int) -> None:
    """The number of characters that are counted grows with the text, not with its square."""

    def characters_counted(mentions: int) -> int:
        total = 0

        def unit(text: str) -> int:
            nonlocal total
            total += len(text)
            return -(-len(text) // step)

        Mentions(size=300, unit=unit).split("Anna." * mentions, "Anna")
        return total

    assert characters_counted(40_000) < 5 * characters_counted(10_000)


@pytest.mark.parametrize("fields", [{"size": 0}, {"windows": 0}, {"size": -3}])
def test_numbers_below_one_are_refused(fields: dict[str, int]) -> None:
    with pytest.raises(UserError, match="must be 1 or more"):
        Mentions(**fields)


def test_a_window_reaches_its_last_mention_where_that_fits_even_if_a_shorter_one_does_not() -> None:
    windows = _Windows("w w w w w a", [(0, 1)], 3, unit_of(lambda text: 0 if text.endswith("a") else len(text.split())))
    assert windows._from_span(0, 11, 11) == (0, 11)
    assert windows._from_span(0, 9, 11) == (0, 5)
