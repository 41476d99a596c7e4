"""Batches of like length, on several devices, and what happens when the memory is too small."""

import threading

import pytest

from models.neural.shared.batching import batches, halving_on_out_of_memory, spread
from tests import patience


class SmallMemory:
    """A network with memory for `n` rows of at most `length` letters."""

    def __init__(self, n: int, length: int = 99, message: str = "CUDA out of memory. Tried to allocate 2 GiB") -> None:
        self.n, self.length, self.message, self.sizes = n, length, message, list[int]()

    def __call__(self, rows: "list[str] | tuple[str, ...]") -> list[str]:
        self.sizes.append(len(rows))
        if len(rows) > self.n or max(map(len, rows)) > self.length:
            raise RuntimeError(f"{self.message}\nmore lines")
        return [row.upper() for row in rows]


def failed(row: str, reason: str) -> str:
    return f"{row}: {reason}"


def test_a_batch_over_the_memory_is_halved_until_it_fits() -> None:
    memory = SmallMemory(2)
    assert halving_on_out_of_memory(list("abcde"), memory, failed) == list("ABCDE")
    assert memory.sizes == [5, 3, 2, 1, 2]


def test_a_row_that_does_not_fit_alone_fails_alone() -> None:
    memory = SmallMemory(4, length=3)
    first, second, third = halving_on_out_of_memory(["a", "long one", "c"], memory, failed)
    assert (first, third) == ("A", "C")
    assert second.startswith("long one: out of memory on this request alone: lower max_input_tokens")
    assert second.endswith("(CUDA out of memory. Tried to allocate 2 GiB)")


@pytest.mark.parametrize(
    "message",
    ["DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes", "CUBLAS_STATUS_ALLOC_FAILED when …"],
)
def test_other_messages_about_missing_memory_are_recognised(message: str) -> None:
    assert halving_on_out_of_memory(list("ab"), SmallMemory(1, message=message), failed) == ["A", "B"]


def test_torch_s_out_of_memory_error_is_recognised() -> None:
    import torch

    def work(rows: "list[str] | tuple[str, ...]") -> list[str]:
        if len(rows) > 1:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return list(rows)

    assert halving_on_out_of_memory(["a", "b", "c"], work, failed) == ["a", "b", "c"]


def test_other_errors_are_not_swallowed() -> None:
    with pytest.raises(RuntimeError, match="shapes do not match"):
        halving_on_out_of_memory(list("ab"), SmallMemory(1, message="shapes do not match"), failed)


def test_rows_of_like_length_are_put_together_under_the_budget() -> None:
    rows = ["aaaa", "b", "cc", "dddd", "eee"]
    assert list(batches(rows, len, 8, False)) == [["aaaa", "dddd"], ["eee", "cc"], ["b"]]
    assert list(batches(rows, len, 8, True)) == [["aaaa"], ["dddd"], ["eee"], ["cc"], ["b"]]
    assert list(batches(["long"], len, 2, False)) == [["long"]]


def test_each_network_works_at_one_batch_at_a_time_and_results_come_in_order() -> None:
    met = threading.Barrier(2, timeout=patience.SECONDS)  # breaks unless both work at the same time
    used: list[str] = []

    def work(network: str, rows: list[int]) -> list[int]:
        used.append(network)
        met.wait()
        return [10 * row for row in rows]

    assert spread(["one", "two"], work, [[1, 2], [3], [4], [5, 6]]) == [[10, 20], [30], [40], [50, 60]]
    assert sorted(set(used)) == ["one", "two"]


def test_one_batch_is_split_so_that_no_network_idles() -> None:
    sizes: list[int] = []

    def work(network: str, rows: list[int]) -> list[int]:
        sizes.append(len(rows))
        return rows

    assert spread(["one", "two", "three"], work, [[1, 2, 3, 4, 5]]) == [[1, 2, 3, 4, 5]]
    assert sorted(sizes) == [1, 2, 2]
    assert spread(["one", "two"], work, []) == spread([], work, []) == []
