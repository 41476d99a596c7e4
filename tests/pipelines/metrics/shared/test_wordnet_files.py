import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.metrics.shared import wordnet_files

WITHOUT_FILES = """
import sys
from pipelines.metrics import NotComputable, get
from pipelines.metrics.shared import wordnet_files
wordnet_files._data_folders = lambda: iter([])
print("|wordnet:missing|" in get("meteor").signature)
try:
    get("meteor").prepare()
except NotComputable as error:
    print(error)
print("nltk" in sys.modules)
"""


def test_without_files_nltk_is_not_imported() -> None:
    root = Path(__file__).resolve().parents[4]
    environment = os.environ | {"PYTHONPATH": str(root)}
    process = subprocess.run(
        [sys.executable, "-c", WITHOUT_FILES], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    assert process.stdout.splitlines() == [
        "True", "WordNet is missing: python -m nltk.downloader wordnet, or meteor:wordnet=false", "False"
    ]  # fmt: skip


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
    nltk_data = pytest.importorskip("nltk.data")
    modules = sys.modules.pop("nltk.data")
    try:
        folders = list(map(str, wordnet_files._data_folders()))
    finally:
        sys.modules["nltk.data"] = modules
    assert [path for path in nltk_data.path if path in folders] == folders
