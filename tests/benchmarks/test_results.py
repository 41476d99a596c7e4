"""The head of a section of RESULTS.md, the digest of its data, and when speed is not judged."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import results
from longdoc import __version__
from models.neural.shared import limits


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of real data, with two sets."""
    for name in ("stories", "letters"):
        folder = tmp_path / "data" / name
        folder.mkdir(parents=True)
        (folder / "a.txt").write_text(f"{name}, first", encoding="utf-8")
        (folder / "b.txt").write_text(f"{name}, second", encoding="utf-8")
    monkeypatch.setenv("LONGDOC_REALDATA", str(tmp_path / "data"))
    monkeypatch.setattr(results, "_opened", {"stories"})
    monkeypatch.setattr(results, "_settings", [])
    monkeypatch.setattr(results, "FILE", tmp_path / "RESULTS.md")
    return tmp_path / "data"


def test_a_section_begins_with_its_command_and_its_head(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results.publish("ranking", "old", "2", "ranking, fold 2")
    results.publish("curves", "| 1 |\n")
    results.publish("ranking", "new", "2", "ranking, fold 2")
    assert capsys.readouterr().out == "old\n| 1 |\n\nnew\n"
    page = results.FILE.read_text(encoding="utf-8")
    assert page.startswith(results.HEAD)
    head = (
        rf"longdoc {re.escape(__version__)}, commit \w+( with changes)?, \d{{4}}-\d\d-\d\d\. .*, \d+ cores, "
        rf"load [\d.]+ at the start, Python 3\.\d+\.\d+\. Data {results.digest(['stories'])}: stories\."
    )
    sections = r"## ranking, fold 2\n\n    python -m benchmarks\.ranking 2\n\nHEAD\n\nnew\n\n"
    sections += r"## curves\n\n    python -m benchmarks\.curves\n\nHEAD\n\n\| 1 \|\n"
    assert re.fullmatch(sections.replace("HEAD", head), page.removeprefix(results.HEAD).lstrip())


def test_the_head_says_that_networks_compute_in_fp32(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "computes_bf16", lambda device: True)
    assert "dtype" not in results.head()
    results.use_fp32()
    assert ", dtype=fp32. Data " in results.head()
    assert not limits.computes_bf16("cpu")


def test_the_digest_is_of_contents_and_not_of_names(data: Path) -> None:
    before = results.digest(["stories", "letters"])
    (data / "stories" / "a.txt").rename(data / "letters" / "moved.txt")
    assert results.digest(["letters", "stories"]) == before
    (data / "letters" / "moved.txt").write_text("stories, FIRST", encoding="utf-8")
    assert results.digest(["letters", "stories"]) != before
    assert results.digest(["letters", "verses"]) == "missing"


def test_the_names_of_data_are_those_of_the_opened_files(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = []
    monkeypatch.setattr(sys, "addaudithook", hooks.append)
    results._note_opened_data.cache_clear()
    assert results.realdata() == data
    results.realdata()
    (note,) = hooks
    for path in (data / "letters" / "a.txt", results.FOLDER / "marked_questions.jsonl", results.FILE, __file__, 3):
        note("open", (path, "r", 0))
    note("import", (str(data / "verses"),))
    assert results._opened == {"stories", "letters", "marked_questions.jsonl"}
    results._note_opened_data.cache_clear()


def test_a_missed_goal_of_speed_fails_unless_others_keep_the_machine_busy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(results, "time", SimpleNamespace(monotonic=lambda: 10.0))
    monkeypatch.setattr(results.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(results, "_others_seconds", lambda: 9.0)
    for before, is_busy in ((1.0, True), (8.0, False), (float("nan"), False)):
        monkeypatch.setattr(results, "_START", (0.0, before))
        results.judge(False, "must be 4 times as fast")
        if is_busy:
            results.judge(True, "must be 4 times as fast")
        else:
            with pytest.raises(SystemExit, match=r"^must be 4 times as fast$"):
                results.judge(True, "must be 4 times as fast")
    message = "The machine is too busy to judge: other programs take 40% of its processors. must be 4 times as fast\n"
    assert capsys.readouterr().out == message
