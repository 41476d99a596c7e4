"""Batches formed in advance, so that an interrupted training continues with the same ones."""

import math
import random
from collections.abc import Iterable, Iterator, Sequence

MEGABATCH = 50  # batches' worth of examples that are sorted by length together, as transformers' group_by_length


def passes(
    lengths: Sequence[int], epochs: float, size: int, budget: int | None, grouped: bool, seed: int
) -> list[list[int]]:
    """The batches of all passes over the examples, one pass after the other; each is shuffled by seed and pass.

    A batch holds `size` examples, or, with a `budget`, as many as have that many tokens when padded to the longest (a
    longer one is a batch of its own). `grouped`: batches of examples of similar length.
    """
    all_batches: list[list[int]] = []
    for number in range(math.ceil(epochs)):
        generator = random.Random(f"{seed}:{number}")
        order = list(range(len(lengths)))
        generator.shuffle(order)
        grouped_order = _grouped(order, lengths, size, budget) if grouped else order
        batches = list(_batches(grouped_order, lengths, size, budget))
        if grouped:
            generator.shuffle(batches)
        all_batches += batches[: max(1, round(len(batches) * min(1.0, epochs - number)))]
    return all_batches


def by_length(lengths: Sequence[int], size: int, budget: int | None) -> list[list[int]]:
    """The batches for validation, with examples of similar length together."""
    order = sorted(range(len(lengths)), key=lambda position: (-lengths[position], position))
    return list(_batches(order, lengths, size, budget))


def _batches(order: Iterable[int], lengths: Sequence[int], size: int, budget: int | None) -> Iterator[list[int]]:
    """The examples in batches, in their order; `size` and `budget` as in `passes`."""
    batch: list[int] = []
    width = 0
    for position in order:
        widest = max(width, lengths[position])
        if batch and (len(batch) == size if budget is None else (len(batch) + 1) * widest > budget):
            yield batch
            batch, widest = [], lengths[position]
        batch.append(position)
        width = widest
    if batch:
        yield batch


def _grouped(order: Sequence[int], lengths: Sequence[int], size: int, budget: int | None) -> Iterator[int]:
    """The examples with those of similar length together, sorted by length within `MEGABATCH` batches' worth."""
    batch_size = size if budget is None else max(1, budget * len(lengths) // max(1, sum(lengths)))
    megabatch_size = MEGABATCH * batch_size
    for start in range(0, len(order), megabatch_size):
        yield from sorted(order[start : start + megabatch_size], key=lambda position: -lengths[position])
