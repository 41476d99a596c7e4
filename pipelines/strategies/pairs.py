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

from longdoc.errors import UserError
from models.reader import Reader
from models.requests import Compare, Generate, Score
from pipelines.strategies import Job, Outcome, PairBounds, PairwiseStrategy, Step, Strategy
from pipelines.strategies.authors import Authors
from pipelines.strategies.shared.candidates import candidates

PAIRS_A_ROUND = 100_000  # bounds the size of a request and its reply
CANDIDATES = 20  # suggested where there are many pairs
SIMILAR = 0.5  # of two paragraphs by one author, at least
A_PROMPT_LIMIT = 3  # candidates of a reader that reads a prompt for each pair: at most 4 pairs a paragraph

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
    character n-grams (`strategies.shared.candidates`). None is all of them, which is exact; where a reader compares by
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
        """With few candidates for a reader that scores; the authors written down by one that only writes."""
        if Compare in reader.supports:
            return self
        if Score in reader.supports:
            return replace(self, candidates=self.candidates or A_PROMPT_LIMIT)
        return Authors(max_authors=self.max_authors) if Generate in reader.supports else self

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Compare neighbours, then the pairs that decide the rest, and assign authors."""
        texts = tuple(chunk.text for chunk in job.selected)
        values = yield from _compared(texts, [(i - 1, i) for i in range(1, len(texts))])
        changes = [value < SIMILAR for value in values]
        best = {i: (values[i - 1], i - 1) for i in self._undecided_counts(changes)}
        pairs = ((j, i) for i, earlier_numbers in self._earlier_rows(job, list(best)) for j in earlier_numbers)
        while batch := list(islice(pairs, PAIRS_A_ROUND)):
            for (j, i), value in zip(batch, (yield from _compared(texts, batch)), strict=True):
                if value > best[i][0]:
                    best[i] = value, j
        notes = {"changes": _joined(map(int, changes)), "multi_author": str(int(any(changes)))}
        return Outcome(_joined(self._authors(changes, best)) if texts else "", notes)

    def comparisons(self, texts: int) -> PairBounds:
        """The bounds for a document of so many paragraphs: neighbours alone, or all but the first undecided."""
        first = max(texts - 1, 0)
        pair_bounds = PairBounds((min(first, 1),) * 2, (first,) * 2)
        if self.max_authors == 1 or texts < 3:
            return pair_bounds
        maximum = min(self.candidates or texts, texts - 2)
        more_count = (
            maximum * (maximum + 1) // 2 + (texts - 2 - maximum) * maximum
        )  # the i-th has i - 1 before its neighbour
        return PairBounds((1, 1 - -more_count // PAIRS_A_ROUND), (first, first + more_count))

    @property
    def hint(self) -> str:
        """What to type to compare fewer pairs; empty where all of it is set already."""
        hints = []
        if self.candidates is None:
            hints.append(
                f"{self._as_argument(candidates=CANDIDATES)} compares each paragraph with the {CANDIDATES} most similar"
            )
        if self.assign == "literal":
            hints.append(f"{self._as_argument(assign='return')} looks back only where the author changes")
        return ", ".join(hints)

    def _as_argument(self, **other: Any) -> str:
        """The strategy as an argument, with other values of some fields."""
        values = {field.name: getattr(self, field.name) for field in fields(self)} | other
        changed = {field.name: values[field.name] for field in fields(self) if values[field.name] != field.default}
        return f"strategy='pairs:{','.join(f'{name}={value}' for name, value in changed.items())}'"

    def _earlier_rows(self, job: Job, undecided_numbers: Sequence[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """Each undecided paragraph with the earlier ones to compare it with, the nearest first."""
        if self.candidates is None:
            return ((i, range(i - 2, -1, -1)) for i in undecided_numbers)
        return zip(undecided_numbers, candidates(job.selected, undecided_numbers, self.candidates), strict=True)

    def _undecided_counts(self, changes: Sequence[bool]) -> Iterator[int]:
        """The paragraphs whose author depends on which earlier one is the most similar.

        With `literal`, every change makes a new author until there are `max_authors`; before the first there is one.
        """
        before = 0
        for i, change in enumerate(changes, 1):
            literal = before >= self.max_authors - 1 if change else before > 0
            if self.max_authors > 1 and (change if self.assign == "return" else literal):
                yield i
            before += change

    def _authors(self, changes: Sequence[bool], best: dict[int, Best]) -> list[int]:
        authors = [1]
        for i, change in enumerate(changes, 1):
            value, nearest = best.get(i, (0.0, i - 1))
            if self.assign == "return" and value >= SIMILAR:
                change = False
            new = change and max(authors) < self.max_authors
            authors.append(max(authors) + 1 if new else authors[nearest])
        return authors


def _compared(texts: tuple[str, ...], pairs: Sequence[tuple[int, int]]) -> Generator[Step, list[Any], Sequence[float]]:
    """One round, also without pairs: every strategy has a first round."""
    replies = yield [Compare(texts, tuple(pairs))] if pairs else []
    return replies[0] if pairs else ()


def _joined(values: Any) -> str:
    return ",".join(map(str, values))
