"""The sizes of a tiny made-up project."""

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


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, lines in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("line\n" * lines)
    return tmp_path


def test_source_tests_and_docs_are_counted_by_part(root: Path) -> None:
    assert size.sizes_of(root) == {
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


def test_the_table_has_a_line_for_each_part(root: Path) -> None:
    lines = size.page(size.sizes_of(root)).splitlines()
    assert lines[0] == f"{'lines':>37}{'files':>7}"
    assert lines[6] == "pipelines/engine                  150      2"
