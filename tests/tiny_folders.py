"""Folders of tiny models with random weights, for fixtures. Imports torch only when it makes one."""

from collections.abc import Callable
from pathlib import Path

import pytest


def tiny(kind: str, factory: pytest.TempPathFactory) -> Path:
    """Make the tiny model `kind` of `tests.tiny_models`; return its folder."""
    import torch

    from tests import tiny_models

    torch.set_num_threads(1)
    build: Callable[[Path], Path] = getattr(tiny_models, kind)
    return build(factory.mktemp(f"tiny_{kind}"))
