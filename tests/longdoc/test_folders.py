"""Output folders: an impossible name is refused before any work."""

from pathlib import Path

import pytest

from longdoc.errors import UserError
from longdoc.folders import expanded, is_file, is_folder, make_folder, output_folder


def test_an_existing_or_possible_folder_is_accepted(tmp_path: Path) -> None:
    assert output_folder(tmp_path) == tmp_path
    assert output_folder(str(tmp_path / "new" / "below")) == tmp_path / "new" / "below"
    assert output_folder(tmp_path / ("x" * 255)).name == "x" * 255


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("x" * 256, "a name in it has more than 255 bytes"),
        ("missing/" + "é" * 128, "a name in it has more than 255 bytes"),
        ("/".join(["x" * 200] * 30), "File name too long"),
        ("a\0b", "a name in it has a zero byte"),
        ("file/below", "file is a file"),
        ("file/below/that", "file is a file"),
        ("loop/below", "Too many levels of symbolic links"),
    ],
)
def test_an_impossible_folder_name_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("words")
    Path("loop").symlink_to("loop")
    with pytest.raises(UserError) as refused:
        output_folder(name)
    shown = name if len(name) <= 100 else f"{name[:100]}…"
    assert str(refused.value) == f"out={shown!r} cannot be a folder ({problem}): name another one"


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="this system has no /proc, where no folder can be made")
def test_a_folder_that_cannot_be_made_is_refused_in_a_line() -> None:
    with pytest.raises(
        UserError, match=r"^out='/proc/x/y' cannot be a folder \(No such file or directory\): name another"
    ):
        make_folder(Path("/proc/x/y"))


def test_the_home_folder_of_nobody_is_refused() -> None:
    assert expanded("~") == Path.home()
    assert expanded("a/~b") == Path("a/~b")
    with pytest.raises(UserError, match=r"'~nobody-here/x' is in the home folder of nobody here: write the path out"):
        expanded("~nobody-here/x")


def test_what_no_file_can_be_named_is_none(tmp_path: Path) -> None:
    assert is_folder(str(tmp_path))
    assert not any(map(is_folder, ("x" * 300, "a\0b", str(tmp_path / "none"))))
    assert not any(map(is_file, (Path("x" * 300), Path("a\0b"), tmp_path)))
