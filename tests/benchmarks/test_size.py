"""Ceilings for the size of a tiny made-up project."""

from pathlib import Path

import pytest

from benchmarks import size
from benchmarks.size import Size

FILES = {
    "longdoc/__init__.py": 1,
    "chunkers/words.py": 3,
    "models/reader.py": 5,
    "retrievers/bm25.py": 2,
    "pipelines/run.py": 4,
    "pipelines/engine/plan.py": 120,
    "pipelines/engine/queue/rows.py": 30,
    "pipelines/static/page.css": 9,
    "pipelines/sample/manual.md": 5,
    "benchmarks/speed.py": 6,
    "benchmarks/RESULTS.md": 40,
    "tests/conftest.py": 7,
    "tests/pipelines/engine/test_plan.py": 50,
    "docs/index.md": 8,
    "docs/howto/run.md": 20,
    "docs/_hooks/tables.py": 10,
    "docs/pictures/run.svg": 10,
}
ENGINE = "pipelines/engine has 150 lines, 50 over its ceiling of 100."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, lines in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("line\n" * lines)
    return tmp_path


def test_source_tests_and_docs_are_counted_by_part(root: Path) -> None:
    assert size.measured(root) == {
        "longdoc": Size(1, 1),
        "chunkers": Size(3, 1),
        "models": Size(5, 1),
        "retrievers": Size(2, 1),
        "pipelines": Size(154, 3),
        "pipelines/engine": Size(150, 2),
        "benchmarks": Size(46, 2),
        "tests": Size(57, 2),
        "tests/pipelines": Size(50, 1),
        "tests/pipelines/engine": Size(50, 1),
        "docs": Size(38, 3),
        "docs/_hooks": Size(10, 1),
        "docs/howto": Size(20, 1),
    }


def test_the_present_sizes_rounded_up_become_the_ceilings(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size.main(root, ["--write"])
    assert capsys.readouterr().out.splitlines()[6] == "pipelines/engine                  150      200      2        5"
    ceilings = size.read((root / "ceilings.toml").read_text())
    assert ceilings == {part: Size(200 if now.lines > 100 else 100, 5) for part, now in size.measured(root).items()}
    size.main(root, ["--quiet"])
    assert capsys.readouterr().out == ""


def test_what_exceeds_its_ceiling_is_named_with_what_to_do(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size.main(root, ["--write"])
    text = (root / "ceilings.toml").read_text()
    text = text.replace(
        '"pipelines/engine" = { lines = 200, files = 5 }', '"pipelines/engine" = { lines = 100, files = 1 }'
    )
    (root / "ceilings.toml").write_text(text)
    (root / "docs" / "reference").mkdir()
    (root / "docs" / "reference" / "tasks.md").write_text("line\n")
    with pytest.raises(SystemExit) as ended:
        size.main(root, ["--quiet"])
    assert str(ended.value).splitlines() == [
        ENGINE,
        "pipelines/engine has 2 files, 1 over its ceiling of 1.",
        "docs/reference has no ceiling in ceilings.toml.",
        size.RAISE,
    ]


def test_more_is_no_excess_before_the_ceiling_is_passed() -> None:
    ceilings = {"docs": Size(100, 5)}
    assert size.excess({"docs": Size(100, 5)}, ceilings) == []
    assert size.excess({"docs": Size(101, 6)}, ceilings) == [
        "docs has 101 lines, 1 over its ceiling of 100.",
        "docs has 6 files, 1 over its ceiling of 5.",
    ]
