"""A package of somebody else, as the pages describe: the six additions, and everything that a plugin can have.

Its files come from the pages. One separate process, which has it on its path, uses it.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from longdoc.own_packages import HOME
from tests import documents
from tests.documentation import assert_printed, without_seconds

HOWTO = documents.ROOT / "docs" / "howto"
FENCES = [
    fence
    for page in ("extending", "own_benchmark", "own_components")
    for fence in documents.fences((HOWTO / f"{page}.md").read_text(encoding="utf-8"))
]
ROW = re.compile(r"^\| a \[([\w ]+)\].* \| (\d) \| 0 \| `(longdoc[\w.]+)`: `(\w+) = \"([\w.:]+)\"` \|$", re.MULTILINE)
ADDITIONS = ROW.findall((HOWTO / "extending.md").read_text(encoding="utf-8"))
COMPONENTS = {
    "tides/blocks.py": """
from dataclasses import dataclass
from longdoc.chunkers import Chunk, Chunker

@dataclass(frozen=True)
class Blocks(Chunker):
    size: int = 40

    def split(self, text, query=None):
        ends = [(start, min(start + self.size, len(text))) for start in range(0, len(text), self.size)]
        return [Chunk(text[start:end], start, end) for start, end in ends]
""",
    "tides/shared.py": """
from dataclasses import dataclass
import numpy as np
from longdoc.retrievers import ExactIndex, Retriever

class SharedWords(ExactIndex):
    def __init__(self, chunks):
        self.chunks = [set(chunk.text.split()) for chunk in chunks]

    def scores(self, queries):
        return np.array([[len(chunk & set(query.split())) for chunk in self.chunks] for query in queries], np.float32)

@dataclass(frozen=True)
class Shared(Retriever):
    def index(self, chunks):
        return SharedWords(chunks)
""",
    "tides/brevity.py": """
from dataclasses import dataclass
from longdoc.pipelines.metrics import Metric

@dataclass(frozen=True)
class Brevity(Metric):
    words: int = 1
    signature = "brevity|version:1"

    def statistics(self, prediction, example):
        return {"brevity": 100.0 * (len(prediction.split()) <= self.words)}

    def aggregate(self, rows):
        return {"brevity": sum(row["brevity"] for row in rows) / len(rows)}
""",
    "tides/longest.py": """
from dataclasses import dataclass
from longdoc.models import Generate, Prompt, Reader, Reply

@dataclass(frozen=True)
class Longest(Reader):
    supports = frozenset({Generate})

    def count(self, texts):
        return [len(text.split()) for text in texts]

    def reply(self, requests):
        texts = [Prompt.of(request.prompt).passages[0].text for request in requests]
        return [Reply(max(text.split(), key=len), tokens_in=1, tokens_out=1) for text in texts]
""",
    "ebb/plugin.py": """
from longdoc.plugin import Plugin

PLUGIN = Plugin(
    commands={"ebb now": "ebb.code:now"},
    groups={"ebb": "Low water."},
    results="ebb.code:EbbResults",
    section="ebb.code:section",
)
""",
    "ebb/code.py": """
from dataclasses import dataclass
from longdoc.pipelines.display.table import Table, numbered_columns
from longdoc.pipelines.display.view import View
from longdoc.pipelines.results.kinds import ResultKind

def now() -> None:
    '''Say when it is low.'''
    print("soon")

def section(content):
    return "<script>1</script>"

@dataclass(frozen=True)
class EbbView(View):
    lines: tuple[str, ...]

    def tables(self):
        return [Table("Ebb", tuple(numbered_columns(["line"])), [(line,) for line in self.lines])]

class EbbResults(ResultKind):
    def recognizes(self, path):
        return path.suffix == ".ebb"

    def view(self, paths, request):
        return EbbView(tuple(path.read_text(encoding="utf-8").strip() for path in paths))
""",
}  # fmt: skip
PROGRAM = """
import contextlib, io, json, sys
from pipelines.cli import main

def call(*words):
    out, sys.argv[:] = io.StringIO(), list(words)
    try:
        with contextlib.redirect_stdout(out):
            exec(words[2], {}) if words[0] == "python" else main.main()
    except SystemExit as exited:
        assert not exited.code, (words, exited.code)
    return out.getvalue()

print(json.dumps([call(*words) for words in json.loads(sys.argv[1])]))
"""
RUN = ("run", "qa", "--data", "rows.jsonl", "--chunker", "blocks:20", "--retriever", "shared", "-k", "1")
COMPLETION_CODE = """
from pipelines.cli.completion import components
kinds = {"blocks": "chunkers", "shared": "retrievers", "longest": "readers", "brevity": "metrics", "height": "metrics"}
print(*(name in components(kind)(name) for name, kind in kinds.items()))
"""
COMMANDS = {
    "run": (*RUN, "--model", "longest", "--metric", "brevity", "--words-to", "words.txt", "--out", "runs/qa"),
    "verify": ("runs", "verify", "runs/qa"),
    "score": ("score", "runs/qa"),
    "ask": ("ask", "notes.adoc", "Who mends nets?"),
    "report": ("report", "a.ebb", "--format", "markdown"),
    "group": ("ebb", "now"),
    "help": ("--help-all",),
    "component": ("list", "components", "height"),
    "tasks": ("list", "tasks", "tides", "--json"),
}
DATA = {
    "rows.jsonl": '{"document": "Anna mends nets. Very old is Bo.", "question": "Who is old?", "answers": "Bo"}\n',
    "notes.adoc": "// Bo mends nets.\nAnna mends nets.\n",
    "a.ebb": "low\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the packages and their `.dist-info`, in which the commands run."""
    folder = tmp_path_factory.mktemp("stranger")
    files = {fence.title: fence.text for fence in FENCES if fence.title.startswith("tides/")}
    files |= {fence.title: fence.text for fence in FENCES if fence.title == "north.jsonl"}
    for name, text in (files | COMPONENTS | DATA).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    _install(folder, "longdoc-tides", _entry_points())
    _install(folder, "longdoc-ebb", {"longdoc.plugins": {"ebb": "ebb.plugin:PLUGIN"}})
    return folder


