"""How long does it take to split a book into chunks and rank these for thirty questions?

Twenty generated books of 90,000 words: words made of syllables, sampled by Zipf's law, about 10,000 different ones per
book, with capitals and punctuation; 450 chunks of 200 words; 30 questions per book. Every way reads the text of the
book, splits it into the same chunks and returns the ten best chunks for each question, in one thread. The other
libraries do not split: the table has their times with the chunks of this project's `tokens:size=200`, and what
`" ".join(words[i : i + 200])` after `text.split()` takes, which many write instead. Times are the minimum of several
runs, in seconds of the processor per book, which other work on the machine changes less than those of the clock; the
ways take turns on each book, so that it changes all of them. Run: python -m benchmarks.ranking
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import chunkers
import retrievers
from benchmarks.results import publish, table
from retrievers.shared.counts import Counts

BOOKS, WORDS, CHUNK, QUESTIONS, BEST = 20, 90_000, 200, 30, 10
REPEATS = 5
SLOW_BOOKS = 3  # a vectorizer for each question takes seconds per book: timed once, on these books only
LEAST_GAIN = 80.0  # over scikit-learn fitted for each question
LEAST_GAIN_ONCE = 4.5  # over scikit-learn fitted once a document

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Book:
    text: str
    questions: list[str]

    def chunks(self) -> list[str]:
        """The texts of its chunks."""
        return [chunk.text for chunk in split(self)]


Condition = Callable[[Book], object]


def vocabulary(size: int, rng: np.random.Generator) -> list[str]:
    """Different words of one to four syllables; mostly the short ones come first and are frequent."""
    onsets = ["b", "br", "c", "d", "f", "g", "gr", "h", "l", "m", "n", "p", "qu", "r", "s", "st", "t", "th", "v", "w"]
    nuclei, codas = ["a", "e", "i", "o", "u", "ea", "ou"], ["", "", "n", "r", "s", "t", "nd"]
    words: dict[str, None] = {}
    while len(words) < size:
        syllables = 1 + min(3, int(rng.exponential(0.5 + 1.5 * len(words) / size)))
        words["".join(str(rng.choice(part)) for _ in range(syllables) for part in (onsets, nuclei, codas))] = None
    return ["a", "I", *words]


def book(words: list[str], rng: np.random.Generator) -> Book:
    """A book, and questions made of some of its words, frequent and rare."""
    weights = 1.0 / np.arange(3.0, len(words) + 3.0)
    text = [words[i] for i in rng.choice(len(words), WORDS, p=weights / weights.sum())]
    starts = rng.random(WORDS) < 1 / 15
    commas = rng.random(WORDS) < 1 / 12
    for i in range(WORDS - 1):
        if starts[i]:
            text[i] = text[i].capitalize()
        text[i] += "." if starts[i + 1] else "," if commas[i] else ""
    positions = rng.integers(0, WORDS, (QUESTIONS, 9))
    return Book(" ".join(text), [" ".join(text[i].strip(".,") for i in row) + "?" for row in positions])


def split(book: Book) -> list[chunkers.Chunk]:
    return chunkers.get("tokens", size=CHUNK).split(book.text)


def split_and_joined(book: Book) -> list[str]:
    words = book.text.split()
    return [" ".join(words[i : i + CHUNK]) for i in range(0, len(words), CHUNK)]


def ours(name: str) -> Callable[[Book], Ids]:
    return lambda book: retrievers.get(name).index(split(book)).search(book.questions, BEST)[1]


def scikit_scores(chunks: list[str], questions: list[str]) -> npt.NDArray[np.float64]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer()
    weights = vectorizer.fit_transform(chunks)
    scores: npt.NDArray[np.float64] = (vectorizer.transform(questions) @ weights.T).toarray()
    return scores


def scikit_per_document(book: Book) -> Ids:
    return np.argsort(-scikit_scores(book.chunks(), book.questions), axis=1, kind="stable")[:, :BEST]


def scikit_per_question(book: Book) -> Ids:
    chunks = book.chunks()
    scores = np.concatenate([scikit_scores(chunks, [question]) for question in book.questions])
    return np.argsort(-scores, axis=1, kind="stable")[:, :BEST]


def bm25s_per_document(book: Book) -> Ids:
    import bm25s  # type: ignore[import-untyped]

    tokens = {"stopwords": [], "show_progress": False, "token_pattern": r"(?u)\b\w\w+\b"}
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index(bm25s.tokenize(book.chunks(), **tokens), show_progress=False)
    results = index.retrieve(bm25s.tokenize(book.questions, **tokens), k=BEST, show_progress=False)
    return np.asarray(results.documents, np.int64)


def timed(ways: dict[str, Condition], books: list[Book], repeats: int) -> dict[str, npt.NDArray[np.float64]]:
    """The minimum time of each way for each book, in seconds of the processor."""
    times = {name: np.full((len(books), repeats), np.inf) for name in ways}
    for number, one in enumerate(books):
        for turn in range(repeats):
            for name, way in ways.items():
                start = time.process_time()
                way(one)
                times[name][number, turn] = time.process_time() - start
    return {name: taken.min(axis=1) for name, taken in times.items()}


def check(books: list[Book]) -> None:
    """Assert that the ten best of our tfidf are scikit-learn's, up to chunks whose scores tie to 1e-6."""
    for one in books:
        assert one.chunks() == split_and_joined(one)
        scores, ids = scikit_scores(one.chunks(), one.questions), ours("tfidf")(one)
        best = -np.sort(-scores, axis=1)[:, :BEST]
        assert np.abs(np.take_along_axis(scores, ids, axis=1) - best).max() <= 1e-6
        assert all(len(set(row)) == BEST for row in ids.tolist())


