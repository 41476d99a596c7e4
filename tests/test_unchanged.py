"""The comparison of outputs before and after a refactoring (`tests/unchanged`): what it ignores and notices."""

import json
from pathlib import Path

import pytest

from tests.unchanged.differences import differences

PAGE = """<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<style>p {{}}</style><p>{text}</p><a href="{link}">a run</a>"""


def write(folder: Path, scores: dict[str, object], page: str, printed: str, code: int = 0) -> Path:
    """Write a folder of outputs as `tests.unchanged keep` does."""
    (folder / "work" / "run").mkdir(parents=True)
    (folder / "printed").mkdir()
    (folder / "work" / "run" / "scores.json").write_text(json.dumps(scores))
    (folder / "work" / "run" / "report.html").write_text(page)
    record = {"name": "runs --json", "code": code, "stdout": json.dumps({"runs": printed}), "stderr": ""}
    (folder / "printed" / "000.json").write_text(json.dumps(record))
    return folder


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return write(tmp_path / "kept", {"f1": 20.0, "seconds": 1.5}, PAGE.format(text="f1 20.00", link="run"), "run")


def test_outputs_that_differ_only_in_time_have_no_difference(kept: Path, tmp_path: Path) -> None:
    page = PAGE.format(text="f1 20.00", link="run")
    present = write(tmp_path / "present", {"f1": 20.0, "seconds": 9.0}, page, "run")
    assert differences(kept, present) == ([], [])


@pytest.mark.parametrize(
    ("scores", "text", "link", "printed", "code"),
    [
        ({"F1": 20.0, "seconds": 1.5}, "f1 20.00", "run", "run", 0),
        ({"f1": 20.1, "seconds": 1.5}, "f1 20.00", "run", "run", 0),
        ({"f1": 20.0, "seconds": 1.5}, "f1 20.10", "run", "run", 0),
        ({"f1": 20.0, "seconds": 1.5}, "f1 20.00", "elsewhere", "run", 0),
        ({"f1": 20.0, "seconds": 1.5}, "f1 20.00", "run", "runs", 0),
        ({"f1": 20.0, "seconds": 1.5}, "f1 20.00", "run", "run", 2),
    ],
)
def test_a_changed_key_value_text_link_json_or_exit_code_is_noticed(
    kept: Path, tmp_path: Path, scores: dict[str, object], text: str, link: str, printed: str, code: int
) -> None:
    present = write(tmp_path / "present", scores, PAGE.format(text=text, link=link), printed, code)
    files, _ = differences(kept, present)
    assert len(files) == 1


def test_a_weaker_policy_and_a_missing_file_are_noticed(kept: Path, tmp_path: Path) -> None:
    page = PAGE.format(text="f1 20.00", link="run").replace("'none'", "*")
    present = write(tmp_path / "present", {"f1": 20.0, "seconds": 1.5}, page, "run")
    (present / "work" / "run" / "scores.json").unlink()
    files, _ = differences(kept, present)
    assert [line.partition(":")[0] for line in files] == ["run/report.html", "run/scores.json"]
