"""Tiny decoder-only models with random weights."""

from collections.abc import Callable
from pathlib import Path

import pytest


def _tiny(kind: str, factory: pytest.TempPathFactory) -> Path:
    import torch

    from tests import tiny_models

    torch.set_num_threads(1)
    build: Callable[[Path], Path] = getattr(tiny_models, kind)
    return build(factory.mktemp(f"tiny_{kind}"))


@pytest.fixture(scope="session")
def tiny_phi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Byte-level pieces, one special token for everything, no chat template."""
    return _tiny("phi", tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer that puts a space before every text, and `<s>` first."""
    return _tiny("llama", tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_qwen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chat template."""
    return _tiny("qwen", tmp_path_factory)
