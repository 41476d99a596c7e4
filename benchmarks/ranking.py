"""How long does it take to split a book into chunks and rank these for thirty questions?

A hundred books of 90,000 words, made of the real examples with their own characters (`benchmarks.real_books`), about
450 chunks of 200 words and 30 questions a book; the same books with each character beyond ASCII replaced; one of these
with a few foreign characters. Where the real examples are not at hand, twenty made-up books of syllables and some
foreign words stand in for them, which the head says. Every way reads the text of the book, splits it by
`tokens:size=200` and returns the ten best chunks for each question, in one thread. Times are the minimum of several
runs, in seconds of the processor per book, which other work on the machine changes less than those of the clock; the
ways take turns on each book, so that it changes all of them. Run: python -m benchmarks.ranking
"""

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

import chunkers
import retrievers
from benchmarks.real_books import QUESTIONS, WORDS, Book, real_books
from benchmarks.results import judge, publish, realdata, table

BOOKS, CHUNK, BEST = 100, 200, 10
REPEATS = 3
SLOW_BOOKS = 3  # a vectorizer for each question takes seconds per book: timed once, on these books only
LEAST_GAIN = 4.0  # over scikit-learn fitted once a document, and over bm25s, on the real books
LEAST_GAIN_ALONE = 2.5  # on any single one
NAMES = ("tfidf", "scikit-learn, fitted once a document", "bm25", "bm25s", "splitting alone")
FOREIGN = {
    "one of them": "",
    "and a letter with an accent": "café",
    "and a Chinese name": "王小明",
    "and a byte order mark": "\ufeff",
    "and a word with a combining mark": "cafe\u0301",
    "and a soft hyphen": "co\u00adoperate",
    "and 400,000 marks on one letter": "a" + "\u0301" * 400_000,
}

Ids = npt.NDArray[np.int64]
Way = Callable[[Book], object]


def made_up_books(number: int) -> list[Book]:
    """Books of words made of syllables, sampled by Zipf's law, with capitals, punctuation and some foreign words."""
    rng = np.random.default_rng(0)
    words = [*vocabulary(15_000, rng), "“so”", "café", "–", "naïve", "王小明"]
    return [Book.of(_text(words, rng), seed) for seed in range(number)]


def vocabulary(size: int, rng: np.random.Generator) -> list[str]:
    """Different words of one to four syllables; mostly the short ones come first and are frequent."""
    onsets = ["b", "br", "c", "d", "f", "g", "gr", "h", "l", "m", "n", "p", "qu", "r", "s", "st", "t", "th", "v", "w"]
    nuclei, codas = ["a", "e", "i", "o", "u", "ea", "ou"], ["", "", "n", "r", "s", "t", "nd"]
    words: dict[str, None] = {}
    while len(words) < size:
        syllables = 1 + min(3, int(rng.exponential(0.5 + 1.5 * len(words) / size)))
        words["".join(str(rng.choice(part)) for _ in range(syllables) for part in (onsets, nuclei, codas))] = None
    return ["a", "I", *words]


def _text(words: list[str], rng: np.random.Generator) -> str:
    weights = 1.0 / np.arange(3.0, len(words) + 3.0)
    text = [words[i] for i in rng.choice(len(words), WORDS, p=weights / weights.sum())]
    starts = rng.random(WORDS) < 1 / 15
    commas = rng.random(WORDS) < 1 / 12
    for i in range(WORDS - 1):
        if starts[i]:
            text[i] = text[i].capitalize()
        text[i] += "." if starts[i + 1] else "," if commas[i] else ""
    return " ".join(text)


def split(book: Book) -> list[chunkers.Chunk]:
    return chunkers.get("tokens", size=CHUNK).split(book.text)


def texts(book: Book) -> list[str]:
    return [chunk.text for chunk in split(book)]


def our_ranking(spec: str) -> Callable[[Book], Ids]:
    return lambda book: retrievers.get(spec).index(split(book)).search(book.questions, BEST)[1]


def scikit_scores(chunks: list[str], questions: list[str]) -> npt.NDArray[np.float64]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer()
    weights = vectorizer.fit_transform(chunks)
    scores: npt.NDArray[np.float64] = (vectorizer.transform(questions) @ weights.T).toarray()
    return scores


def scikit_per_document(book: Book) -> Ids:
    return np.argsort(-scikit_scores(texts(book), book.questions), axis=1, kind="stable")[:, :BEST]


def scikit_per_question(book: Book) -> Ids:
    chunks = texts(book)
    scores = np.concatenate([scikit_scores(chunks, [question]) for question in book.questions])
    return np.argsort(-scores, axis=1, kind="stable")[:, :BEST]


