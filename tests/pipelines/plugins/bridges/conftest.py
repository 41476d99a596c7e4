"""Tiny decoder-only models with random weights."""

from pathlib import Path

import pytest

from tests.tiny_folders import tiny


@pytest.fixture(scope="session")
def tiny_phi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with byte-level pieces, one special token for everything and no chat template."""
    return tiny("phi", tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose tokenizer puts a space before every text, and `<s>` first."""
    return tiny("llama", tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_qwen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a chat template."""
    return tiny("qwen", tmp_path_factory)
