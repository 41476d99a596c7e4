"""Random choices that depend on a key alone: neither on the order of work nor on the version of Python.

Of a seeded `random.Random`, only `random()` is promised never to change, so everything is made of that.
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
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed
