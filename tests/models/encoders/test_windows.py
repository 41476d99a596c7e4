import itertools
import re

from models.encoders._windows import windows
from tests.turns import for_each


def words_of(text):
    return [match.span() for match in re.finditer(r"\S+", text)]


def within(room):
    return lambda parts: max(len(part.split()) for part in parts) <= room


@for_each("room", [8, 20, 64, 254])
@for_each("longer", [1, 2, 10, 300, 1000])
def test_windows_are_as_long_as_the_limit_allows_and_spread_evenly(room, longer):
    tokens = room + longer
    text = " ".join(f"w{n}" for n in range(tokens))
    spans = windows(text, words_of(text), room, within(room))
    edges = [(text[:start].count(" "), len(text[:end].split())) for start, end in spans]
    width = room - 2 * min(16, room // 8)
    assert {end - start for start, end in edges} == {width}
    assert edges[0][0] == 0 and edges[-1][1] == tokens
    steps = {following - start for (start, _), (following, _) in itertools.pairwise(edges)}
    assert max(steps) - min(steps) <= 1 and max(steps) <= width - min(round(room / 8), width // 2)


def test_a_text_barely_over_the_limit_has_two_windows_of_the_same_length():
    text = " ".join(["word"] * 65)
    sizes = [len(text[start:end].split()) for start, end in windows(text, words_of(text), 64, within(64))]
    assert sizes == [48, 48]


def test_edges_stand_between_words():
    text = "several " * 100
    places = [(at, at + 4) for start in range(0, 800, 8) for at in (start, start + 4)]
    places = [(start, min(end, start + 4 - (start % 8 == 4))) for start, end in places]
    for start, end in windows(text, places, 64, lambda parts: max(map(len, parts)) <= 64 * 4):
        assert (start == 0 or text[start - 1] == " ") and (end == len(text) or text[end - 1] == " ")


def test_a_text_without_words_is_cut_at_tokens():
    text = "x" * 100
    spans = windows(text, [(n, n + 1) for n in range(100)], 30, lambda parts: max(map(len, parts)) <= 30)
    assert spans[0][0] == 0 and spans[-1][1] == 100 and max(end - start for start, end in spans) <= 30


def test_windows_that_have_more_tokens_when_they_stand_alone_are_made_smaller():
    text = " ".join(["word"] * 100)
    places = words_of(text)
    spans = windows(text, places, 64, lambda parts: max(2 * len(part.split()) for part in parts) <= 64)
    assert max(len(text[start:end].split()) for start, end in spans) <= 32
