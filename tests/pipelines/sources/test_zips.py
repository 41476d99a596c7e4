"""Files inside zips: where they are found, that they are streamed, and what is refused."""

import json
import random
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.benchmarks.muld.tasks import DATASETS as MULD
from pipelines.benchmarks.scrolls.tasks import DATASETS
from pipelines.sources import json_rows
from pipelines.sources.zips import Member

COMMIT = "0123456789abcdef0123456789abcdef01234567"
MEMBER = "qmsum/validation.jsonl"
ROWS = [{"id": n, "pid": f"{n}_0", "input": f"What of {n}?\n\nThe meeting.", "output": f"It is {n}."} for n in "abc"]


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def write(path: Path, members: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def published(path: Path, **more: Any) -> Path:
    """A zip as SCROLLS publishes them; the validation split holds `ROWS`."""
    others = {f"qmsum/{split}.jsonl": lines({**ROWS[0], "id": split}) for split in ("train", "test")}
    return write(path, {"qmsum/": "", **others, MEMBER: lines(*ROWS)}, **more)


def opened(data: Any = None, split: str = "validation") -> sources.Dataset:
    return sources.load("scrolls/qmsum", replace(DATASETS["qmsum"], originals=()), data, split)


def read(data: Any) -> list[str]:
    return [example.id for example in opened(data).examples()]


def test_published_zips_come_from_the_hub_cache_with_the_commit_that_they_are_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    repository = tmp_path / "hub" / "datasets--tau--scrolls"
    link = repository / "snapshots" / COMMIT / "qmsum.zip"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(COMMIT)
    link.parent.mkdir(parents=True)
    link.symlink_to(published(repository / "blobs" / "0a1b"))
    data = opened()
    assert [example.id for example in data.examples()] == ["a", "b", "c"]
    assert data.fingerprint == {
        "repository": "tau/scrolls",
        "revision": COMMIT,
        "files": ["qmsum.zip::qmsum/validation.jsonl"],
    }
    assert data.warnings == ["3 examples read where the paper's table counts 272"]
    assert DATASETS["qmsum"].downloads("validation") == ("qmsum.zip",)


def test_the_zip_its_folder_what_it_was_unpacked_to_and_the_file_are_read_alike(tmp_path: Path) -> None:
    archive = published(tmp_path / "zipped" / "qmsum.zip")
    with zipfile.ZipFile(archive) as whole:
        whole.extractall(tmp_path / "unpacked")
    renamed = published(tmp_path / "downloaded.ZIP")
    for data in (archive, archive.parent, tmp_path / "unpacked", tmp_path / "unpacked" / "qmsum", renamed):
        assert read(data) == ["a", "b", "c"]
    assert read(tmp_path / "unpacked" / MEMBER) == ["a", "b", "c"]
    assert [one.id for one in opened(archive, "train").examples()] == ["train"]


def test_the_fingerprint_of_a_local_zip_is_the_archive_s(tmp_path: Path) -> None:
    archive = published(tmp_path / "qmsum.zip")
    size, digest = archive.stat().st_size, sha256(archive.read_bytes()).hexdigest()
    expected = {"files": [{"name": "qmsum.zip", "bytes": size, "sha256": digest}], "size": size}
    assert opened(archive).fingerprint == opened(tmp_path).fingerprint == expected


def test_a_big_member_is_streamed_and_nothing_is_written_to_disk(tmp_path: Path) -> None:
    text = "x" * 1_000_000
    made = ({**ROWS[0], "id": str(n), "input": f"Who is {n}?\n\n{n} {text}"} for n in range(40))
    archive = write(tmp_path / "qmsum.zip", {MEMBER: lines(*made)})
    data = opened(archive)
    tracemalloc.start()
    assert sum(1 for _ in data.examples()) == 40
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 15_000_000  # 40,000,000 characters are read
    assert list(tmp_path.iterdir()) == [archive]


def test_rows_before_the_damage_come_first_and_the_sum_tells_it_at_the_end(tmp_path: Path) -> None:
    noise = random.Random(3)
    rows = [{"text": "".join(noise.choices("abcdefgh", k=300_000))} for _ in range(12)]
    archive = write(tmp_path / "a.zip", {"rows.jsonl": lines(*rows)})
    whole = bytearray(archive.read_bytes())
    middle = len(whole) * 3 // 4
    whole[middle : middle + 100] = bytes(100)
    archive.write_bytes(whole)
    found = []
    with pytest.raises(UserError, match=r"a.zip::rows.jsonl cannot be read .*fetch or copy it again"):
        for _, fields in json_rows.objects(Member(archive, "rows.jsonl")):
            found.append(fields)
    assert found[:5] == rows[:5]


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def without_a_piece(data: bytes) -> bytes:
    at = data.rindex(b"The meeting.")
    return data[:at] + data[at + 5 :]


def flipped(data: bytes) -> bytes:
    return data.replace(b"The meeting.", b"The meetinG.")


def shortened(data: bytes) -> bytes:
    """The archive says that there is nothing behind half of the member's bytes."""
    at = data.index(MEMBER.encode(), data.index(b"PK\x01\x02")) - 46 + 20
    size = int.from_bytes(data[at : at + 4], "little") // 2
    return data[:at] + size.to_bytes(4, "little") + data[at + 4 :]


def encrypted(data: bytes) -> bytes:
    marked = bytearray(data)
    for beginning, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(beginning)
        while at >= 0:
            marked[at + flags] |= 1
            at = data.find(beginning, at + 4)
    return bytes(marked)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            cut,
            r"qmsum.zip::qmsum/validation.jsonl cannot be read \(File is not a zip file\). The zip is damaged or was",
        ),
        (without_a_piece, r"qmsum.zip::qmsum/validation.jsonl cannot be read \(Bad magic number"),
        (
            flipped,
            r"qmsum.zip::qmsum/validation.jsonl cannot be read \(Bad CRC-32 .*. The zip is damaged or was cut off",
        ),
        (shortened, r"qmsum.zip::qmsum/validation.jsonl (cannot be read|.*the file ends in the middle)"),
        (encrypted, r"qmsum.zip::qmsum/validation.jsonl is encrypted; unpack it with its password"),
        (lambda _: b"", r"qmsum.zip::qmsum/validation.jsonl cannot be read \(File is not a zip file\)"),
    ],
)
def test_a_zip_that_is_cut_damaged_or_encrypted_is_refused(
    tmp_path: Path, spoil: Callable[[bytes], bytes], message: str
) -> None:
    archive = published(tmp_path / "qmsum.zip", method=zipfile.ZIP_STORED)
    archive.write_bytes(spoil(archive.read_bytes()))
    for data in (archive, tmp_path):
        with pytest.raises(UserError, match=message):
            list(opened(data).examples())


