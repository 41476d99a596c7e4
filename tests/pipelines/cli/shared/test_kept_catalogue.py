"""The kept listing of components."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from longdoc import layout
from pipelines.cli.shared import kept_catalogue

LISTING = """
import sys
from pipelines.cli.main import app
app(["list", "components"], standalone_mode=False)
print([name for name in ("numpy", "rich", "chunkers.tokens", "retrievers", "models") if name in sys.modules],
      file=sys.stderr)
"""
CATALOGUE = {"chunkers": {"tokens": {"summary": "Windows.", "parameters": {"size": 200, "stride": None}}}}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Our files and the cache, in folders of the test."""
    for package in ("longdoc", *layout.PACKAGES):
        (tmp_path / package / "shared").mkdir(parents=True)
        (tmp_path / package / "shared" / "words.py").write_text("")
    monkeypatch.setattr(layout, "HOME", tmp_path)
    monkeypatch.setattr(layout, "LONGDOC", tmp_path / "longdoc")
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept_catalogue, "entry_points", lambda: SimpleNamespace(groups={"console_scripts"}))
    return tmp_path


class Counted:
    """Makes the listing, and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> kept_catalogue.Catalogue:
        self.calls += 1
        return CATALOGUE


def test_the_second_listing_is_the_first_and_imports_no_component(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[4]
    environment = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "TTY_COMPATIBLE")}
    environment |= {"PYTHONPATH": str(root), "LONGDOC_CACHE": str(tmp_path)}
    first, second = (
        subprocess.run(
            [sys.executable, "-c", LISTING], cwd=root, env=environment, capture_output=True, text=True, check=True
        )
        for _ in range(2)
    )
    assert first.stdout.startswith("chunkers\n  lines ")
    assert second.stdout == first.stdout
    assert first.stderr == "['numpy', 'chunkers.tokens', 'retrievers', 'models']\n"
    assert second.stderr == "[]\n"


def test_a_listing_holds_until_a_file_changes(home: Path) -> None:
    make = Counted()
    assert [kept_catalogue.kept(make) for _ in range(3)] == [CATALOGUE] * 3
    assert make.calls == 1
    (home / "retrievers" / "shared" / "words.py").write_text("WORDS = ()")
    kept_catalogue.kept(make)
    (home / "models" / "further.py").write_text("")
    kept_catalogue.kept(make)
    kept_catalogue.kept(make)
    assert make.calls == 3


@pytest.mark.parametrize("text", ["", "[]", json.dumps({"key": "of other files", "catalogue": {}})])
def test_what_is_no_listing_of_these_files_is_replaced(text: str, home: Path) -> None:
    path = home / "cache" / "catalogue" / "components.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert kept_catalogue.kept(Counted()) == CATALOGUE
    assert json.loads(path.read_text())["catalogue"] == CATALOGUE


def test_a_damaged_listing_is_made_anew(home: Path) -> None:
    make = Counted()
    kept_catalogue.kept(make)
    path = home / "cache" / "catalogue" / "components.json"
    path.write_text(path.read_text().replace("Windows.", "Wind0ws."))
    assert [kept_catalogue.kept(make) for _ in range(2)] == [CATALOGUE] * 2
    assert make.calls == 2


def test_where_nothing_can_be_kept_it_is_made_each_time(home: Path) -> None:
    (home / "cache").write_text("a file, no folder")
    make = Counted()
    assert [kept_catalogue.kept(make) for _ in range(2)] == [CATALOGUE] * 2
    assert make.calls == 2


def test_with_components_of_others_nothing_is_kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_catalogue, "entry_points", lambda: SimpleNamespace(groups={"longdoc.chunkers"}))
    make = Counted()
    assert [kept_catalogue.kept(make) for _ in range(2)] == [CATALOGUE] * 2
    assert make.calls == 2
    assert not (home / "cache").exists()
