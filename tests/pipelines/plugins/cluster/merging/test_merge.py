"""Merging shards: what is refused, with which message, and what a kill leaves."""

import json
import os
import re
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc import files
from longdoc.errors import UserError
from pipelines.engine.recording.lines import decode_line
from pipelines.plugins.cluster.merging import atomic_folder as placing
from pipelines.plugins.cluster.merging import merge as merging
from pipelines.records import Document, Example
from tests.resealed import resealed

NOT_ALL = "these are not all shards of one run, each once and finished: "


def examples(count: int = 6) -> list[Example]:
    return [
        Example(f"q{number}", Document(f"d{number}", f"The lease {number} ends in May."), "When?", ("in May",))
        for number in range(count)
    ]


def run(out: Path, **changes: Any) -> Path:
    defaults = {"data": examples(), "model": "lead", "metrics": ["f1"], "report": False}
    pipelines.run("qa", out=out, **defaults | changes)
    return out


@pytest.fixture(scope="module")
def run_folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the shards of a run in three, of the same in two, and with another limit."""
    folder = tmp_path_factory.mktemp("made")
    for number in (1, 2, 3):
        run(folder / f"{number}", shard=f"{number}/3")
    run(folder / "half", shard="1/2")
    run(folder / "limited", shard="2/3", limit=5)
    run(folder / "rouge", shard="2/3", metrics=["rouge"])
    run(folder / "other", shard="2/3", data=examples(5))
    run(folder / "whole")
    return folder


@pytest.fixture
def shards(run_folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of these folders that a test may change, as the working folder."""
    shutil.copytree(run_folders, tmp_path / "made")
    monkeypatch.chdir(tmp_path / "made")
    return tmp_path / "made"


def refusal(*folders: str, out: str = "run") -> str:
    with pytest.raises(UserError) as error:
        pipelines.merge(*folders, out=out, report=False)
    assert not Path("run").exists() or out != "run"
    return str(error.value)


def rewrite(file: Path, change: Callable[[str], str]) -> None:
    """Change a file and update the checksums of its folder, unless the file is a log."""
    file.write_text(change(file.read_text()))
    if file.name not in ("requests.jsonl", "journal.jsonl"):
        resealed(file.parent)


def test_missing_doubled_and_foreign_shards_are_named_in_one_message(shards: Path) -> None:
    shutil.copytree("1", "again")
    assert refusal("1", "1", "again", "half", "whole", "nowhere", "other") == (
        f"{NOT_ALL}1 is given twice; whole holds a whole run, not a shard: "
        "give the folders of runs with --shard; "
        "nowhere is not a run's folder: there is no run.json in it; "
        "longdoc runs list FOLDER lists those below a folder; "
        "half is shard 1/2, but others are shards of 3; "
        "other is of another run (data: 6 examples given in Python there, 5 examples given in Python now); "
        "shard 1/3 is given twice, in 1 and again; shard 3/3 is missing: the same command with --shard 3/3"
    )


@pytest.mark.parametrize(
    ("instead", "message"),
    [
        ("limited", "limited has another limit (5, others none): start it again without --limit"),
        ("rouge", "rouge has other metrics (rouge; others f1): start it again with those"),
    ],
)
def test_a_shard_with_other_arguments_is_named(shards: Path, instead: str, message: str) -> None:
    assert message in refusal("1", "3", instead)


def test_one_shard_that_is_missing_comes_with_what_to_type(shards: Path) -> None:
    assert refusal("1", "3") == f"{NOT_ALL}shard 2/3 is missing: the same command with --shard 2/3"
    assert refusal("2") == f"{NOT_ALL}shards 1/3, 3/3 are missing: the same command with --shard 1/3 …"


def test_no_folder_and_a_whole_run_are_refused(shards: Path) -> None:
    assert refusal() == "no run was named: give the folders of a run's shards"
    assert refusal("whole") == "whole holds a whole run, not a shard: give the folders of runs with --shard"


