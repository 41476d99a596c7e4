"""Fixtures that every test may use."""

import os
import sys
from pathlib import Path

import pytest

from tests.browser import browse, chromium  # noqa: F401  (fixtures)
from tests.missing_extras import SkipsTheTest
from tests.tiny_folders import tiny
from tests.wordnet_files import wordnet  # noqa: F401  (a fixture)

ROOT = Path(__file__).resolve().parent.parent
sys.meta_path.append(SkipsTheTest())
os.environ["HF_HUB_OFFLINE"] = "1"  # no test reaches a hub; the library reads this when it is imported


def _shared(name: str, variable: str) -> Path:
    folder = Path(os.environ.get(variable, ROOT.parent / "shared" / name))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set {variable} to its folder")
    return folder


@pytest.fixture(scope="session")
def realdata() -> Path:
    """Real examples of every task family, read in place."""
    return _shared("realdata", "LONGDOC_REALDATA")


@pytest.fixture(scope="session")
def goldens() -> Path:
    """Scores that published scorers give."""
    return _shared("goldens", "LONGDOC_GOLDENS")


@pytest.fixture(scope="session")
def tiny_t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny T5 with random weights."""
    return tiny("t5", tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_longt5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny LongT5 with random weights."""
    return tiny("longt5", tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_bart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny BART with random weights."""
    return tiny("bart", tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_led(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny LED with random weights."""
    return tiny("led", tmp_path_factory)
