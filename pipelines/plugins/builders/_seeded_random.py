"""Random choices that depend on a key alone, neither on the order of work nor on the version of Python.

Python promises only of `random.Random.random()` that it never changes, so all choices are made with it.
"""

from collections.abc import Iterable, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class SeededRandom:
    """Choices that follow from a key: `SeededRandom(seed, split, number)`."""

    def __init__(self, *key: str | int) -> None:
        self._random = Random("|".join(map(str, key)))

    def random(self) -> float:
        """A number from 0 to below 1."""
        return self._random.random()

    def below(self, bound: int) -> int:
        """A whole number from 0 to below `bound`."""
        return int(self._random.random() * bound)

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """The items in random order (Fisher and Yates)."""
        shuffled = list(items)
        for last in range(len(shuffled) - 1, 0, -1):
            other = self.below(last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled
