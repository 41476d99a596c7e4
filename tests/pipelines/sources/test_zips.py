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


def write_published_zip(path: Path, **more: Any) -> Path:
    """A zip as SCROLLS publishes them; the validation split holds `ROWS`."""
    others = {f"qmsum/{split}.jsonl": lines({**ROWS[0], "id": split}) for split in ("train", "test")}
    return write(path, {"qmsum/": "", **others, MEMBER: lines(*ROWS)}, **more)


def load(data: Any = None, split: str = "validation") -> sources.Dataset:
    return sources.load("scrolls/qmsum", replace(DATASETS["qmsum"], originals=()), data, split)


def read(data: Any) -> list[str]:
    return [example.id for example in load(data).examples()]


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
    link.symlink_to(write_published_zip(repository / "blobs" / "0a1b"))
    data = load()
    assert [example.id for example in data.examples()] == ["a", "b", "c"]
    assert data.fingerprint == {
        "repository": "tau/scrolls",
        "revision": COMMIT,
        "files": ["qmsum.zip::qmsum/validation.jsonl"],
    }
    assert data.warnings == ["3 examples read where the paper's table counts 272"]
    assert DATASETS["qmsum"].downloads("validation") == ("qmsum.zip",)


def test_the_zip_its_folder_its_unpacked_folder_and_the_file_have_the_same_examples(tmp_path: Path) -> None:
    archive = write_published_zip(tmp_path / "zipped" / "qmsum.zip")
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(tmp_path / "unpacked")
    renamed = write_published_zip(tmp_path / "downloaded.ZIP")
    for data in (archive, archive.parent, tmp_path / "unpacked", tmp_path / "unpacked" / "qmsum", renamed):
        assert read(data) == ["a", "b", "c"]
    assert read(tmp_path / "unpacked" / MEMBER) == ["a", "b", "c"]
    assert [one.id for one in load(archive, "train").examples()] == ["train"]


def test_the_fingerprint_of_a_local_zip_is_the_archive_s(tmp_path: Path) -> None:
    archive = write_published_zip(tmp_path / "qmsum.zip")
    size, digest = archive.stat().st_size, sha256(archive.read_bytes()).hexdigest()
    expected = {"files": [{"name": "qmsum.zip", "bytes": size, "sha256": digest}], "size": size}
    assert load(archive).fingerprint == load(tmp_path).fingerprint == expected


def test_a_big_member_is_streamed_and_nothing_is_written_to_disk(tmp_path: Path) -> None:
    text = "x" * 1_000_000
    rows = ({**ROWS[0], "id": str(n), "input": f"Who is {n}?\n\n{n} {text}"} for n in range(40))
    archive = write(tmp_path / "qmsum.zip", {MEMBER: lines(*rows)})
    data = load(archive)
    tracemalloc.start()
    assert sum(1 for _ in data.examples()) == 40
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 15_000_000  # 40,000,000 characters are read
    assert list(tmp_path.iterdir()) == [archive]


def test_rows_before_the_damage_come_first_and_the_checksum_reveals_it_at_the_end(tmp_path: Path) -> None:
    noise = random.Random(3)
    rows = [{"text": "".join(noise.choices("abcdefgh", k=300_000))} for _ in range(12)]
    archive = write(tmp_path / "a.zip", {"rows.jsonl": lines(*rows)})
    content = bytearray(archive.read_bytes())
    middle = len(content) * 3 // 4
    content[middle : middle + 100] = bytes(100)
    archive.write_bytes(content)
    rows_read = []
    with pytest.raises(UserError, match=r"a.zip::rows.jsonl cannot be read .*fetch or copy it again"):
        for _, fields in json_rows.objects(Member(archive, "rows.jsonl")):
            rows_read.append(fields)
    assert rows_read[:5] == rows[:5]


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def without_a_piece(data: bytes) -> bytes:
    position = data.rindex(b"The meeting.")
    return data[:position] + data[position + 5 :]


def with_a_changed_letter(data: bytes) -> bytes:
    return data.replace(b"The meeting.", b"The meetinG.")


def with_a_shortened_member(data: bytes) -> bytes:
    """The archive with half of the member's size in its list of members."""
    position = data.index(MEMBER.encode(), data.index(b"PK\x01\x02")) - 46 + 20
    size = int.from_bytes(data[position : position + 4], "little") // 2
    return data[:position] + size.to_bytes(4, "little") + data[position + 4 :]


def marked_as_encrypted(data: bytes) -> bytes:
    marked = bytearray(data)
    for beginning, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        position = data.find(beginning)
        while position >= 0:
            marked[position + flags] |= 1
            position = data.find(beginning, position + 4)
    return bytes(marked)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            cut,
            r"qmsum.zip::qmsum/validation.jsonl cannot be read \(File is not a zip file\). The zip is damaged or was",
        ),
        (without_a_piece, r"qmsum.zip::qmsum/validation.jsonl cannot be read \(Bad magic number"),
        (
            with_a_changed_letter,
            r"qmsum.zip::qmsum/validation.jsonl cannot be read \(Bad CRC-32 .*. The zip is damaged or was cut off",
        ),
        (with_a_shortened_member, r"qmsum.zip::qmsum/validation.jsonl (cannot be read|.*the file ends in the middle)"),
        (marked_as_encrypted, r"qmsum.zip::qmsum/validation.jsonl is encrypted; unpack it with its password"),
        (lambda _: b"", r"qmsum.zip::qmsum/validation.jsonl cannot be read \(File is not a zip file\)"),
    ],
)
def test_a_zip_that_is_cut_damaged_or_encrypted_is_refused(
    tmp_path: Path, damage: Callable[[bytes], bytes], message: str
) -> None:
    archive = write_published_zip(tmp_path / "qmsum.zip", method=zipfile.ZIP_STORED)
    archive.write_bytes(damage(archive.read_bytes()))
    for data in (archive, tmp_path):
        with pytest.raises(UserError, match=message):
            list(load(data).examples())


def test_a_zip_without_the_member_lists_what_it_has(tmp_path: Path) -> None:
    archive = write(tmp_path / "qmsum.zip", {"qmsum/": "", "qmsum/dev.jsonl": lines(*ROWS), "README": "x"})
    with pytest.raises(
        UserError,
        match=r"has no member qmsum/validation.jsonl; it has qmsum/dev.jsonl, README. If one of them is meant",
    ):
        load(archive)
    with pytest.raises(UserError, match=r"has no member qmsum/validation.jsonl; it has none"):
        load(write(tmp_path / "qmsum.zip", {}))
    with pytest.raises(UserError, match=r"it has (m\d, ){9}m9 …"):
        load(write(tmp_path / "qmsum.zip", {f"m{n}": "" for n in range(11)}))


@pytest.mark.parametrize(
    "name", ["/etc/rows", "../rows", "a/../../rows", "C:\\rows", "..\\rows", "a/..", "\\\\host\\rows"]
)
def test_a_zip_with_a_member_that_leads_out_of_it_is_refused(tmp_path: Path, name: str) -> None:
    archive = write(tmp_path / "qmsum.zip", {MEMBER: lines(*ROWS), name: "x"})
    with pytest.raises(UserError, match=r"qmsum.zip has a member '.*', which leads out of the archive"):
        load(archive)
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
        list(load(archive).examples())


def test_a_zip_where_no_member_is_known_to_hold_the_split_is_refused(tmp_path: Path) -> None:
    archive = write_published_zip(tmp_path / "muld.zip")
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