def main() -> None:
    rng = np.random.default_rng(0)
    words = vocabulary(15_000, rng)
    books = [book(words, rng) for _ in range(BOOKS)]
    types = np.mean([Counts.of(one.chunks()).matrix.shape[0] for one in books])
    check(books)
    head = f"{BOOKS} books of {WORDS:,} words ({types:,.0f} different), {CHUNK} a chunk, {QUESTIONS} questions a book. "
    head += f"The top {BEST} of our tfidf and of scikit-learn's are identical, ties aside. All ways split by "
    head += (
        f"`tokens:size={CHUNK}`, in the times; what that takes alone, and splitting by `str.split`, has its rows.\n\n"
    )
    fast: dict[str, Condition] = {
        "tfidf": ours("tfidf"),
        "scikit-learn, fitted once a document": scikit_per_document,
        "bm25": ours("bm25"),
        "bm25s": bm25s_per_document,
        "splitting alone": split,
        "splitting alone, str.split and str.join": split_and_joined,
    }
    times = timed(fast, books, REPEATS)
    once, slow = "scikit-learn, fitted once a document", "scikit-learn, fitted for each question"
    times |= timed({slow: scikit_per_question}, books[:SLOW_BOOKS], 1)
    gains = {name: taken[:SLOW_BOOKS].mean() / times["tfidf"][:SLOW_BOOKS].mean() for name, taken in times.items()}
    gains |= {name: times[name].mean() / times["tfidf"].mean() for name in fast}
    rows = [[name, f"{taken.mean():.4f}", f"{gains[name]:.1f}"] for name, taken in times.items()]
    rows[-1][0] += f" ({SLOW_BOOKS} books, once)"
    publish("ranking", head + table(["way", "processor seconds a book", "times tfidf's"], rows))
    if gains[slow] < LEAST_GAIN or gains[once] < LEAST_GAIN_ONCE:
        sys.exit(
            f"tfidf must be {LEAST_GAIN:.0f} times as fast as a fit for each question, {LEAST_GAIN_ONCE:.0f} as one"
        )


if __name__ == "__main__":
    main()
