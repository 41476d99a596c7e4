"""The processes of `accelerate launch`: one of them writes, the others wait. With one process, these do nothing."""

import os
from collections.abc import Callable
from typing import Any


def world_size() -> int:
    """The number of processes that train together."""
    return int(os.environ.get("WORLD_SIZE") or 1)


def is_main() -> bool:
    """Whether this is the process that writes."""
    return world_size() == 1 or os.environ.get("RANK", "0") == "0"


def join(device: str | None) -> None:
    """Join the other processes, on the CPU if `device` is "cpu" or there is no GPU.

    "cuda" is then this process's own GPU.
    """
    if world_size() > 1:
        import torch
        from accelerate import PartialState

        PartialState(cpu=device == "cpu" or not torch.cuda.is_available())


def wait() -> None:
    """Wait for all processes."""
    if world_size() > 1:
        from accelerate import PartialState

        PartialState().wait_for_everyone()


def broadcast(value: Any) -> Any:
    """The main process's value, in all processes."""
    if world_size() == 1:
        return value
    from accelerate.utils import broadcast_object_list

    return broadcast_object_list([value])[0]


def once_per_group(write: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
    """Call `write` in the main process only; all wait until it is done."""
    if is_main():
        write(*arguments, **keywords)
    wait()
