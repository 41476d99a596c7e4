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
    """The positions in these spans that are not white space."""
    return {at for start, end in spans for at in range(start, end) if not text[at].isspace()}


def spans(passages: Passages) -> list[tuple[int, int]]:
    return [(chunk.start, chunk.end) for chunk in passages.chunks]


def size(text: str, passages: Passages) -> int:
    """The number of words in the passages and their headings."""
    headings = {chunk.heading for chunk in passages.chunks if chunk.heading}
    return sum(count_words([*(chunk.text for chunk in passages.chunks), *(text[start:end] for start, end in headings)]))


def check(text: str, ranked: Sequence[Chunk]) -> None:
    """Check the laws for chunks in the order of their ranks."""
    whole = fill(text, ranked, 10**9)
    for words in BUDGETS:
        passages = fill(text, ranked, words)
        assert size(text, passages) == min(words, size(text, whole))
        passage_spans = spans(passages)
        assert all(first[1] <= second[0] for first, second in pairwise(passage_spans))
        assert all(text[chunk.start : chunk.end] == chunk.text == chunk.text.strip() != "" for chunk in passages.chunks)
        assert len(passages.chunks) == len(passages.ranks)
        assert all(0 <= rank < passages.taken <= len(ranked) for rank in passages.ranks)
        headings = {chunk.heading for chunk in passages.chunks if chunk.heading}
        assert not characters(text, headings) & characters(text, passage_spans)


@for_each("name", CHUNKERS)
def test_a_selection_fills_its_budget_and_repeats_no_text(name: str) -> None:
    for text in TEXTS.values():
        chunks = split(name, text)
        for seed in range(3):
            check(text, random.Random(seed).sample(chunks, len(chunks)))


WEIGHTS = {"dense", "evidence_ranker", "rerank"}
WITHOUT_WEIGHTS = [name for name in retrievers.names() if name not in WEIGHTS]


@for_each("name", WITHOUT_WEIGHTS)
def test_a_selection_by_any_retriever_keeps_the_laws(name: str) -> None:
    chunks = split("units:of=sentence", PROSE)
    (ids,) = retrievers.get(name).index(chunks).search(["Where was Anna Berg born?"])[1]
    check(PROSE, [chunks[i] for i in ids.tolist()])


def test_the_time_to_select_from_100_000_units_grows_only_with_the_selection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Checks the number of texts counted rather than the time: none after the last selected chunk."""
    text = "one two three.\n" * 100_000
    chunks = [Chunk("one two three.", at, at + 14) for at in range(0, len(text), 15)]
    counted: list[int] = []

    def count(texts: Sequence[str]) -> list[int]:
        counted.append(len(texts))
        return count_words(texts)

    monkeypatch.setattr(selection, "count_words", count)
    passages = fill(text, random.Random(0).sample(chunks, len(chunks)), 300)
    assert (passages.taken, size(text, passages)) == (100, 300)
    assert len(counted) < 110
