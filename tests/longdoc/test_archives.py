"""Zips and compressed files that are traps: bombs, members with paths outside, symbolic links."""

import bz2
import gzip
import stat
import struct
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from longdoc import archives
from longdoc.errors import UserError
from pipelines.sources import reading

OUTWARD = ("/etc/passwd", "../a", "a/../../b", "C:\\a", "c:a", "..\\a", "a/..", "\\\\host\\a")


def zipped(path: Path, *entries: zipfile.ZipInfo | str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for entry in entries:
            archive.writestr(entry, "x")
    return path


def link(name: str) -> zipfile.ZipInfo:
    """A member that is a symbolic link."""
    entry = zipfile.ZipInfo(name)
    entry.create_system, entry.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return entry


def refusal(path: Path) -> str:
    """The message that refuses an archive."""
    with pytest.raises(UserError) as refused, archives.opened(path):
        pass
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("name", OUTWARD)
def test_a_member_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    assert "which leads out of the archive: it is not read" in refusal(zipped(tmp_path / "a.zip", "a.txt", name))


def test_a_member_that_is_a_symbolic_link_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", "a.txt", link("b.txt"))
    assert refusal(path) == f"{path} has a member 'b.txt', which is a symbolic link: it is not read"


def test_a_zip_of_too_many_members_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path / "a.zip", *(f"{number}.txt" for number in range(4)))
    monkeypatch.setattr(archives, "MEMBERS", 3)
    assert refusal(path) == f"{path} has more than 3 members: unpack what is needed, and pass that"
    monkeypatch.setattr(archives, "DIRECTORY", 60)  # four entries of 46 bytes and five letters
    assert refusal(path) == f"{path} has a list of 204 bytes of members: unpack what is needed, and pass that"


def test_a_member_that_declares_too_large_a_size_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "FREE", 1_000)
    monkeypatch.setattr(archives, "RATIO", 100)
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "a" * 1_000_000)
    with zipfile.ZipFile(path) as archive:
        compressed = archive.getinfo("a.txt").compress_size
    bound = f"{100 * compressed:,} bytes, the bound for {compressed:,} compressed ones"
    assert refusal(path) == f"{path} becomes more than {bound}: if that is right, unpack it and pass the unpacked file"


def test_the_bound_grows_with_the_compressed_size_up_to_the_total() -> None:
    assert archives.max_size(0) == archives.max_size(200_000) == 1 << 30
    assert archives.max_size(1_000_000) == 5_000_000_000
    assert archives.max_size(1 << 30) == 1 << 38


@pytest.mark.parametrize(("ending", "module"), [(".gz", gzip), (".bz2", bz2)])
def test_rows_that_unpack_to_too_much_are_refused_while_they_are_read(tmp_path, monkeypatch, ending, module) -> None:
    path = tmp_path / f"rows.jsonl{ending}"
    path.write_bytes(module.compress(b'{"document": "a"}\n' * 10_000))
    assert sum(1 for _ in reading.lines(path)) == 10_000
    monkeypatch.setattr(archives, "FREE", 10_000)
    monkeypatch.setattr(archives, "RATIO", 10)
    monkeypatch.setattr(reading, "BLOCK", 1_000)
    with pytest.raises(UserError, match=r"becomes more than 10,000 bytes, the bound for \d+ compressed ones"):
        list(reading.lines(path))


def test_the_number_of_members_and_the_size_of_their_list_are_read_with_a_comment_and_in_zip64(
    tmp_path: Path,
) -> None:
    path = zipped(tmp_path / "a.zip", "a.txt", "b.txt")
    plain = path.read_bytes()
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"words " * 1_000
    commented = path.read_bytes()
    size = 2 * (46 + 5)
    end = plain[-22:]
    record = b"PK\6\6" + struct.pack("<Q2H2I4Q", 44, 45, 45, 0, 0, 2, 2, size, len(plain) - 22 - size)
    locator = b"PK\6\7" + struct.pack("<IQI", 0, len(plain) - 22, 1)
    large = plain[:-22] + record + locator + end[:8] + b"\xff" * 8 + end[16:]
    counts_and_sizes = [
        archives._list_of_members(BytesIO(data)) for data in (plain, commented, large, b"", b"no zip" * 10)
    ]
    assert counts_and_sizes == [(2, size), (2, size), (2, size), (0, 0), (0, 0)]
    assert zipfile.ZipFile(BytesIO(large)).namelist() == ["a.txt", "b.txt"]
