"""A set's folder: what may be in it before, what is left when a build fails, and which manifests are refused."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.plugins.builders import _folder
from pipelines.plugins.builders.builder import Builder, BuildStats, Row


@dataclass(frozen=True)
class LineBuilder(Builder):
    """Builds a row from every line of the source; a line "stop" is a user's error."""

    split: str = "train"

    def sources(self, source: Path) -> Mapping[str, Any]:
        return {"files": [{"name": source.name, "sha256": source.read_text(encoding="utf-8")}]}

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        for line in source.read_text(encoding="utf-8").splitlines():
            stats.read += 1
            if line == "stop":
                raise UserError("line says stop")
            if line == "drop":
                stats.dropped["lines dropped"] += 1
            else:
                yield self.split, {"input": line, "output": "", "metadata": ""}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.txt"
    path.write_text("first\ndrop\nlast – ü\n", encoding="utf-8")
    return path


def test_rows_are_lines_of_json_and_the_printed_summary_has_the_counts(source: Path, tmp_path: Path) -> None:
    built = pipelines.build(LineBuilder(), source, out=tmp_path / "deep" / "set")
    assert (built.folder / "train.jsonl").read_text(encoding="utf-8") == (
        '{"input": "first", "output": "", "metadata": ""}\n{"input": "last – ü", "output": "", "metadata": ""}\n'
    )
    assert str(built).splitlines()[0].endswith(f"2 rows of 3 in {built.folder} (train.jsonl 2)")
    assert str(built).splitlines()[1:] == ["  dropped: lines dropped: 1"]
    assert built.to_dict()["folder"] == str(built.folder)


