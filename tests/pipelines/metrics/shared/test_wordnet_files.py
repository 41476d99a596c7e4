import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from benchmarks.wordnet import DEBIAN, build
from pipelines.metrics.shared import wordnet_files

WITHOUT_FILES = """
import sys
from pipelines.metrics import NotComputable, get
from pipelines.metrics.shared import wordnet_files
wordnet_files._data_folders = lambda: iter([])
wordnet_files.DEBIAN = wordnet_files.Path("nowhere")
print("|wordnet:missing|" in get("meteor").signature)
try:
    get("meteor").prepare()
except NotComputable as error:
    print(error)
print("nltk" in sys.modules)
"""

WITH_FILES = """
import sys
from pipelines.api import dry_run
from pipelines.metrics import get
dry_run("narrativeqa", data="sample", limit=1, retriever="tfidf", model="extractive")
signature = get("meteor").signature
print("nltk" in sys.modules)
get("meteor").prepare()
print("nltk" in sys.modules, get("meteor").signature == signature, "|wordnet:3.0|" in signature)
"""


def printed_lines(code: str, **variables: str) -> list[str]:
    root = Path(__file__).resolve().parents[4]
    environment = os.environ | {"PYTHONPATH": str(root)} | variables
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    return process.stdout.splitlines()


def test_without_files_nltk_is_not_imported() -> None:
    assert printed_lines(WITHOUT_FILES) == [
        "True", "WordNet is missing: python -m nltk.downloader wordnet (Debian, Ubuntu: apt install wordnet-base), or "
        "meteor:wordnet=false", "False"
    ]  # fmt: skip


@pytest.mark.skipif(not DEBIAN.is_dir(), reason="Debian's wordnet-base is not installed")
@pytest.mark.parametrize("is_archive", [False, True])
def test_with_files_nltk_is_imported_where_meteor_is_computed(is_archive: bool, tmp_path: Path) -> None:
    folder = tmp_path / "corpora" / "wordnet"
    build(folder)
    if is_archive:
        with zipfile.ZipFile(folder.with_suffix(".zip"), "w") as archive:
            for path in sorted(folder.iterdir()):
                archive.write(path, f"wordnet/{path.name}")
                path.unlink()
        folder.rmdir()
    assert printed_lines(WITH_FILES, NLTK_DATA=str(tmp_path)) == ["False", "True True True"]


@pytest.mark.parametrize("missing", ["lexnames", "data.adj", "a license"])
def test_files_that_nltk_may_not_read_have_no_version(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wordnet_files, "_data_folders", lambda: iter([tmp_path]))
    folder = tmp_path / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for name in wordnet_files._REQUIRED_FILES:
        (folder / name).write_text("  1 WordNet 3.1 Copyright 2011 by Princeton University.\n")
    assert wordnet_files.version() == "3.1"
    if missing == "a license":
        (folder / "data.adj").write_text("")
    else:
        (folder / missing).unlink()
    assert wordnet_files.version() is None


def test_a_damaged_archive_has_no_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordnet_files, "_data_folders", lambda: iter([tmp_path]))
    monkeypatch.setattr(wordnet_files, "DEBIAN", tmp_path)
    assert wordnet_files.version() is None
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "wordnet.zip").write_text("no archive")
    assert wordnet_files.version() is None


@pytest.mark.parametrize("name", ["wordnet", "wordnet.zip"])
def test_a_folder_or_an_archive_in_a_data_folder_of_nltk_is_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "nltk.data", raising=False)
    monkeypatch.setattr(wordnet_files, "_UNIX", ())
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "python"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NLTK_DATA", os.pathsep.join(["", str(tmp_path / "none"), str(tmp_path / "data")]))
    assert not wordnet_files.is_present()
    (tmp_path / "data" / "corpora" / name).mkdir(parents=True)
    assert wordnet_files.is_present()


def test_the_folders_are_those_of_nltk_in_its_order() -> None:
    pytest.importorskip("nltk")
    modules = sys.modules.pop("nltk.data", None)
    try:
        folders = list(map(str, wordnet_files._data_folders()))
    finally:
        if modules is not None:
            sys.modules["nltk.data"] = modules
    code = "import nltk.data; print(*nltk.data.path, sep=chr(10))"  # in a process without longdoc
    paths = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert [path for path in paths if path in folders] == folders


WITH_DEBIAN = """
from pipelines.metrics import get
from pipelines.metrics.shared import wordnet_files
wordnet_files._data_folders = lambda: iter([])
print("|wordnet:3.0|" in get("meteor").signature)
print(get("meteor").score(["the car"], [["the auto"]]))
print("|wordnet:3.0|" in get("meteor").signature)
"""


@pytest.mark.skipif(not DEBIAN.is_dir(), reason="Debian's wordnet-base is not installed")
def test_debians_files_are_read_where_nltk_has_none() -> None:
    assert printed_lines(WITH_DEBIAN) == ["True", "{'meteor': 93.75}", "True"]
