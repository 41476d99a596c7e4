"""Laws of every registered builder."""

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.plugins.builders import builder as builders
from pipelines.plugins.builders.builder import Built
from tests.pipelines.plugins.builders import small_sources as made


@dataclass(frozen=True)
class Case:
    """A builder's fields, its source in a folder, and the task and split that its rows are for."""

    fields: Callable[[Path], dict[str, Any]]
    source: Callable[[Path], Path | None]
    task: str
    split: str


def novels(folder: Path) -> Path:
    text = "It was a long night. " * 20
    rows = [{"document": text, "question": question, "answers": ["the night"]} for question in ("What?", "Name it")]
    rows += [{"document": "It was short.", "question": "What was?", "answers": ["it", "all"]}]
    return made.jsonl(folder / "rows.jsonl", rows)


def marked(folder: Path) -> Path:
    text = "It was a long night. Anna saw a fox."
    rows = [{"document": text, "question": "What was seen?", "answers": ["a fox"], "evidence": ["Anna saw a fox."]}]
    return made.jsonl(folder / "rows.jsonl", rows)


def mixed(folder: Path) -> Path:
    return made.jsonl(folder / "stories.jsonl", made.stories(6, "a") + made.stories(5, "b", first=6))


def ordered(folder: Path) -> Path:
    rows = [{"book": f"B{n % 3}", "summary": f"Thing {n} happens."} for n in range(15)]
    return made.jsonl(folder / "summaries.jsonl", rows)


MIX = {"low": 60, "high": 120, "train": 6, "validation": 2, "test": 2}

CASES = {
    "length_filter": Case(lambda _: {"minimum": 50}, novels, "narrativeqa", "test"),
    "without_evidence": Case(lambda _: {"originals": True}, marked, "qa", "test"),
    "style_mix": Case(lambda _: MIX, mixed, "style_change", "train"),
    "extend_multihop": Case(
        lambda folder: {"pages": str(folder / "pages.jsonl"), "minimum": 60}, made.hotpot, "hotpotqa", "validation"
    ),
    "character_set": Case(lambda _: {"test": 0.3, "validation": 0.3}, made.films, "character_types", "train"),
    "scrolls": Case(lambda _: {"task": "qmsum"}, made.questions, "scrolls/qmsum", "validation"),
    "zero_scrolls": Case(
        lambda _: {"task": "qmsum", "test": 3, "validation": 2}, made.questions, "zero_scrolls/qmsum", "test"
    ),
    "space_digest": Case(lambda _: {"reviews": 4}, made.reviews, "zero_scrolls/space_digest", "test"),
    "book_sum_sort": Case(lambda _: {"permutations": 2}, ordered, "zero_scrolls/book_sum_sort", "test"),
}
SMALL = {"length": 1500, "examples": 3}
GENERATED = {
    "ruler_like": Case(
        lambda _: {**SMALL, "task": "niah_multikey_1"}, lambda _: None, "ruler/niah_multikey_1", "validation"
    ),
    "graphwalks_like": Case(lambda _: SMALL, lambda _: None, "graphwalks", "test"),
    "mrcr_like": Case(lambda _: {**SMALL, "needles": 4}, lambda _: None, "mrcr", "test"),
    "counting": Case(lambda _: {**SMALL, "examples": 1}, lambda _: None, "oolong/synth", "test"),
}
CASES |= GENERATED
MULD = ("length_filter", "style_mix", "extend_multihop", "character_set")
OWN_ROWS = ("without_evidence",)


def test_every_builder_has_a_case() -> None:
    assert sorted(CASES) == builders.names()


