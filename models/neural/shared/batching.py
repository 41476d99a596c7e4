"""Batches: put together by length, worked off on one device or several, halved where the memory does not hold them."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import NoReturn, TypeVar

from longdoc.errors import UserError

BATCH_TOKENS = 32_768  # padded prompt tokens read together on a GPU by default
OUT_OF_MEMORY_SIGNS = ("out of memory", "can't allocate memory", "not enough memory", "alloc_failed")

Row = TypeVar("Row")
Result = TypeVar("Result")
Network = TypeVar("Network")


def batches(rows: Sequence[Row], length: Callable[[Row], int], budget: int, row_by_row: bool) -> Iterator[list[Row]]:
    """Batches of rows of similar length, the longest first, of at most `budget` padded tokens each.

    With `row_by_row` each batch has one row.
    """
    batch: list[Row] = []
    for row in sorted(rows, key=length, reverse=True):
        if batch and (row_by_row or (len(batch) + 1) * length(batch[0]) > budget):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def spread(
    networks: Sequence[Network], work: Callable[[Network, list[Row]], list[Result]], row_batches: Sequence[list[Row]]
) -> list[list[Result]]:
    """The results of `work` for each batch, in order; each network works on one batch at a time, in a thread.

    Fewer batches than networks are split, so that none of them idles.
    """
    if len(networks) < 2:  # none where there is nothing to do
        return [work(networks[0], batch) for batch in row_batches]
    free: SimpleQueue[Network] = SimpleQueue()
    for network in networks:
        free.put(network)

    def on_free_network(batch: list[Row]) -> list[Result]:
        network = free.get()
        try:
            return work(network, batch)
        finally:
            free.put(network)

    parts = [_parts(batch, -(-len(networks) // max(len(row_batches), 1))) for batch in row_batches]
    with ThreadPoolExecutor(len(networks)) as pool:
        results = iter(list(pool.map(on_free_network, [part for pieces in parts for part in pieces])))
    return [[result for _ in part for result in next(results)] for part in parts]


def halving_on_out_of_memory(
    batch: Sequence[Row], work: Callable[[Sequence[Row]], Sequence[Result]], failed: Callable[[Row, str], Result]
) -> list[Result]:
    """The results of `work` for a batch; where memory runs out, the batch is split in halves and tried again.

    For a row that does not fit on its own the result is `failed(row, reason)`.
    """
    try:
        return list(work(batch))
    except RuntimeError as error:  # torch.OutOfMemoryError is one
        if not any(sign in str(error).lower() for sign in OUT_OF_MEMORY_SIGNS):
            raise
        reason = str(error).partition("\n")[0]
    _release()  # here and not above: the error's frames hold on to what was allocated
    if len(batch) == 1:
        advice = "lower max_input_tokens or max_new_tokens, or take a device with more memory"
        return [failed(batch[0], f"out of memory on this request alone: {advice} ({reason})")]
    middle = (len(batch) + 1) // 2
    return [
        *halving_on_out_of_memory(batch[:middle], work, failed),
        *halving_on_out_of_memory(batch[middle:], work, failed),
    ]


def _parts(batch: list[Row], n: int) -> list[list[Row]]:
    size = -(-len(batch) // n)
    return [batch[position : position + size] for position in range(0, len(batch), size)]


def _release() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def raise_out_of_memory(row: object, reason: str) -> NoReturn:
    """Raise `UserError`: `failed` of `halving_on_out_of_memory` where the other rows are useless without this one."""
    raise UserError(reason)
