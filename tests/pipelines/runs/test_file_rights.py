"""The permissions of files: results follow the user's umask, caches are for the user alone."""

import os
from pathlib import Path

import pytest

import pipelines
from tests.pipelines.documents import small_files


def permissions(folder: Path) -> dict[str, int]:
    return {path.relative_to(folder).as_posix(): path.stat().st_mode & 0o777 for path in folder.rglob("*")}


@pytest.fixture
def umask():
    """A umask with which the group may read, and nobody else."""
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


def test_files_of_a_run_follow_the_umask_and_caches_are_the_user_s_alone(tmp_path, monkeypatch, umask) -> None:
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    out, book = tmp_path / "out", small_files.epub(tmp_path / "a.epub", {"one.xhtml": "<p>Anna lives in Kyiv.</p>"})
    arguments = {"data": "sample", "model": "extractive", "metrics": ["f1"], "limit": 2}
    result = pipelines.run("narrativeqa", out=out / "run", retriever="tfidf", **arguments)
    pipelines.ablate("narrativeqa", k=[1, 2], out=out / "ablation", retriever="tfidf", **arguments)
    pipelines.ask(book, "Where does Anna live?")
    for name in ("report.html", "table.csv", "table.tex", "plot.svg"):
        pipelines.report(result.folder, out=out / name)
    modes = permissions(out)
    assert {"run/run.json", "run/requests.jsonl", "run/report.html", "table.tex", "plot.svg"} <= modes.keys()
    odd = {name: oct(mode) for name, mode in modes.items() if mode != (0o750 if (out / name).is_dir() else 0o640)}
    assert odd == {}
    cache = tmp_path / "cache"
    assert oct(cache.stat().st_mode & 0o777) == "0o700"
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in cache.iterdir()} == {"documents": "0o700"}
