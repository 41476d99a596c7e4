"""Batches of requests for one call of a reader: neighbours in a list that is sorted by length."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def by_length(
    longest_first: Iterable[T], tokens: Callable[[T], int], budget: int | None, maximum: int
) -> Iterator[list[T]]:
    """Batches in order, of at most `budget` tokens with their padding; without a budget, of at most `maximum` items."""
    batch: list[T] = []
    for item in longest_first:
        longest = tokens(batch[0]) if batch else 0
        is_full = len(batch) >= maximum if budget is None else (len(batch) + 1) * longest > budget
        if batch and is_full:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch
