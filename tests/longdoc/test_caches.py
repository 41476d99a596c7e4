"""Folders of caches: only the user may open them, and another user's are refused."""

import os
import sys
from pathlib import Path

import pytest

from longdoc import caches
from longdoc.errors import UserError


def mode(path: Path) -> str:
    """The permissions of a path, such as "0o700"."""
    return oct(path.stat().st_mode & 0o777)


def test_the_home_is_the_folder_that_the_user_names_or_that_of_the_system(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "own"))
    assert caches.home() == tmp_path / "own"
    monkeypatch.delenv("LONGDOC_CACHE")
    assert caches.home().name == "longdoc"
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        assert caches.home() == tmp_path / "xdg" / "longdoc"
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert caches.home() == tmp_path / ".cache" / "longdoc"


def test_only_the_user_may_open_a_new_folder_and_the_home_above_it(tmp_path: Path) -> None:
    folder = caches.make(tmp_path / "home" / "replies")
    assert (mode(folder), mode(folder.parent)) == ("0o700", "0o700")


def test_an_older_folder_is_closed_to_others_and_a_home_that_the_user_named_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir(mode=0o755)
    tmp_path.chmod(0o755)
    caches.make(folder)
    assert (mode(folder), mode(tmp_path)) == ("0o700", "0o755")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("linked", [False, True])
def test_a_folder_or_a_link_of_another_user_is_refused(tmp_path: Path, monkeypatch, linked: bool) -> None:
    folder = tmp_path / "documents"
    if linked:
        (tmp_path / "mine").mkdir()
        folder.symlink_to(tmp_path / "mine")
        os.chown(tmp_path / "mine", 1234, 1234)
    else:
        folder.mkdir()
    os.lchown(folder, 4321, 4321)
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    for function in (caches.own_folder, caches.make):
        with pytest.raises(UserError, match=r"documents belongs to another user \(uid 4321\), who may have put"):
            function(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_folders_of_root_are_trusted_and_root_may_use_any(tmp_path: Path, monkeypatch) -> None:
    assert caches.own_folder(tmp_path / "nothing") == tmp_path / "nothing"
    os.chown(tmp_path, 4321, 4321)
    assert caches.own_folder(tmp_path) == tmp_path
    os.chown(tmp_path, 0, 0)
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    assert caches.own_folder(tmp_path) == tmp_path