@pytest.fixture(params=sorted(CASES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def data(name: str, tmp_path: Path) -> tuple[Path | None, dict[str, Any]]:
    folder = tmp_path / "data"
    folder.mkdir()
    return CASES[name].source(folder), CASES[name].fields(folder)


@pytest.fixture
def built(name: str, data: tuple[Path | None, dict[str, Any]], tmp_path: Path) -> Built:
    return pipelines.build(name, data[0], out=tmp_path / "set", seed=1, **data[1])


def contents(folder: Path) -> dict[str, bytes]:
    """The content of each file, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def rows(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of a set, by split."""
    zipped = [(member, lines) for path in folder.glob("*.zip") for member, lines in made.unzipped(path).items()]
    plain = [(path.name, made.read(path)) for path in folder.glob("*.jsonl")]
    return {Path(name).stem: lines for name, lines in sorted(zipped + plain)}


def test_the_same_seed_makes_the_same_bytes(
    name: str, data: tuple[Path | None, dict[str, Any]], built: Built, tmp_path: Path
) -> None:
    again = pipelines.build(name, data[0], out=tmp_path / "again", seed=1, **data[1])
    assert contents(again.folder) == contents(built.folder)


def test_another_seed_makes_other_rows_if_and_only_if_the_builder_is_random(
    name: str, data: tuple[Path | None, dict[str, Any]], built: Built, tmp_path: Path
) -> None:
    other = pipelines.build(name, data[0], out=tmp_path / "other", seed=2, **data[1])
    assert (rows(other.folder) != rows(built.folder)) == builders.get(name, **data[1]).is_random


@pytest.mark.slow
def test_the_manifest_makes_the_set_again_in_another_process(built: Built, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "longdoc", "data", "build", "--manifest", str(built.folder / "manifest.json")]
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    process = subprocess.run([*command, "--out", str(tmp_path / "again")], capture_output=True, text=True,
                          check=False, env=environment)  # fmt: skip
    assert (process.returncode, process.stderr) == (0, "")
    assert contents(tmp_path / "again") == contents(built.folder)


def test_the_manifest_has_every_field_the_seed_and_the_digests(
    name: str, data: tuple[Path | None, dict[str, Any]], built: Built
) -> None:
    manifest = json.loads((built.folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest == built.manifest
    assert manifest["builder"] == {"name": name} | dataclasses.asdict(builders.get(name, **data[1]))
    assert manifest["seed"] == 1
    assert all(len(file["sha256"]) == 64 for file in manifest["sources"]["files"])


def test_counts_add_up(built: Built) -> None:
    rows_by_split = rows(built.folder)
    manifest = built.manifest
    assert {split: len(lines) for split, lines in rows_by_split.items()} == {
        Path(file).stem: facts["rows"] for file, facts in manifest["files"].items()
    }
    assert manifest["kept"] == sum(map(len, rows_by_split.values())) > 0
    assert manifest["read"] == manifest["kept"] + sum(manifest["dropped"].values())


@pytest.mark.parametrize("name", MULD, indirect=True)
def test_rows_have_the_form_of_muld(built: Built) -> None:
    for row in (row for lines in rows(built.folder).values() for row in lines):
        assert list(row) == ["input", "output", "metadata"]
        assert row["input"].strip()
        assert isinstance(row["output"], str) or all(isinstance(output, str) for output in row["output"])
        assert all(row["input"][start:end] for start, end in row["metadata"].get("evidence", []))


@pytest.mark.parametrize("name", sorted(CASES.keys() - {*MULD, *OWN_ROWS, *GENERATED}), indirect=True)
def test_rows_have_the_form_of_the_benchmarks_published_zip(built: Built) -> None:
    task = str(built.manifest["builder"].get("task", built.manifest["builder"]["name"]))
    assert sorted(path.name for path in built.folder.iterdir()) == sorted(["manifest.json", f"{task}.zip"])
    for member, lines in made.unzipped(built.folder / f"{task}.zip").items():
        assert member.startswith(f"{task}/")
        assert all(list(row)[:4] == ["id", "pid", "input", "output"] and row["input"].strip() for row in lines)


def test_the_task_reads_the_folder(name: str, built: Built) -> None:
    task = tasks.get(CASES[name].task)
    split = CASES[name].split
    opened = sources.load(task.name, task.dataset, built.folder, split)
    examples = list(opened.examples())
    assert len(examples) == len(rows(built.folder)[split])
    assert opened.warnings == []
    assert all(example.references for example in examples)


def test_a_set_that_exists_is_left_as_it_is(
    name: str, data: tuple[Path | None, dict[str, Any]], built: Built, tmp_path: Path
) -> None:
    before = {path: path.stat().st_mtime_ns for path in built.folder.iterdir()}
    again = pipelines.build(name, data[0], out=built.folder, seed=1, **data[1])
    assert again.manifest == built.manifest
    assert {path: path.stat().st_mtime_ns for path in built.folder.iterdir()} == before


@pytest.mark.parametrize("name", sorted(CASES.keys() - GENERATED.keys()), indirect=True)
def test_a_source_that_changed_is_refused_for_a_manifest(built: Built, tmp_path: Path) -> None:
    source = Path(built.manifest["source"])
    file = source if source.is_file() else source / "summaries.jsonl"
    file.write_bytes(file.read_bytes() + b"\n")
    with pytest.raises(UserError, match=r"is not what .*manifest\.json was made from: files"):
        pipelines.build(manifest=built.folder / "manifest.json", out=tmp_path / "again")
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("name", sorted(GENERATED), indirect=True)
def test_a_generated_set_is_made_again_without_a_source_and_refuses_one(
    name: str, built: Built, tmp_path: Path
) -> None:
    assert built.manifest["source"] is None
    manifest = built.folder / "manifest.json"
    assert contents(pipelines.build(manifest=manifest, out=tmp_path / "again").folder) == contents(built.folder)
    with pytest.raises(UserError, match="this set needs no source: leave "):
        pipelines.build(source=tmp_path, manifest=manifest, out=tmp_path / "third")
    with pytest.raises(
        UserError, match=rf"makes its texts itself: leave .* out, as in: longdoc data build {name} --out"
    ):
        pipelines.build(name, tmp_path, out=tmp_path / "third")


@pytest.mark.parametrize("name", sorted(GENERATED), indirect=True)
@pytest.mark.parametrize(("length", "allowed"), [(0, 4096), (10**9, 10_000_000)])
def test_a_length_out_of_bounds_is_refused_with_the_nearest_allowed_one(
    name: str, length: int, allowed: int, tmp_path: Path
) -> None:
    fields = {**CASES[name].fields(tmp_path), "length": length}
    message = rf"length must be from 50 to 10,000,000, got {length:,}: type --set length={allowed}"
    with pytest.raises(UserError, match=message):
        pipelines.build(name, out=tmp_path / "set", **fields)
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize("name", sorted(GENERATED), indirect=True)
def test_a_length_that_is_too_short_for_the_question_is_refused_with_one_that_fits(name: str, tmp_path: Path) -> None:
    fields = {**CASES[name].fields(tmp_path), "length": 50}
    with pytest.raises(
        UserError, match=r"this needs \d+ words at least, length is 50: type --set length=(\d+)"
    ) as refused:
        pipelines.build(name, out=tmp_path / "set", **fields)
    least = int(str(refused.value).rpartition("=")[2])
    assert pipelines.build(name, out=tmp_path / "set", **{**fields, "length": least + 30}).manifest["kept"] in (3, 6)


@pytest.mark.parametrize("name", sorted(GENERATED), indirect=True)
def test_from_nothing_to_a_score_by_two_commands(name: str, built: Built, tmp_path: Path) -> None:
    task, split = CASES[name].task, CASES[name].split
    result = pipelines.run(task, data=built.folder, split=split, model="extractive", out=tmp_path / "run", report=False)
    assert result.examples == built.manifest["kept"]
    assert tasks.get(task).metrics[0] in result.scores
