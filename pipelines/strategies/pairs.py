"""The author of each paragraph, from the similarity of pairs of paragraphs (MuLD, section 4, after Strøm 2021).

The first paragraph is author 1's; each next one is compared with the one before it. `literal`, the paper's wording: if
they are similar it takes the author of the most similar of all earlier paragraphs that are over the threshold, else it
is a new author's. `return`: if they are similar it takes the author of the one before, else that of the most similar
earlier paragraph over the threshold; if there is none it is a new author's.

Of n paragraphs these are n - 1 pairs of neighbours, and up to n(n - 1) / 2 pairs in all; `candidates` bounds them.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any, Literal

from chunkers import Chunk
from longdoc.errors import UserError
from models.reader import Reader
from models.requests import Compare, Generate, Score
from pipelines.strategies import Job, Outcome, PairBounds, PairwiseStrategy, Step, Strategy
from pipelines.strategies.authors import Authors
from retrievers.tfidf import Tfidf

ORDER = 4  # of the character n-grams
ROWS = 256  # paragraphs searched at a time: bounds the memory
MAX_PAIRS_PER_ROUND = 100_000  # bounds the size of a request and its reply
SUGGESTED_CANDIDATES = 20  # suggested where there are many pairs
SIMILAR = 0.5  # of two paragraphs by one author, at least
PROMPTED_CANDIDATES = 3  # candidates of a reader that reads a prompt for each pair: at most 4 pairs a paragraph

Best = tuple[float, int]  # the similarity of the most similar earlier paragraph, and its number


@dataclass(frozen=True)
class Pairs(PairwiseStrategy):
    """Compares neighbours first, then with earlier paragraphs those whose author depends on them.

    Two paragraphs are similar from 0.5 on. Once there are `max_authors`, the author of the most similar earlier
    paragraph is taken instead of a new one; of equally similar ones the nearest counts. The prediction is `1,1,2`, the
    author of each selected paragraph. Notes, from neighbours alone: "changes" (`0,1`: for each paragraph but the first,
    whether it is not similar to the one before) and "multi_author" (`1` if there is any change, else `0`). Raises
    `UserError` for fields out of range.

    `candidates`: how many earlier paragraphs, besides its neighbour, each is compared with: the most similar ones by
    character n-grams (`most_similar`). None is all of them, which is exact; where a reader compares by
    the likelihood of a word after each pair's prompt it is 3, so that n paragraphs take at most 4n pairs.
    """

    assign: Literal["literal", "return"] = "literal"
    max_authors: int = 4
    candidates: int | None = None

    needs = frozenset({Compare})

    def __post_init__(self) -> None:
        if self.max_authors < 1:
            raise UserError(f"max_authors must be at least 1, got {self.max_authors}")
        if self.candidates is not None and self.candidates < 1:
            raise UserError(f"candidates must be at least 1, or left out to compare all, got {self.candidates}")

    def suited(self, reader: Reader) -> Strategy:
        """For readers that cannot compare: few candidates if it scores, `authors` if it only generates."""
        if Compare in reader.supports:
            return self
        if Score in reader.supports:
            return replace(self, candidates=self.candidates or PROMPTED_CANDIDATES)
        return Authors(max_authors=self.max_authors) if Generate in reader.supports else self

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Compare neighbours, then the pairs that decide the rest, and assign authors."""
        texts = tuple(chunk.text for chunk in job.selected)
        similarities = yield from _compare(texts, [(i - 1, i) for i in range(1, len(texts))])
        changes = [similarity < SIMILAR for similarity in similarities]
        best = {i: (similarities[i - 1], i - 1) for i in self._undecided(changes)}
        pairs = ((j, i) for i, earlier in self._candidate_pairs(job, list(best)) for j in earlier)
        while batch := list(islice(pairs, MAX_PAIRS_PER_ROUND)):
            for (j, i), similarity in zip(batch, (yield from _compare(texts, batch)), strict=True):
                if similarity > best[i][0]:
                    best[i] = similarity, j
        notes = {"changes": _joined(map(int, changes)), "multi_author": str(int(any(changes)))}
        return Outcome(_joined(self._authors(changes, best)) if texts else "", notes)

    def comparisons(self, texts: int) -> PairBounds:
        """The bounds for a document with `texts` paragraphs: from neighbours alone to all candidate pairs."""
        neighbours = max(texts - 1, 0)
        bounds = PairBounds((min(neighbours, 1),) * 2, (neighbours,) * 2)
        if self.max_authors == 1 or texts < 3:
            return bounds
        per_paragraph = min(self.candidates or texts, texts - 2)
        # the i-th paragraph has i - 1 before its neighbour
        candidate_pairs = per_paragraph * (per_paragraph + 1) // 2 + (texts - 2 - per_paragraph) * per_paragraph
        return PairBounds((1, 1 - -candidate_pairs // MAX_PAIRS_PER_ROUND), (neighbours, neighbours + candidate_pairs))

    @property
    def hint(self) -> str:
        """Options to set for fewer pairs; empty if they are already set."""
        hints = []
        if self.candidates is None:
            count = SUGGESTED_CANDIDATES
            hints.append(f"{self._as_argument(candidates=count)} compares each paragraph with the {count} most similar")
        if self.assign == "literal":
            hints.append(f"{self._as_argument(assign='return')} looks back only where the author changes")
        return ", ".join(hints)

    def _as_argument(self, **other: Any) -> str:
        """The strategy as a command-line argument, with some fields replaced."""
        values = {field.name: getattr(self, field.name) for field in fields(self)} | other
        non_defaults = {field.name: values[field.name] for field in fields(self) if values[field.name] != field.default}
        return f"strategy='pairs:{','.join(f'{name}={value}' for name, value in non_defaults.items())}'"

    def _candidate_pairs(self, job: Job, undecided: Sequence[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """Each undecided paragraph with the earlier paragraphs to compare it with, the nearest first."""
        if self.candidates is None:
            return ((i, range(i - 2, -1, -1)) for i in undecided)
        return zip(undecided, most_similar(job.selected, undecided, self.candidates), strict=True)

    def _undecided(self, changes: Sequence[bool]) -> Iterator[int]:
        """The numbers of paragraphs whose author depends on the most similar earlier paragraph.

        With `literal`, every change makes a new author until there are `max_authors`; before the first change there is
        one.
        """
        changes_before = 0
        for i, change in enumerate(changes, 1):
            is_undecided = changes_before >= self.max_authors - 1 if change else changes_before > 0
            if self.max_authors > 1 and (change if self.assign == "return" else is_undecided):
                yield i
            changes_before += change

    def _authors(self, changes: Sequence[bool], best: dict[int, Best]) -> list[int]:
        authors = [1]
        for i, change in enumerate(changes, 1):
            similarity, nearest = best.get(i, (0.0, i - 1))
            if self.assign == "return" and similarity >= SIMILAR:
                change = False
            is_new = change and max(authors) < self.max_authors
            authors.append(max(authors) + 1 if is_new else authors[nearest])
        return authors


def _compare(texts: tuple[str, ...], pairs: Sequence[tuple[int, int]]) -> Generator[Step, list[Any], Sequence[float]]:
    """The similarity of each pair, from one round of requests; the round is empty for no pairs."""
    replies = yield [Compare(texts, tuple(pairs))] if pairs else []
    return replies[0] if pairs else ()


def _joined(values: Any) -> str:
    return ",".join(map(str, values))


def most_similar(chunks: Sequence[Chunk], paragraphs: Sequence[int], maximum: int) -> Iterator[list[int]]:
    """For each of `paragraphs`, the `maximum` most similar ones before its direct neighbour, the nearest first.

    The measure is the cosine of TF-IDF vectors of character 4-grams (case kept, 1 + ln tf), fitted on the paragraphs of
    the document itself. Of n-gram orders 1 to 5, words, function words and punctuation, orders 4 and 5 most often found
    the paragraph that is the most similar by `stylometry`, in training documents of `benchmarks.style_change`. Of equal
    similarities (to 1e-6) the nearer paragraph wins, so the result is the same on any machine.
    """
    if not paragraphs:
        return
    count = len(chunks)
    retriever = Tfidf(analyzer="char", ngram_range=(ORDER, ORDER), lowercase=False, sublinear_tf=True)
    index = retriever.index(list(reversed(chunks)))  # ties are broken by position: the nearest wins
    for start in range(0, len(paragraphs), ROWS):
        batch = paragraphs[start : start + ROWS]
        _, rows = index.search([chunks[i].text for i in batch], count)
        for i, row in zip(batch, rows, strict=True):
            earlier = count - 1 - row
            yield sorted(earlier[earlier < i - 1][:maximum].tolist(), reverse=True)