@pytest.fixture(scope="module")
def printed(home: Path) -> dict[str, str]:
    """The output of each command: those of `COMMANDS` by key, those of the pages by command line."""
    own_commands = [("longdoc", *words) for words in COMMANDS.values()]
    commands = [*(words for words, _ in _page_commands()), *own_commands, ("python", "-c", COMPLETION_CODE)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (HOME, home)))}
    python = [sys.executable, "-c", PROGRAM, json.dumps(commands)]
    process = subprocess.run(python, cwd=home, env=environment, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    names = [*(" ".join(words) for words, _ in _page_commands()), *COMMANDS, "completion"]
    return dict(zip(names, json.loads(process.stdout), strict=True))


def test_the_pages_show_what_their_commands_print(printed: Mapping[str, str]) -> None:
    shown = [(" ".join(words), text) for words, text in _page_commands() if text]
    assert len(shown) == 5
    for command, text in shown:
        assert_printed(text, printed[command], command, without_seconds)


def test_the_page_lists_the_six_additions_with_the_number_of_their_files() -> None:
    kinds = ["chunker", "retriever", "metric", "reader", "document format", "benchmark"]
    assert [addition[0] for addition in ADDITIONS] == kinds
    benchmark = [fence.title for fence in FENCES if fence.title.startswith("tides/benchmark/")]
    assert [int(addition[1]) for addition in ADDITIONS] == [1, 1, 1, 1, 1, len(benchmark)]


def test_a_run_uses_and_records_components_by_their_registered_names(printed: Mapping[str, str], home: Path) -> None:
    assert printed["run"].splitlines()[0] == "qa: blocks:20 → shared k=1 → stuff → longest"
    record = json.loads((home / "runs/qa/run.json").read_text(encoding="utf-8"))
    assert record["spec"]["chunker"] == {"name": "blocks", "size": 20}
    assert record["spec"]["retriever"] == {"name": "shared"}
    assert record["spec"]["model"] == {"name": "longest"}
    assert record["metrics"] == {"brevity": {"name": "brevity", "words": 1}}
    assert printed["score"].splitlines() == ["brevity           100.00"]
    assert printed["verify"].splitlines()[-1].strip() == "everything checked agrees"


def test_components_and_tasks_are_listed_and_completed(printed: Mapping[str, str]) -> None:
    assert printed["completion"] == "True True True True True\n"
    assert printed["component"].splitlines()[:3] == [
        "metric height",
        "",
        "The share of predictions that name the height, 0–100.",
    ]
    assert list(json.loads(printed["tasks"])) == ["tides/north", "tides/south"]


def test_a_document_format_is_read(printed: Mapping[str, str]) -> None:
    assert "Most relevant: Anna mends nets." in printed["ask"] and "Bo" not in printed["ask"]


def test_hooks_get_arguments_and_sections_are_in_the_report(home: Path) -> None:
    assert (home / "words.txt").read_text(encoding="utf-8") == "1\n"
    page = (home / "runs/qa/report.html").read_text(encoding="utf-8")
    assert '<section id="plugin-tides">\n<h2>Words</h2><p>1 on qa</p>\n</section>' in page
    assert '<section id="plugin-ebb">\n&lt;script&gt;1&lt;/script&gt;\n</section>' in page


def test_commands_are_grouped_and_foreign_results_are_reported(printed: Mapping[str, str]) -> None:
    assert printed["group"] == "soon\n"
    lines = [line.strip() for line in printed["help"].splitlines()]
    assert "words      Count the words in a run's predictions." in lines
    assert "ebb        now" in lines[lines.index("Groups of commands:") : lines.index("Options:")]
    assert printed["report"] == "**Ebb**\n\n| line |\n| --- |\n| low |\n\n"


def _page_commands() -> list[tuple[tuple[str, ...], str]]:
    """The commands of the pages except `pip`, each with the output that its page shows."""
    blocks = "".join(fence.text for fence in FENCES if fence.language == "console").split("$ ")[1:]
    lines = [block.partition("\n") for block in blocks]
    return [(tuple(shlex.split(line)), text) for line, _, text in lines if not line.startswith("pip ")]


def _entry_points() -> dict[str, dict[str, str]]:
    """The entry points of the pages by group: those in `pyproject.toml` and in the table."""
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for fence in FENCES:
        if fence.title == "pyproject.toml":
            for group, points in tomllib.loads(fence.text)["project"]["entry-points"].items():
                groups[group] |= points
    for _, _, group, name, value in ADDITIONS:
        groups[group][name] = value
    return groups


def _install(folder: Path, name: str, points: Mapping[str, Mapping[str, str]]) -> None:
    """Write a package's metadata as `pip install` does."""
    metadata = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    lines = [
        line
        for group, group_points in points.items()
        for line in (f"[{group}]", *(f"{k} = {v}" for k, v in group_points.items()))
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
