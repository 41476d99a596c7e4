r"""Does ranking find names in any script?

The names of countries and regions in each language, as the Unicode CLDR gives them (the package babel), are one chunk
each. Every name is asked for twice: whole, in its decomposed form (NFD), and by its longest word (between white space;
the first of equals). hit@1 is the share of names, in per cent, whose own chunk ranks first; of names that match nothing
that is the first one. "\w\w+" is scikit-learn's default token_pattern, by which all retrievers counted words before;
"words" are today's default (`longdoc.words.terms`). Run: python -m benchmarks.scripts
"""

import unicodedata
from collections.abc import Callable, Sequence

import numpy as np
from babel import Locale
from babel.core import get_global

import retrievers
from benchmarks.results import publish, table
from chunkers import Chunk
from retrievers import Index
from retrievers.bm25 import Bm25
from retrievers.shared.counts import SCIKIT_LEARN_WORDS, Counts, WeightedIndex

LANGUAGES = ["en", "fr", "ru", "el", "ar", "he", "hi", "bn", "ta", "th", "my", "km", "zh", "ja", "ko"]


def names(language: str) -> list[str]:
    """The names of all countries and regions, each once, in the order of their codes."""
    found = Locale.parse(language).territories
    return list(dict.fromkeys(found[code] for code in sorted(found) if code.isalpha()))


def hits(names: Sequence[str], queries: Sequence[str], index: Callable[[list[Chunk]], Index]) -> str:
    """hit@1 in per cent."""
    made = index([Chunk(name, 0, len(name)) for name in names])
    first = made.search(queries, 1)[1][:, 0]
    return f"{100 * np.mean(first == np.arange(len(names))):.1f}"


def whole(name: str) -> str:
    return unicodedata.normalize("NFD", name)


def longest_word(name: str) -> str:
    return max(name.split(), key=len)


def bm25_of_scikit_learns_words(chunks: list[Chunk]) -> Index:
    counts = Counts.of([chunk.text for chunk in chunks], SCIKIT_LEARN_WORDS)
    return WeightedIndex(Bm25()._weights(counts.matrix), counts, lambda: np.zeros(len(chunks)))


WAYS: dict[str, Callable[[list[Chunk]], Index]] = {
    r"tfidf, `\w\w+`": retrievers.get("tfidf:token_pattern=scikit-learn").index,
    "tfidf, words": retrievers.get("tfidf").index,
    r"bm25, `\w\w+`": bm25_of_scikit_learns_words,
    "bm25, words": retrievers.get("bm25").index,
}


def main() -> None:
    rows: dict[Callable[[str], str], list[list[str]]] = {whole: [], longest_word: []}
    for language in LANGUAGES:
        found = names(language)
        english = Locale.parse(language).english_name or language
        for asked, part in rows.items():
            scores = (hits(found, list(map(asked, found)), index) for index in WAYS.values())
            part.append([english, str(len(found)), *scores])
    text = f"hit@1 of the names of countries and regions, CLDR {get_global('cldr')['version']}.\n\n"
    for title, part in zip(
        ("Asked by the whole name, decomposed", "Asked by the longest word"), rows.values(), strict=True
    ):
        text += f"{title}\n\n{table(['language', 'names', *WAYS], part)}\n\n"
    publish("scripts", text)


if __name__ == "__main__":
    main()
