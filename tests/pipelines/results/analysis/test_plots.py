"""Plots: written where matplotlib is, refused with the pip line where it is not."""

import sys
from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.records import Document, Example

DATA = [Example("a", Document("d", "Anna keeps bees. Bert mends clocks."), "Who?", ("Anna keeps bees",))]


@pytest.mark.parametrize("ending", ["png", "svg"])
@pytest.mark.parametrize("verb", ["spread", "lengths"])
def test_a_plot_is_written_the_same_each_time(tmp_path: Path, verb: str, ending: str) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    found = getattr(pipelines, verb)("scrolls/qasper", data=DATA)
    paths = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for path in paths:
        found.plot(path)
    beginning = {"png": b"\x89PNG", "svg": b"<?xml"}[ending]
    assert paths[0].read_bytes().startswith(beginning)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_without_matplotlib_the_error_names_the_pip_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UserError, match=r"pip install 'longdoc\[plots\]'"):
        pipelines.spread("scrolls/qasper", data=DATA).plot(tmp_path / "a.png")


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    found = pipelines.spread("scrolls/qasper", data=DATA)
    with pytest.raises(UserError, match=r"a plot is written as .png, .svg, .pdf, not 'a.gif'"):
        found.plot(tmp_path / "a.gif")
    with pytest.raises(UserError, match="there is no folder"):
        found.plot(tmp_path / "nowhere" / "a.png")