def test_a_folder_with_other_files_is_refused_and_untouched(source: Path, tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "diary.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match=r"holds other files and no manifest\.json; choose an empty folder with out="):
        pipelines.build(LineBuilder(), source, out=tmp_path / "set")
    assert [path.name for path in (tmp_path / "set").iterdir()] == ["diary.txt"]


def test_a_folder_with_another_set_is_refused_naming_the_difference(source: Path, tmp_path: Path) -> None:
    pipelines.build(LineBuilder(), source, out=tmp_path / "set")
    with pytest.raises(UserError, match=r'holds another set: builder\.split: there "train", now "test"'):
        pipelines.build(LineBuilder("test"), source, out=tmp_path / "set")
    with pytest.raises(UserError, match="holds another set: seed: there 0, now 5"):
        pipelines.build(LineBuilder(), source, out=tmp_path / "set", seed=5)


def test_a_set_that_was_changed_after_its_build_is_refused(source: Path, tmp_path: Path) -> None:
    built = pipelines.build(LineBuilder(), source, out=tmp_path / "set")
    (built.folder / "train.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="is not as it was built"):
        pipelines.build(LineBuilder(), source, out=tmp_path / "set")


def test_a_build_that_fails_leaves_nothing(source: Path, tmp_path: Path) -> None:
    source.write_text("first\nstop\n", encoding="utf-8")
    with pytest.raises(UserError, match="line says stop"):
        pipelines.build(LineBuilder(), source, out=tmp_path / "set")
    assert not (tmp_path / "set").exists()
    (tmp_path / "set").mkdir()
    with pytest.raises(UserError, match="line says stop"):
        pipelines.build(LineBuilder(), source, out=tmp_path / "set")
    assert list((tmp_path / "set").iterdir()) == []


def test_a_build_replaces_what_a_killed_build_left(source: Path, tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / ".train.jsonl.1f0c82d97a3b5e46.tmp").write_text("half a r", encoding="utf-8")
    pipelines.build(LineBuilder(), source, out=tmp_path / "set")
    assert sorted(path.name for path in (tmp_path / "set").iterdir()) == ["manifest.json", "train.jsonl"]


def test_a_set_without_rows_is_refused_with_the_reasons(source: Path, tmp_path: Path) -> None:
    source.write_text("drop\ndrop\n", encoding="utf-8")
    with pytest.raises(UserError, match="no row is left of 2: lines dropped: 2"):
        pipelines.build(LineBuilder(), source, out=tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_a_file_where_the_folder_should_be_is_refused(source: Path) -> None:
    with pytest.raises(UserError, match="is a file; a set needs a folder"):
        pipelines.build(LineBuilder(), source, out=source)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "there is no manifest"),
        ("{", "is not a manifest: "),
        ("[]", "is not a manifest of longdoc data build"),
        ('{"builder": {}}', "is not a manifest of longdoc data build"),
        (json.dumps({"format": 9, "longdoc": "", "builder": {}, "seed": 0, "sources": {}, "source": "", "files": {}}),
         "written by a newer longdoc"),
    ],
)  # fmt: skip
def test_an_invalid_manifest_is_refused(text: str | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        pipelines.build(manifest=path, out=tmp_path / "set")


FILTER = {"minimum": 3, "task": "qa"}


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """A manifest of a length filter over rows."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"document": "one two three", "question": "How many?", "answers": ["3"]}\n', encoding="utf-8")
    return pipelines.build("length_filter", rows, out=tmp_path / "set", **FILTER).folder / "manifest.json"


def test_a_moved_source_is_asked_for_and_read_from_its_new_place(manifest: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").rename(tmp_path / "elsewhere.jsonl")
    with pytest.raises(UserError, match=r"there is no .*rows\.jsonl; say where it is"):
        pipelines.build(manifest=manifest, out=tmp_path / "again")
    with pytest.raises(UserError, match="is not what"):  # the name is part of what the manifest says
        pipelines.build(None, tmp_path / "elsewhere.jsonl", manifest=manifest, out=tmp_path / "again")
    (tmp_path / "place").mkdir()
    (tmp_path / "elsewhere.jsonl").rename(tmp_path / "place" / "rows.jsonl")
    again = pipelines.build(None, tmp_path / "place" / "rows.jsonl", manifest=manifest, out=tmp_path / "again")
    assert again.manifest["files"] == json.loads(manifest.read_text(encoding="utf-8"))["files"]


def test_fields_that_change_the_set_are_refused_with_the_files_that_differ(manifest: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"builds another set: test\.jsonl: there .* now null; validation\.jsonl"):
        pipelines.build(manifest=manifest, out=tmp_path / "again", split="validation")
    assert not (tmp_path / "again").exists()


def test_a_manifest_goes_with_no_builder_and_no_seed(manifest: Path, tmp_path: Path) -> None:
    for arguments in ({"builder": "length_filter"}, {"seed": 0}):
        with pytest.raises(UserError, match="the manifest says builder and seed"):
            pipelines.build(manifest=manifest, out=tmp_path / "again", **arguments)


def longdoc(*arguments: Any, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "longdoc", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def test_the_command_builds_a_set_and_rebuilds_it_from_its_manifest(manifest: Path, tmp_path: Path) -> None:
    fields = ["--set", "minimum=3", "--set", "task=qa", "--json"]
    completed = longdoc("data", "build", "length_filter", "rows.jsonl", "--out", "new", *fields, cwd=tmp_path)
    assert (completed.returncode, completed.stderr) == (0, "")
    assert json.loads(completed.stdout)["kept"] == 1
    (tmp_path / "inside").mkdir()
    again = ["data", "build", "../rows.jsonl", "--manifest", "../new/manifest.json", "--out", "again"]
    completed = longdoc(*again, cwd=tmp_path / "inside")
    assert (completed.returncode, completed.stderr) == (0, "")
    assert completed.stdout == "length_filter: 1 row of 1 in again (test.jsonl 1)\n"
    same = (tmp_path / "inside" / "again" / "test.jsonl").read_bytes()
    assert same == (tmp_path / "new" / "test.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "x"], "name a builder and its source"),
        (["style_mx", "rows.jsonl", "--out", "x"], "unknown builder 'style_mx'; did you mean style_mix?"),
        (["length_filter", "rows.jsonl", "--out", "x", "--set", "minimum"], "--set takes KEY=VALUE"),
        (["length_filter", "rows.jsonl", "--out", "x", "--set", "seed=1"], "give seed without --set"),
        (["length_filter", "rows.jsonl", "--out", "x", "--set", "minimun=1"], "unknown parameter of builder"),
        (["length_filter", "rows.jsonl", "--out", "x", "--set", "minimum=few"], "minimum must be int, got 'few'"),
        (["extend_multihop", "rows.jsonl", "--out", "x"], "builder extend_multihop needs pages"),
    ],
)
def test_a_mistake_is_reported_in_one_line(manifest: Path, tmp_path: Path, arguments: list[str], message: str) -> None:
    completed = longdoc("data", "build", *arguments, cwd=tmp_path)
    assert (completed.returncode, completed.stdout) == (2, "")
    assert len(completed.stderr.splitlines()) == 1
    assert message in completed.stderr


def test_the_size_of_a_large_set_is_reported_and_a_disk_without_room_for_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = r"set will have about 21,600.0 GB, and its disk has [\d,.]+ GB free: give a smaller length"
    with pytest.raises(UserError, match=problem):
        pipelines.build("counting", out=tmp_path / "set", length=3_000_000, examples=100_000)
    assert not (tmp_path / "set").exists() and capsys.readouterr().err == ""
    monkeypatch.setattr(_folder, "LARGE", 10_000)
    monkeypatch.setattr(_folder.shutil, "disk_usage", lambda place: SimpleNamespace(free=10**12))
    pipelines.build("mrcr_like", out=tmp_path / "set", length=2_000, examples=1)
    assert capsys.readouterr().err.endswith("set will have about 1.2 GB\n")
