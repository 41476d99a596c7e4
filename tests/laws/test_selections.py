"""Laws of selections with a budget of words, over every chunker and every retriever."""

import random
from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest

import chunkers
import retrievers
from chunkers import Chunk
from chunkers.shared.words import count_words
from pipelines.engine.preparation import selection
from pipelines.engine.preparation.selection import Passages, fill
from tests.turns import for_each

PROSE = (
    "# The mill\n\nThe mill was built by Anna Berg in 1931. It stands at the river.\r\n\r\n"
    "Cows eat grass; 1. so it is.\n\f\n## People of the mill and of the villages near it\n\n"
    "Anna Berg was born in Oslo. She had two sisters.\n\n"
    "# The mill\n\nRain fell.\n\n# Empty\n\n## Last\nANNA: It rained.\nBEN: Ten days.\u2028It did.\nANNA: Yes.\n"
)
TEXTS = {
    "prose": PROSE,
    "a dialogue": "ANNA: Hi, Ben Adler.\nBen Adler: Hi.\nStill here?\nANNA: Yes, Ben Adler.\n" * 3,
    "a list": "1. One two.\n2. Three four.\n\nText 1: It is. So.\n\nText 2: It was.\n",
    "Chinese": "# 第一章\n\n我们今天去北京。天气很好。\n\n# 第二章\n\n他们明天回家。\n",
    "Thai and Khmer": "ภาษาไทย เป็นภาษา ที่พูด\n\nភាសាខ្មែរ ជាភាសា។ ផ្លូវការ។\n",
    "a long word": "One. " + "x" * 230 + " two. Three.",
    "one word": "word",
}
BUDGETS = (1, 2, 5, 9, 17, 40, 10_000)
CHUNKERS = (
    *(name for name in chunkers.names() if name != "truncate"),
    "truncate:9",
    "tokens:size=6,stride=2",
    "units:of=sentence",
    "units:of=turn",
    "sentences:size=9",
)


def split(name: str, text: str) -> list[Chunk]:
    return chunkers.get(name).split(text, "Who are Anna Berg and Ben Adler?")


def characters(text: str, spans: Iterable[tuple[int, int]]) -> set[int]:
    return {at for start, end in spans for at in range(start, end) if not text[at].isspace()}


def spans(found: Passages) -> list[tuple[int, int]]:
    return [(chunk.start, chunk.end) for chunk in found.chunks]


def size(text: str, found: Passages) -> int:
    headings = {chunk.heading for chunk in found.chunks if chunk.heading}
    return sum(count_words([*(chunk.text for chunk in found.chunks), *(text[start:end] for start, end in headings)]))


def check(text: str, ranked: Sequence[Chunk]) -> None:
    """The laws, for chunks in the order of their ranks."""
    everything = fill(text, ranked, 10**9)
    for words in BUDGETS:
        found = fill(text, ranked, words)
        assert size(text, found) == min(words, size(text, everything))
        places = spans(found)
        assert all(first[1] <= second[0] for first, second in pairwise(places))
        assert all(text[one.start : one.end] == one.text == one.text.strip() != "" for one in found.chunks)
        assert len(found.chunks) == len(found.ranks)
        assert all(0 <= rank < found.taken <= len(ranked) for rank in found.ranks)
        titles = {one.heading for one in found.chunks if one.heading}
        assert not characters(text, titles) & characters(text, places)


@for_each("name", CHUNKERS)
def test_a_selection_fills_its_budget_without_text_twice(name: str) -> None:
    for text in TEXTS.values():
        chunks = split(name, text)
        for seed in range(3):
            check(text, random.Random(seed).sample(chunks, len(chunks)))


WEIGHTS = {"dense", "evidence_ranker", "rerank"}
WITHOUT_WEIGHTS = [name for name in retrievers.names() if name not in WEIGHTS]


@for_each("name", WITHOUT_WEIGHTS)
def test_so_it_is_with_the_ranking_of_every_retriever(name: str) -> None:
    chunks = split("units:of=sentence", PROSE)
    (ids,) = retrievers.get(name).index(chunks).search(["Where was Anna Berg born?"])[1]
    check(PROSE, [chunks[i] for i in ids.tolist()])


def test_a_document_of_100_000_units_is_filled_in_a_time_that_grows_with_what_is_selected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Counts are asked for, rather than seconds: none for chunks behind the last that is selected."""
    text = "one two three.\n" * 100_000
    chunks = [Chunk("one two three.", at, at + 14) for at in range(0, len(text), 15)]
    asked: list[int] = []

    def count(texts: Sequence[str]) -> list[int]:
        asked.append(len(texts))
        return count_words(texts)

    monkeypatch.setattr(selection, "count_words", count)
    found = fill(text, random.Random(0).sample(chunks, len(chunks)), 300)
    assert (found.taken, size(text, found)) == (100, 300)
    assert len(asked) < 110