def test_an_unfinished_shard_is_named_with_how_to_finish_it(shards: Path) -> None:
    Path("2/scores.json").unlink()
    assert refusal("1", "2", "3") == f"{NOT_ALL}2 (shard 2/3) is not finished: start the same run again with out='2'"


def test_a_shard_that_another_process_writes_is_named(shards: Path) -> None:
    lock = files.locked(Path("3"))
    assert refusal("1", "2", "3") == f"{NOT_ALL}another process is running in 3 (shard 3/3): wait for it"
    lock.release()


def test_a_shard_that_was_judged_by_itself_is_named(shards: Path) -> None:
    judging = {"judge": "j", "prompt": "p", **dict.fromkeys(("right", "wrong", "unjudged", "asked_again"), 0)}
    judging |= {**dict.fromkeys(("requests", "tokens_in", "tokens_out"), 0), "failures": {}, "cost": None}
    rewrite(
        Path("3/scores.json"),
        lambda text: json.dumps(json.loads(text) | {"judging": {**judging, "agreement": {}}}),
    )
    assert "3 (shard 3/3) was judged by itself: start it again as before" in refusal("1", "2", "3")


def test_a_shard_whose_metrics_had_another_version_is_named(shards: Path) -> None:
    rewrite(Path("3/run.json"), lambda text: text.replace("normalization:squad", "normalization:triviaqa"))
    message = "3 was scored differently (f1: normalization squad-1.1 in any script against triviaqa-1.1 in any script)"
    assert f"{message}: start it again, which scores it" in refusal("1", "2", "3")


