"""Fixtures that every test may use."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.browser import browse, chromium  # noqa: F401  (fixtures)
from tests.captured_log import log  # noqa: F401  (a fixture)
from tests.missing_extras import SkipsTheTest
from tests.tiny_folders import tiny
from tests.wordnet_files import wordnet  # noqa: F401  (a fixture)

ROOT = Path(__file__).resolve().parent.parent
sys.meta_path.append(SkipsTheTest())
os.environ.setdefault("OMP_NUM_THREADS", "1")  # several test processes share the cores
os.environ.setdefault("RAY_TMPDIR", "/tmp")  # noqa: S108  (a socket's path has 107 bytes at most, whatever TMPDIR is)
os.environ["HF_HUB_OFFLINE"] = "1"  # no test reaches a hub; the library reads this when it is imported

# Modules and collected tests stay until the end: the garbage collector need not look through them each time.
gc.disable()


# The files that take longest come first, so that no process is left alone with one of them at the end.
LONGEST = [
    f"tests/{name}.py"
    for name in (
        "pipelines/plugins/cluster/engines/test_ray", "test_wheel", "test_docs", "test_site",
        "models/neural/test_seq2seq", "pipelines/metrics/shared/test_wordnet_files",
        "pipelines/runs/test_hostile_folders", "pipelines/runs/test_readers", "pipelines/results/reports/test_page",
        "models/encoders/test_sentence_transformer", "attacks/faults/test_power_cuts", "attacks/faults/test_kills",
        "attacks/strangers/test_strangers", "pipelines/plugins/training/shared/test_job",
        "benchmarks/test_style_documents", "laws/test_strangers_plugin", "pipelines/results/index_page/test_page",
    )
]  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; with `--no-loadscope-reorder` several processes take them in this order."""
    items.sort(key=lambda item: item.location[0] not in LONGEST)


def pytest_collection_finish() -> None:
    """From here on, collect garbage among new objects only."""
    gc.freeze()
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    """Keep caches in a folder of this session, and wait for no disk.

    A run syncs about fifteen times; tests of power cuts model their own disk.
    """
    if not hasattr(config, "workerinput"):  # xdist's processes inherit the folder
        cache = tempfile.TemporaryDirectory(prefix="longdoc-tests-")
        os.environ["LONGDOC_CACHE"] = cache.name
        config.add_cleanup(cache.cleanup)

    def only_check(file: Any) -> None:
        os.fstat(file if isinstance(file, int) else file.fileno())

    os.fsync = only_check


# Tests that a shell starts in the background ignore Ctrl-C, and so would the processes that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# `quick` tries the same examples in every run, so that only a change of the code can fail; `thorough` tries new ones.
hypothesis.settings.register_profile("quick", derandomize=True, database=None, deadline=None, max_examples=30)
hypothesis.settings.register_profile("thorough", database=None, deadline=None, max_examples=1000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


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
    """Scores computed by published scorers."""
    return _shared("goldens", "LONGDOC_GOLDENS")


@pytest.fixture(scope="session")
def prompt_files() -> Path:
    """The benchmarks' own files of prompts."""
    return _shared("prompt_files", "LONGDOC_PROMPT_FILES")


@pytest.fixture(scope="session")
def real_models() -> Path:
    """The folder with language models in GGUF and llama.cpp's server, which LONGDOC_MODELS names."""
    folder = Path(os.environ.get("LONGDOC_MODELS", ""))
    if not os.environ.get("LONGDOC_MODELS") or not folder.is_dir():
        pytest.skip("no real models: set LONGDOC_MODELS to the folder with llama-server and the models")
    return folder


@pytest.fixture
def read_only() -> Iterator[Callable[[Path], None]]:
    """A function that makes a folder read-only; for root, who may write everywhere, by a read-only mount."""
    folders: list[Path] = []

    def make(folder: Path) -> None:
        if os.geteuid():
            for directory in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
                directory.chmod(0o500)
        else:
            _mount("--bind", "-o", "ro", str(folder), str(folder))
        folders.append(folder)

    yield make
    for folder in folders:
        _writable_again(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """A function that makes a folder on a disk of `size` KB; needs root."""
    folder = tmp_path / "disk"

    def make(size: int) -> Path:
        folder.mkdir()
        _mount("-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(folder))
        return folder

    yield make
    if folder.is_mount():
        _writable_again(folder)


def _mount(*arguments: str) -> None:
    process = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if process.returncode:
        pytest.skip(f"nothing can be mounted here: {process.stderr.strip()}")


def _writable_again(folder: Path) -> None:
    if os.geteuid():
        for directory in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
            directory.chmod(0o700)
    else:
        subprocess.run(["umount", "--lazy", folder], check=True)  # files in it may still be mapped


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
