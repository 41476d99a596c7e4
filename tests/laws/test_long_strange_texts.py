"""Chunkers and rankings by words on long and unusual texts."""

import pytest

import chunkers
import retrievers
from chunkers.shared.words import word_count
from tests.turns import for_each

SCRIPTS = "the ship Корабль πλοίο नाव নৌকা கப்பல் เรือ ເຮືອ សំពៅ သင်္ဘော 船 배 ふね سفينة ספינה ნავი նավ መርከብ "
TEXTS = {
    "more than sixteen scripts": SCRIPTS * 500,
    "400,000 marks on one letter": "a" + "\u0301" * 400_000 + " b",
    "byte order marks inside": ("word " * 50 + "\ufeff") * 400,
    "soft hyphens": ("Donau\u00addampf\u00adschiff " * 40 + "\n\n") * 50,
    "lone surrogates": ("ab \ud83d cd\udc00. " * 40 + "\n\n") * 100,
    "a sentence of 5 MB": "word, " * 833_334,
}
NAMES = ("tokens", "sentences", "paragraphs", "lines", "sections", "units", "units:of=sentence", "whole", "numbered")


@for_each("name", NAMES)
@for_each("text", TEXTS.values())
def test_chunks_are_parts_of_the_text_and_only_white_space_is_lost(name: str, text: str) -> None:
    position = 0
    for chunk in chunkers.get(name).split(text):
        assert text[chunk.start : chunk.end] == chunk.text
        assert not text[position : chunk.start].strip()
        position = chunk.end
    assert not text[position:].strip()


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_chunk_of_words_is_over_its_size(text: str) -> None:
    assert max(word_count(chunk.text) for chunk in chunkers.get("tokens:200").split(text)) <= 200


@pytest.mark.parametrize(
    "title, query, word",
    [
        ("more than sixteen scripts", "корабль", "Корабль"),
        ("soft hyphens", "donaudampfschiff", "Donau\u00addampf\u00adschiff"),
        ("byte order marks inside", "word", "word"),
        ("a sentence of 5 MB", "word", "word"),
    ],
)
@pytest.mark.parametrize("name", ["tfidf", "bm25"])
def test_the_chunk_with_the_word_is_ranked_first(name: str, title: str, query: str, word: str) -> None:
    chunks = chunkers.get("tokens:40").split(f"{'other things ' * 60}\n\n{TEXTS[title][:4000]}")
    _, ids = retrievers.get(name).index(chunks).search([query], 1)
    (index,) = ids[0]
    assert word in chunks[index].text
