"""Batches: put together by length, worked off on one device or several, halved where the memory does not hold them."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import NoReturn, TypeVar

from longdoc.errors import UserError

BATCH_TOKENS = 32_768  # padded prompt tokens read together on a GPU by default
NO_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "alloc_failed")

Row = TypeVar("Row")
Result = TypeVar("Result")
Network = TypeVar("Network")


def batches(rows: Sequence[Row], length: Callable[[Row], int], budget: int, row_by_row: bool) -> Iterator[list[Row]]:
    """Rows of similar length together, the longest first, at most `budget` padded tokens; one by one if set so."""
    batch: list[Row] = []
    for row in sorted(rows, key=length, reverse=True):
        if batch and (row_by_row or (len(batch) + 1) * length(batch[0]) > budget):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def spread(
    networks: Sequence[Network], work: Callable[[Network, list[Row]], list[Result]], all_rows: Sequence[list[Row]]
) -> list[list[Result]]:
    """What `work` gives for each batch, in order. Each network works at one batch at a time, several in threads.

    Fewer batches than networks are split, so that none of them idles.
    """
    if len(networks) < 2:  # none where there is nothing to do
        return [work(networks[0], batch) for batch in all_rows]
    free: SimpleQueue[Network] = SimpleQueue()
    for network in networks:
        free.put(network)

    def on_a_free_one(batch: list[Row]) -> list[Result]:
        network = free.get()
        try:
            return work(network, batch)
        finally:
            free.put(network)

    parts = [_parts(batch, -(-len(networks) // max(len(all_rows), 1))) for batch in all_rows]
    with ThreadPoolExecutor(len(networks)) as pool:
        done = iter(list(pool.map(on_a_free_one, [part for some_parts in parts for part in some_parts])))
    return [[result for _ in part for result in next(done)] for part in parts]


def halved(
    batch: Sequence[Row], work: Callable[[Sequence[Row]], Sequence[Result]], failed: Callable[[Row, str], Result]
) -> list[Result]:
    """What `work` gives for the batch, in halves where the memory is too small for it.

    A row that does not fit on its own gives what `failed` makes of it and of the reason.
    """
    try:
        return list(work(batch))
    except RuntimeError as error:  # torch.OutOfMemoryError is one
        if not any(sign in str(error).lower() for sign in NO_MEMORY):
            raise
        reason = str(error).partition("\n")[0]
    _release()  # here and not above: the error's frames hold on to what was allocated
    if len(batch) == 1:
        advice = "lower max_input_tokens or the output's length, or take a device with more memory"
        return [failed(batch[0], f"out of memory on this request alone: {advice} ({reason})")]
    middle = (len(batch) + 1) // 2
    return [*halved(batch[:middle], work, failed), *halved(batch[middle:], work, failed)]


def _parts(batch: list[Row], n: int) -> list[list[Row]]:
    size = -(-len(batch) // n)
    return [batch[position : position + size] for position in range(0, len(batch), size)]


def _release() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def no_memory(row: object, reason: str) -> NoReturn:
    """What `halved` does of a row that must be read for the others to mean anything: raise `UserError`."""
    raise UserError(reason)
