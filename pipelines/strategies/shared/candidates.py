"""The earlier paragraphs to compare a paragraph with: the most similar ones by a cheap measure.

The measure is the cosine of TF-IDF vectors of character 4-grams (case kept, 1 + ln tf), fitted on the paragraphs of the
document itself. Of n-gram orders 1 to 5, words, function words and punctuation, orders 4 and 5 most often found the
paragraph that is the most similar by `stylometry`, in training documents of `benchmarks.style_change`.
"""

from collections.abc import Iterator, Sequence

from chunkers import Chunk
from retrievers.tfidf import Tfidf

ORDER = 4
ROWS = 256  # paragraphs searched at a time: bounds the memory


def candidates(chunks: Sequence[Chunk], paragraphs: Sequence[int], maximum: int) -> Iterator[list[int]]:
    """For each of `paragraphs`, the `maximum` similar ones before its direct neighbour, the nearest first.

    Of equal similarities (to 1e-6) the nearer paragraph wins, so the result is the same on any machine.
    """
    if not paragraphs:
        return
    n = len(chunks)
    by_ngrams = Tfidf(analyzer="char", ngram_range=(ORDER, ORDER), lowercase=False, sublinear_tf=True)
    index = by_ngrams.index(list(reversed(chunks)))  # ties are broken by position: the nearest wins
    for start in range(0, len(paragraphs), ROWS):
        batch = paragraphs[start : start + ROWS]
        _, rows = index.search([chunks[i].text for i in batch], n)
        for i, row in zip(batch, rows, strict=True):
            earlier_value = n - 1 - row
            yield sorted(earlier_value[earlier_value < i - 1][:maximum].tolist(), reverse=True)