def bm25s_per_document(book: Book) -> Ids:
    import bm25s  # type: ignore[import-untyped]

    tokens = {"stopwords": [], "show_progress": False, "token_pattern": r"(?u)\b\w\w+\b"}
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index(bm25s.tokenize(texts(book), **tokens), show_progress=False)
    results = index.retrieve(bm25s.tokenize(book.questions, **tokens), k=BEST, show_progress=False)
    return np.asarray(results.documents, np.int64)


FAST: dict[str, Way] = dict(
    zip(NAMES, (our_ranking("tfidf"), scikit_per_document, our_ranking("bm25"), bm25s_per_document, split), strict=True)
)


def timed(ways: dict[str, Way], books: list[Book], repeats: int) -> dict[str, npt.NDArray[np.float64]]:
    """The minimum time of each way for each book, in seconds of the processor."""
    times = {name: np.full((len(books), repeats), np.inf) for name in ways}
    for number, book in enumerate(books):
        for turn in range(repeats):
            for name, way in ways.items():
                start = time.process_time()
                way(book)
                times[name][number, turn] = time.process_time() - start
    return {name: taken.min(axis=1) for name, taken in times.items()}


def equal_questions(books: list[Book]) -> int:
    """The number of questions whose ten best chunks by our tfidf are scikit-learn's (ties within 1e-6 are equal)."""
    count, rank = 0, our_ranking("tfidf:token_pattern=scikit-learn")
    for book in books:
        scores, ids = scikit_scores(texts(book), book.questions), rank(book)
        best = -np.sort(-scores, axis=1)[:, :BEST]
        count += int((np.abs(np.take_along_axis(scores, ids, axis=1) - best).max(axis=1) <= 1e-6).sum())
    return count


def row(name: str, times: dict[str, npt.NDArray[np.float64]]) -> list[str]:
    """Milliseconds, and how many times as long the peers take: over all books, and on the one where it is least."""
    entries = [f"{1000 * times[way].mean():.1f}" for way in NAMES]
    for own_name, peer in (NAMES[:2], NAMES[2:4]):
        gain, least = times[peer].mean() / times[own_name].mean(), (times[peer] / times[own_name]).min()
        entries.append(f"{gain:.2f}" if len(times[peer]) == 1 else f"{gain:.2f} (least {least:.2f})")
    return [name, *entries]


def main() -> None:
    folder = realdata()
    books = real_books(folder, BOOKS) if folder else made_up_books(BOOKS // 5)
    timed(FAST, books[:1], 1)  # the first use of a library takes longer
    times = timed(FAST, books, REPEATS)
    kind = "real books" if folder else "made-up books, since the real examples are not at hand"
    rows = [row(f"{len(books)} {kind}", times)]
    replaced = [book.in_ascii() for book in books[: max(10, len(books) // 10)]]
    rows.append(row(f"{len(replaced)} of them, other characters replaced", timed(FAST, replaced, REPEATS)))
    for name, word in FOREIGN.items():
        book = Book(f"{word} {replaced[0].text}".strip(), replaced[0].questions)
        rows.append(row(name, timed(FAST, [book], REPEATS)))
    each = timed({"each": scikit_per_question}, books[:SLOW_BOOKS], 1)["each"].mean()
    text = f"{WORDS:,} words a book, {CHUNK} a chunk, {QUESTIONS} questions. Of {equal_questions(books):,} of "
    text += f"{len(books) * QUESTIONS:,} questions the ten best chunks of `tfidf:token_pattern=scikit-learn` are "
    text += "scikit-learn's, ties aside (`tfidf` itself has words of any script).\n"
    text += f"Milliseconds of the processor for a book; all ways split by `tokens:size={CHUNK}`, in the times.\n\n"
    text += table(["text", *NAMES, "scikit-learn / tfidf", "bm25s / bm25"], rows)
    text += f"\n\nscikit-learn fitted for each question ({SLOW_BOOKS} books, once): "
    text += f"{each / times['tfidf'][:SLOW_BOOKS].mean():.0f} times tfidf's."
    publish("ranking", text)
    gains = [(times[way], times[peer]) for way, peer in (NAMES[:2], NAMES[2:4])]
    missed = any(peer.sum() < LEAST_GAIN * own.sum() for own, peer in gains)
    missed_alone = any((peer < LEAST_GAIN_ALONE * own).any() for own, peer in gains)
    goal = f"{LEAST_GAIN:g} times as fast as their peers, and {LEAST_GAIN_ALONE:g} times on each book"
    judge(missed or missed_alone, f"tfidf and bm25 must be {goal}")


if __name__ == "__main__":
    main()