def test_a_zip_without_the_member_lists_what_it_has(tmp_path: Path) -> None:
    archive = write(tmp_path / "qmsum.zip", {"qmsum/": "", "qmsum/dev.jsonl": lines(*ROWS), "README": "x"})
    with pytest.raises(
        UserError,
        match=r"has no member qmsum/validation.jsonl; it has qmsum/dev.jsonl, README. If one of them is meant",
    ):
        opened(archive)
    with pytest.raises(UserError, match=r"has no member qmsum/validation.jsonl; it has none"):
        opened(write(tmp_path / "qmsum.zip", {}))
    with pytest.raises(UserError, match=r"it has (m\d, ){9}m9 …"):
        opened(write(tmp_path / "qmsum.zip", {f"m{n}": "" for n in range(11)}))


@pytest.mark.parametrize(
    "name", ["/etc/rows", "../rows", "a/../../rows", "C:\\rows", "..\\rows", "a/..", "\\\\host\\rows"]
)
def test_a_zip_with_a_member_that_leads_out_of_it_is_refused(tmp_path: Path, name: str) -> None:
    archive = write(tmp_path / "qmsum.zip", {MEMBER: lines(*ROWS), name: "x"})
    with pytest.raises(UserError, match=r"qmsum.zip has a member '.*', which leads out of the archive"):
        opened(archive)
    assert read(write(tmp_path / "qmsum.zip", {MEMBER: lines(*ROWS), "a..b/..c": "x"})) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "qmsum.zip::qmsum/validation.jsonl is empty"),
        ("\n", "qmsum.zip::qmsum/validation.jsonl has no rows"),
        (lines(ROWS[0]) + '{"id": "x', "qmsum.zip::qmsum/validation.jsonl:2: the file ends in the middle of the row"),
        (b'{"id": "caf\xe9"}', "qmsum.zip::qmsum/validation.jsonl is not UTF-8: the byte at offset 11"),
        (
            lines({"a": 1}),
            "qmsum.zip::qmsum/validation.jsonl:1: the task scrolls/qmsum cannot read this row",
        ),
    ],
)
def test_a_member_that_is_no_data_is_refused_as_a_file_would_be(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    archive = write(tmp_path / "qmsum.zip", {MEMBER: content})
    with pytest.raises(UserError, match=message):
        list(opened(archive).examples())


def test_a_zip_where_no_member_is_known_to_hold_the_split_is_refused(tmp_path: Path) -> None:
    archive = published(tmp_path / "muld.zip")
    with pytest.raises(
        UserError, match=r"cannot tell which file in the zip has the split 'test' of narrativeqa; unpack it"
    ):
        sources.load("narrativeqa", MULD["narrativeqa"], archive)
    with pytest.raises(UserError, match=r"cannot tell which file in the zip has the split 'train' of longbench/qasper"):
        sources.load("longbench/qasper", tasks.get("longbench/qasper").dataset, archive, "train")


def test_parquet_in_a_zip_is_refused(tmp_path: Path) -> None:
    archive = write(tmp_path / "a.zip", {"test.parquet": "PAR1"})
    facts = replace(tasks.get("longbench/qasper").dataset, files={"test": ("a.zip::test.parquet",)})
    with pytest.raises(UserError, match=r"a.zip::test.parquet is Parquet, which cannot be read from a zip; unpack it"):
        sources.load("longbench/qasper", facts, archive)
