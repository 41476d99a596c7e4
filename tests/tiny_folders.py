"""Folders of tiny models with random weights, for fixtures: torch is imported where one is made."""

from collections.abc import Callable
from pathlib import Path

import pytest


def tiny(kind: str, factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that `tests.tiny_models` makes."""
    import torch

    from tests import tiny_models

    torch.set_num_threads(1)
    build: Callable[[Path], Path] = getattr(tiny_models, kind)
    return build(factory.mktemp(f"tiny_{kind}"))
