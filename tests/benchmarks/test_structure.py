"""What is counted of the structure of a source, of small made-up ones."""

import ast
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks import structure
from benchmarks.import_graph import circles, import_graph
from benchmarks.traced_run import Trace
from pipelines.cli.commands import COMMANDS, GROUPS
from pipelines.cli.shared.shared_options import shared_options

RECORDS = """from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from .tables import write

class Run:
    pass
"""
SOURCES = {
    "one/__init__.py": "from one.records import Run\n",
    "one/records.py": RECORDS,
    "one/tables.py": "def write():\n    from one import records\n    return records\n",
    "one/inner/__init__.py": "import two\nfrom .. import Run\n",
    "one/inner/plots.py": "from ..tables import write\nfrom . import missing_name\n",
    "two/__init__.py": "",
}
DECLARATIONS = '''
def run(retriever: str, *, fill: str) -> None:
    """A docstring
    of two lines."""
    return None


@dataclass
class Options:
    retriever: str
    fill: str = "cut"


def selection(fill: str) -> str:
    return fill
'''


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_imports_of_functions_and_of_type_checking_count(source: Path) -> None:
    assert import_graph(source, ("one", "two")) == {
        "one": {"one.records"},
        "one.records": {"one.tables"},
        "one.tables": {"one.records"},
        "one.inner": {"two", "one"},
        "one.inner.plots": {"one.tables", "one.inner"},
        "two": set(),
    }


def test_circles_are_files_that_import_one_another(source: Path) -> None:
    assert circles(import_graph(source, ("one", "two"))) == [["one.records", "one.tables"]]
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {"d", "f"}, "f": set()}
    assert circles(graph) == [["a", "b", "c"], ["d", "e"]]


def test_who_declares_the_arguments_of_a_run_is_found(source: Path) -> None:
    (source / "two" / "api.py").write_text(DECLARATIONS)
    rows = written_measures(source)
    assert rows["places that declare arguments of `run`"].counted == ("two/api.py:2 run", "two/api.py:9 Options")
    assert rows["shapes of a scored run"].counted == ("one/records.py:5 Run",)
    assert rows["circles of files"].value == "1"
    assert rows["lines of RELIABILITY.md"].value == "2"
    assert rows["lines of CHANGELOG.md's Unreleased"].value == "3"
    assert rows["source lines"].value == "29 in 7 files"


def written_measures(source: Path) -> dict[str, structure.Measure]:
    (source / "benchmarks").mkdir()
    (source / "benchmarks" / "RELIABILITY.md").write_text("# Reliability\n\n")
    (source / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n- a line\n\n## 0.1\n\n- another\n")
    return {row.name: row for row in structure.measures(source, ("one", "two"))}


def test_a_function_is_as_long_as_it_is_without_decorators_and_docstring() -> None:
    (run, options, selection) = ast.parse(DECLARATIONS).body
    assert isinstance(run, ast.FunctionDef)
    assert isinstance(selection, ast.FunctionDef)
    assert isinstance(options, ast.ClassDef)
    assert (structure.length(run), structure.length(selection)) == (2, 2)


def test_folders_with_more_than_20_files_are_named(source: Path) -> None:
    for number in range(20):
        (source / "two" / f"file_{number}.py").write_text("")
    assert structure.large_folders(source, ("one", "two")) == ["two: 21"]


@dataclass
class Options:
    k: int = 3
    fill: str = "cut"


def carrier(options: Options) -> str:
    return helper(options.fill, k=options.k)


def helper(fill: str, k: int) -> str:
    return unrelated(fill)


def unrelated(fill: str, **others: int) -> str:
    return fill


def test_functions_that_get_an_argument_alone_or_in_a_record_carry_it() -> None:
    profile = sys.getprofile()
    with Trace((__file__,)) as trace:
        carrier(Options())
        unrelated("cut", j=2)
    sys.setprofile(profile)
    assert {code.co_name for code in trace.carriers} == {"carrier", "helper"}
    assert "unrelated" in {code.co_name for code in trace.codes}


def test_commands_and_options_are_those_of_the_command_line() -> None:
    commands, every, options = structure.command_measures()
    counts = {name: int(count) for name, _, count in (line.partition(": ") for line in commands.counted)}
    assert counts["run"] > 10
    assert int(options.value) == sum(counts.values()) + len(shared_options())
    assert int(commands.value) == len(COMMANDS) + len(GROUPS)
    assert int(every.value) == len(COMMANDS) + sum(len(group.commands) for group in GROUPS.values())


def test_the_lists_stand_below_the_table() -> None:
    rows = [structure.Measure("circles of files", "1", ("a, b",)), structure.Measure("commands", "3")]
    table = "|  | now |\n| --- | ---: |\n| circles of files | 1 |\n| commands | 3 |"
    assert structure.page(rows, with_lists=False) == table
    assert structure.page(rows, with_lists=True) == f"{table}\n\ncircles of files:\n\n- a, b"


def test_a_class_with_dictionaries_by_score_is_a_shape_of_a_run_and_one_that_holds_scores_is_none() -> None:
    source = """
class Cell:
    scores: Mapping[str, float]
    intervals: Mapping[str, Interval]

class Row:
    scores: Scores
    words: float

class WrittenTask:
    scores: tuple[str, ...]
    not_computed: Mapping[str, str]

class Run:
    scores: Scores
"""
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    assert [node.name for node in classes if structure.is_shape(node)] == ["Cell", "Run"]


def test_a_typed_dictionary_with_an_argument_of_run_declares_it() -> None:
    source = "class Fill(TypedDict):\n    fill: str\n\nclass Selection:\n    fill: str\n"
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    assert [node.name for node in classes if structure.declares_run_arguments(node)] == ["Fill"]
