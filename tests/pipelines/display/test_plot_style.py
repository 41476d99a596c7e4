"""Plots: written where matplotlib is, refused with the pip line where it is not."""

import sys
from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines.display.plot_style import axes, check


@pytest.mark.parametrize(("ending", "beginning"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_a_plot_is_written_the_same_each_time(tmp_path: Path, ending: str, beginning: bytes) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    paths = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for path in paths:
        with axes(path, (3.0, 2.0), "Anna's bees, $1") as ax:
            ax.plot([1, 2], [3, 1])
    assert paths[0].read_bytes().startswith(beginning)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_without_matplotlib_the_error_names_the_pip_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UserError, match=r"pip install 'longdoc\[plots\]'"):
        check(tmp_path / "a.png")


def test_unknown_endings_and_missing_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"the name of a plot must end in .png, .svg, .pdf, got 'a.gif'"):
        check(tmp_path / "a.gif")
    with pytest.raises(UserError, match="there is no folder"):
        check(tmp_path / "nowhere" / "a.png")
