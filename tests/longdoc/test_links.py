"""Symbolic links: files are read through them only where allowed, and nothing is written through them."""

import os
from pathlib import Path

import pytest

from longdoc import files, links
from longdoc.errors import UserError
from longdoc.files import clear_unfinished, unfinished, write_pieces, write_whole
from longdoc.links import appended, check_files, check_inside, check_parts, check_tree, follow_links, new_file

WRITES = {
    "a file written whole": lambda folder: write_whole(folder, "out.json", "new"),
    "a file written in pieces": lambda folder: write_pieces(folder, "out.json", [b"new"]),
    "a log": lambda folder: appended(folder / "out.json"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run's folder, beside a file (`victim`) that no link may reach."""
    (tmp_path / "victim").write_text("precious", encoding="utf-8")
    (tmp_path / "run").mkdir()
    return tmp_path / "run"


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("target", ["../victim", "../nothing-there", "inside"])
def test_nothing_is_written_through_a_link_to_any_target(folder: Path, write, target: str) -> None:
    (folder / "inside").write_text("mine", encoding="utf-8")
    (folder / "out.json").symlink_to(target)
    with pytest.raises(UserError, match=rf"out.json is a link to {target}, and nothing .*, then type: rm .*/out.json"):
        write(folder)
    assert (folder / "out.json").is_symlink()
    assert (folder.parent / "victim").read_text(encoding="utf-8") == "precious"
    assert (folder / "inside").read_text(encoding="utf-8") == "mine"
    assert not (folder.parent / "nothing-there").exists()


def test_a_link_that_appears_at_the_last_moment_is_refused_by_the_system(folder: Path, monkeypatch) -> None:
    (folder / "log").symlink_to("../victim")
    checked = []
    monkeypatch.setattr(links, "refuse_link", checked.append)
    with pytest.raises(OSError, match="symbolic links"):
        appended(folder / "log")
    with pytest.raises(FileExistsError):
        new_file(folder / "log")
    assert checked == [folder / "log"] * 2  # once before opening, once for the message
    assert (folder.parent / "victim").read_text(encoding="utf-8") == "precious"


def test_a_temporary_file_has_a_name_that_nobody_can_take_before(folder: Path) -> None:
    names = set()
    for _ in range(3):
        with unfinished(folder / "scores.json") as file:
            names.add(Path(file.name).name)
    assert len(names) == 3
    assert list(folder.iterdir()) == []


def test_a_planted_temporary_file_is_neither_written_nor_cleared(folder: Path) -> None:
    (folder / ".out.json.tmp").symlink_to("../victim")
    write_whole(folder, "out.json", "new")
    clear_unfinished(folder)
    assert (folder / ".out.json.tmp").is_symlink()
    assert (folder.parent / "victim").read_text(encoding="utf-8") == "precious"


def test_no_lock_is_taken_through_a_link(folder: Path) -> None:
    (folder / ".lock").symlink_to("../victim")
    time = (folder.parent / "victim").stat().st_mtime_ns
    with pytest.raises(UserError, match=r"\.lock is a link to \.\./victim"):
        files.locked(folder)
    assert not files.is_locked(folder)
    assert (folder.parent / "victim").stat().st_mtime_ns == time


def test_the_typed_folder_and_those_above_may_be_links(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "typed").symlink_to("run")
    write_whole(tmp_path / "typed", "out.json", "new")
    assert (folder / "out.json").read_text(encoding="utf-8") == "new"
    assert check_inside(tmp_path / "typed" / "out.json", tmp_path / "typed") == tmp_path / "typed" / "out.json"


def test_a_link_between_the_typed_folder_and_the_file_is_refused(folder: Path) -> None:
    (folder / "runs").symlink_to("..")
    with pytest.raises(UserError, match=r"runs is a link to \.\., and nothing is written"):
        links.refuse_links_between(folder, folder / "runs" / "a")
    links.refuse_links_between(folder / "runs", folder / "runs" / "a")
    links.refuse_links_between(folder, folder.parent / "elsewhere")


def test_links_are_read_within_the_typed_folder_and_out_of_it_only_if_links_are_followed(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "inner").symlink_to("../b.txt")
    (folder / "b.txt").write_text("b", encoding="utf-8")
    check_tree(folder)
    (folder / "a" / "outer").symlink_to("../../victim")
    refusal = r"outer leads out of .*run by a link, to .*victim: if you trust it, add --follow-links"
    for check in (
        lambda: check_tree(folder),
        lambda: check_files(folder / "a"),
        lambda: check_parts(folder, ["a/outer"]),
    ):
        with pytest.raises(UserError, match=r"(outer|inner) leads out of"):
            check()
        with follow_links():
            check()
    with pytest.raises(UserError, match=refusal):
        check_inside(folder / "a" / "outer", folder)
    assert not links.are_followed()


def test_a_file_behind_a_link_to_a_folder_is_outside_too(folder: Path) -> None:
    (folder / "up").symlink_to("..")
    with pytest.raises(UserError, match=r"up/victim leads out of"):
        check_inside(folder / "up" / "victim", folder)


def test_files_elsewhere_that_a_record_names_need_permission(folder: Path) -> None:
    outside = ["../victim", str(folder.parent / "victim")]
    check_parts(folder, outside, is_typed_elsewhere=True)
    for name in outside:
        with pytest.raises(UserError, match="which lies outside it: if you trust it, add --follow-links"):
            check_parts(folder, [name])
    with follow_links():
        check_parts(folder, outside)


def test_a_repository_in_a_hub_cache_is_one_folder(tmp_path: Path) -> None:
    home = tmp_path / "datasets--a--b"
    snapshot = home / "snapshots" / "c0"
    snapshot.mkdir(parents=True)
    (home / "blobs").mkdir()
    (home / "blobs" / "1").write_text("rows", encoding="utf-8")
    (snapshot / "rows.jsonl").symlink_to("../../blobs/1")
    check_tree(snapshot)
    (snapshot / "more.jsonl").symlink_to("../../../secret")
    with pytest.raises(UserError, match=r"more\.jsonl leads out of"):
        check_tree(snapshot)


def test_processes_that_are_started_within_follow_links_also_follow_links(monkeypatch) -> None:
    monkeypatch.delenv(links.VARIABLE, raising=False)
    with follow_links():
        assert os.environ["LONGDOC_FOLLOW_LINKS"] == "1"
        with follow_links():
            pass
        assert links.are_followed()
    assert "LONGDOC_FOLLOW_LINKS" not in os.environ