def test_shards_that_all_had_other_metrics_than_this_version_are_refused(shards: Path) -> None:
    for number in "123":
        rewrite(Path(number, "run.json"), lambda text: text.replace("normalization:squad", "normalization:triviaqa"))
    assert "the shards were scored differently from this version" in refusal("1", "2", "3")


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("requests.jsonl", lambda text: text.replace("May", "Mai"), "line 1 of requests.jsonl in 2 is damaged"),
        ("journal.jsonl", lambda text: text.replace("May", "Mai"), "line 1 of journal.jsonl in 2 is damaged"),
        ("journal.jsonl", lambda text: "", "the files of 2 do not belong together (q1)"),
        ("predictions.jsonl", lambda text: text.split("\n")[0] + "\n", r"predictions.jsonl in 2 is damaged (1 of 2"),
        ("predictions.jsonl", lambda text: text.replace('"q1"', '"q9"'), "the files of 2 do not belong together (q1)"),
        ("shard.jsonl", lambda text: text.replace("[1", "[x"), "line 1 of shard.jsonl is damaged in 2"),
        ("shard.jsonl", lambda text: text.replace("[1", "[0"), "example 0 is in none, or in two"),
        ("shard.jsonl", lambda text: text + '[7,"q7"]\n', "predictions.jsonl in 2 has no prediction for q7"),
        ("shard.jsonl", lambda text: text.split("\n")[0] + "\n", "example 4 is in none, or in two"),
        ("run.json", lambda text: text.replace('"2/3"', '"2 of 3"'), "shard must be I/N"),
        ("run.json", lambda text: text.replace('"2/3"', "23"), "2/run.json is damaged"),
        ("scores.json", lambda text: text[:40], "scores.json in 2 is damaged"),
    ],
)
def test_a_damaged_shard_is_named(shards: Path, name: str, change: Callable[[str], str], message: str) -> None:
    rewrite(Path("2", name), change)
    assert message in refusal("1", "2", "3")
    assert list(Path().glob(".*")) == [], "nothing is left of what was begun"


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("whole", "whole holds a run, which was not merged from shards: choose another folder with out="),
        ("1", "1 holds shard 1/3, which was not merged from shards: choose another folder with out="),
        ("notes", "notes holds other files and no run.json; choose an empty folder with out="),
        ("note", "note is a file; a run needs a folder: choose another with out="),
        ("merged", "merged holds another run: choose another folder with out="),
        ("gone", "the run in gone was started again since it was merged: choose another folder with out=, or go on in"),
    ],
)
def test_a_folder_with_anything_but_an_earlier_merge_is_not_touched(shards: Path, out: str, message: str) -> None:
    Path("notes").mkdir()
    Path("notes/note").write_text("mine")
    Path("note").write_text("mine")
    pipelines.merge("1", "2", "3", out="merged", report=False)
    rewrite(Path("merged/run.json"), lambda text: text.replace('"seed": 0', '"seed": 1'))
    pipelines.merge("1", "2", "3", out="gone", report=False)
    run(Path("gone"))
    before = {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    assert message in refusal("1", "2", "3", out=out)
    assert {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_a_second_merge_replaces_the_first_and_leaves_nothing_beside_it(shards: Path) -> None:
    first = pipelines.merge("1", "2", "3", out="run", report=False)
    names = sorted(path.name for path in Path().iterdir())
    Path("run/report.html").write_text("of the first")
    assert pipelines.merge("3", "2", "1", out="run", report=False).scores == first.scores
    assert sorted(path.name for path in Path().iterdir()) == names
    assert not Path("run/report.html").exists()


def test_without_a_folder_the_run_is_merged_where_it_would_be_without_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments: dict[str, Any] = {"data": examples(), "model": "lead", "metrics": ["f1"], "report": False}
    for number in (1, 2):
        pipelines.run("qa", shard=f"{number}/2", **arguments)
    first, _ = sorted(Path("runs").iterdir())
    assert re.fullmatch(r"qa-[0-9a-f]{8}-shard-1-of-2", first.name)
    merged = pipelines.merge(*Path("runs").glob("qa-*-shard-*"), report=False)
    assert merged.folder == Path("runs") / first.name.removesuffix("-shard-1-of-2")
    again = pipelines.run("qa", **arguments)
    assert (again.folder, again.new_requests, again.resumed) == (merged.folder, 0, 6)


@pytest.mark.parametrize("moment", ["while it writes", "between the renames"])
def test_a_kill_leaves_no_half_of_a_run_and_the_next_merge_works(
    shards: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    if moment == "between the renames":
        pipelines.merge("1", "2", "3", out="run", report=False)
    child = os.fork()
    if not child:
        if moment == "while it writes":
            monkeypatch.setattr(merging.Scorer, "scores", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        else:
            rename = Path.rename
            monkeypatch.setattr(
                placing.Path,
                "rename",
                lambda path, to: (
                    os.kill(os.getpid(), signal.SIGKILL) if path.name == ".run.merging" else rename(path, to)
                ),
            )
        pipelines.merge("1", "2", "3", out="run", report=False)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert not Path("run").exists()
    assert len(pipelines.runs(".").runs) == 8, "what is left of the merge is not listed as a run"
    pipelines.merge("1", "2", "3", out="run", report=False)
    assert Path("run/predictions.jsonl").read_bytes() == Path("whole/predictions.jsonl").read_bytes()
    assert [path.name for path in Path().glob(".*")] == []


def test_a_merge_into_a_folder_that_another_merge_writes_is_refused(shards: Path) -> None:
    Path(".run.merging").mkdir()
    lock = files.locked(Path(".run.merging"))
    assert "another process is merging into" in refusal("1", "2", "3")
    lock.release()


def test_every_line_of_the_merged_logs_has_its_checksum(shards: Path) -> None:
    pipelines.merge("1", "2", "3", out="run", report=False)
    for name in ("requests.jsonl", "journal.jsonl"):
        lines = Path("run", name).read_bytes().splitlines()
        assert len(lines) == 6
        assert None not in map(decode_line, lines)


def test_a_shard_keeps_its_part_in_the_listing_and_the_merged_run_has_none(shards: Path) -> None:
    pipelines.merge("1", "2", "3", out="run", report=False)
    listing = {str(one.folder): (one.split, one.state, one.done) for one in pipelines.runs(".").runs}
    assert listing["run"] == ("test", "finished", "6/6")
    assert listing["2"] == ("test shard=2/3", "finished", "2/2")
    assert listing["limited"] == ("test limit=5 shard=2/3", "finished", "2/2")
