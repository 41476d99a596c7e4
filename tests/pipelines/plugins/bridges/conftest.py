"""Tiny decoder-only models with random weights."""

from pathlib import Path

import pytest

from tests.tiny_folders import tiny


@pytest.fixture(scope="session")
def tiny_phi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Byte-level pieces, one special token for everything, no chat template."""
    return tiny("phi", tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer that puts a space before every text, and `<s>` first."""
    return tiny("llama", tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_qwen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chat template."""
    return tiny("qwen", tmp_path_factory)
