"""Sections whose figures differ fail the check; those whose data have changed are listed."""

import runpy
import sys
from pathlib import Path

import pytest

from benchmarks import check, results
from tests.documents import ROOT

PRINTED = {"curves": "| a | 1 |\n| b | 2 |", "power": "| c | 3 |", "long": "1.5 s"}


@pytest.fixture(autouse=True)
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The output of each script, all of which stands in RESULTS.md; the first two scripts are quick."""
    printed = dict(PRINTED)

    def run_module(name: str, run_name: str) -> None:
        script = name.removeprefix("benchmarks.")
        results.publish(script, printed[script], " ".join(sys.argv[1:]))

    monkeypatch.setattr(runpy, "run_module", run_module)
    monkeypatch.setattr(results, "FILE", tmp_path / "RESULTS.md")
    monkeypatch.setattr(results, "_settings", [])
    monkeypatch.setattr(check, "QUICK", ("curves", "power"))
    monkeypatch.setenv("LONGDOC_REALDATA", str(tmp_path))
    (tmp_path / "stories").mkdir()
    (tmp_path / "stories" / "a.txt").write_text("first", encoding="utf-8")
    for script, data in (("curves", set[str]()), ("power", {"stories"}), ("long", {"stories"})):
        monkeypatch.setattr(results, "_opened", data)
        results.publish(script, printed[script], "4 5" if script == "power" else "")
    return printed


def run_check(capsys: pytest.CaptureFixture[str]) -> tuple[object, list[str]]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as exit_info:
        check.main()
    return exit_info.value.code, capsys.readouterr().out.splitlines()


def test_equal_figures_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_check(capsys) == (0, ["3 sections, 2 printed again, 0 differ; 0 have no date."])


def test_a_figure_that_differs_fails_with_both_lines(
    published: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    published.update(curves="| a | 1 |\n| b | 2.5 |", long="1.6 s")
    assert run_check(capsys) == (1, [
        "curves differs. If the new figures are right, run `python -m benchmarks.curves`.",
        "-| b | 2 |", "+| b | 2.5 |",
        "3 sections, 2 printed again, 1 differ; 0 have no date.",
    ])  # fmt: skip


def test_changed_data_are_listed_and_missing_ones_are_not_checked(
    tmp_path: Path, published: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "stories" / "a.txt").write_text("second", encoding="utf-8")
    assert run_check(capsys) == (0, [
        "power: its data have changed since (stories). Run `python -m benchmarks.power 4 5`.",
        "long: its data have changed since (stories). Run `python -m benchmarks.long`.",
        "3 sections, 2 printed again, 0 differ; 0 have no date.",
    ])  # fmt: skip
    (tmp_path / "stories").rename(tmp_path / "elsewhere")
    published["power"] = "other"
    assert run_check(capsys) == (0, [
        "power: not checked, its data are not here (stories).", "long: not checked, its data are not here (stories).",
        "3 sections, 1 printed again, 0 differ; 0 have no date.",
    ])  # fmt: skip


def test_every_section_has_a_date_or_says_that_it_has_none() -> None:
    page = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    sections = check.sections(page)
    assert len(sections) == page.count("\n## ") > 20
    heads = [section.head.partition(" ")[0] for section in sections]
    undated = results.UNDATED.partition(" ")[0]
    assert set(heads) <= {"longdoc", undated}
    assert {section.title for section in sections} >= set(check.QUICK)
