import json
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from pipelines import documents
from pipelines.documents import pdf
from tests.pipelines.documents import small_files

MARKS = b'{"text": "a", "title": "", "kind": "page", "marks": [["x", "1"]], "lined": false, "warnings": []}'


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "documents"


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The PDFs that were truly read."""
    paths: list[Path] = []
    read = pdf.read
    monkeypatch.setattr(pdf, "read", lambda path: paths.append(path) or read(path))
    return paths


def test_a_text_is_extracted_once_and_again_when_the_file_changes(tmp_path: Path, readings: list[Path]) -> None:
    path = small_files.pdf(tmp_path / "a.pdf", [["one"], [], ["two"]])
    first = documents.read(path)
    assert documents.read(path) == first
    assert len(readings) == 1
    small_files.pdf(path, [["three"]])
    assert documents.read(path).text == "three"
    assert len(readings) == 2


def test_without_the_cache_it_is_read_again_and_nothing_is_cached(
    tmp_path: Path, cache: Path, readings: list[Path]
) -> None:
    path = small_files.pdf(tmp_path / "a.pdf", [["one"]])
    assert documents.read(path, cache=False) == documents.read(path, cache=False)
    assert len(readings) == 2
    assert not cache.exists()


@pytest.mark.parametrize("broken", [b"", b"\xff\xfe", b"[]", b'{"text": 1}', MARKS])
def test_a_broken_cache_file_is_replaced(tmp_path: Path, cache: Path, readings: list[Path], broken: bytes) -> None:
    path = small_files.pdf(tmp_path / "a.pdf", [["one"]])
    first = documents.read(path)
    (cache_file,) = cache.iterdir()
    cache_file.write_bytes(broken)
    assert documents.read(path) == first
    assert len(readings) == 2
    assert json.loads(cache_file.read_bytes())["text"] == "one"


def test_half_written_files_of_a_killed_process_are_deleted_once_they_are_old(tmp_path: Path, cache: Path) -> None:
    cache.mkdir(parents=True)
    old, new = cache / "old.part", cache / "new.part"
    for part in (old, new):
        part.write_bytes(b"{")
    os.utime(old, (0, 0))
    documents.read(small_files.pdf(tmp_path / "a.pdf", [["one"]]))
    assert [path.suffix for path in sorted(cache.iterdir()) if path != new] == [".json"]
    assert new.exists()


def test_another_version_of_the_reader_reads_again(
    tmp_path: Path, readings: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = small_files.pdf(tmp_path / "a.pdf", [["one"]])
    documents.read(path)
    monkeypatch.setattr(pdf, "VERSION", pdf.VERSION + 1)
    documents.read(path)
    assert len(readings) == 2


def test_a_cache_that_cannot_be_written_is_reported_and_the_text_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "file"))
    text = documents.read(small_files.pdf(tmp_path / "a.pdf", [["one"]]))
    assert text.text == "one"
    assert "set LONGDOC_CACHE to a writable folder" in text.warnings[0]


def test_plain_text_is_not_cached(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "a.txt").write_text("bees")
    assert documents.read(tmp_path / "a.txt").text == "bees"
    assert not cache.exists()


def test_several_processes_cache_the_same_text(tmp_path: Path, cache: Path) -> None:
    pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed (extra documents)")  # a process skips nothing
    path = small_files.pdf(tmp_path / "a.pdf", [["one"]] * 20)
    with ProcessPoolExecutor(2) as pool:
        texts = list(pool.map(documents.read, [path] * 6))
    assert len(set(texts)) == 1
    assert [cache_file.suffix for cache_file in cache.iterdir()] == [".json"]


def test_a_failed_write_leaves_no_file(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(json, "dump", full)
    text = documents.read(small_files.pdf(tmp_path / "a.pdf", [["one"]]))
    assert text.text == "one"
    assert "cannot be cached" in text.warnings[0]
    assert list(cache.iterdir()) == []
