"""The core names no plugin and no benchmark, and runs without them."""

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from longdoc.extensions import BENCHMARKS, PLUGINS, benchmarks
from longdoc.own_packages import HOME, PACKAGES

KEPT_BENCHMARK = "muld"  # the only benchmark in the copy
FORMS_OF_OWN_ROWS = (
    "pipelines/tasks/own_data.py",
    "pipelines/sources/layouts.py",
)  # they name forms of rows, among them LooGLE's
RUN = "narrativeqa", "--data", "sample", "--model", "extractive", "--metric", "f1", "--no-report"


def test_no_string_outside_a_benchmarks_folder_names_it() -> None:
    lines = [f"{file}: {text}" for file, text in _strings() if text.partition("/")[0] in benchmarks()]
    assert [line for line in lines if not line.startswith(FORMS_OF_OWN_ROWS)] == []


@pytest.fixture(scope="module")
def core_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout without plugins, and with one benchmark."""
    home = tmp_path_factory.mktemp("alone")
    for package in ("longdoc", *PACKAGES):
        shutil.copytree(HOME / package, home / package, ignore=_left_out)
    return home


def test_the_core_gives_the_same_predictions_without_plugins_and_benchmarks(core_home: Path, tmp_path: Path) -> None:
    assert sorted(path.name for path in (core_home / "pipelines" / "benchmarks").iterdir() if path.is_dir()) == [
        KEPT_BENCHMARK
    ]
    whole, core = (_predictions(home, tmp_path / name) for home, name in ((HOME, "whole"), (core_home, "core")))
    assert core == whole
    assert json.loads(core.splitlines()[0])["id"]


def test_without_plugins_their_commands_and_functions_are_not_offered(core_home: Path) -> None:
    help_text = _longdoc(core_home, "--help-all").stdout
    commands = {line.split()[0] for line in help_text.splitlines() if line.startswith("  ") and line.strip()}
    assert {"run", "ablate", "compare"} <= commands and not {"ask", "versus", "train"} & commands
    code = "import longdoc; print(hasattr(longdoc, 'run'), hasattr(longdoc, 'ask'))"
    assert _python(core_home, "-c", code).stdout == "True False\n"
    refused = _longdoc(core_home, "run", *RUN, "--judge", "constant:yes")
    assert refused.returncode == 2 and "--judge" in refused.stderr


def _left_out(folder: str, names: list[str]) -> list[str]:
    """What a copy of the checkout leaves out: the plugins, and all benchmarks but one."""
    if Path(folder) == PLUGINS:
        return [name for name in names if name != "__init__.py"]
    if Path(folder) == BENCHMARKS:
        return [name for name in names if name not in (KEPT_BENCHMARK, "__init__.py")]
    return [name for name in names if name == "__pycache__"]


def _predictions(home: Path, out: Path) -> bytes:
    process = _longdoc(home, "run", *RUN, "--out", str(out))
    assert process.returncode == 0, process.stderr
    return (out / "predictions.jsonl").read_bytes()


def _longdoc(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return _python(home, "-m", "longdoc", *arguments)


def _python(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run Python in a checkout, with its folder first on the path, so that its own packages are imported."""
    code = f"import sys; sys.path.insert(0, {str(home)!r}); import runpy; sys.argv = {['longdoc', *arguments[2:]]!r}; "
    code += arguments[1] if arguments[0] == "-c" else f"runpy.run_module({arguments[1]!r}, run_name='__main__')"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=home)


def _strings() -> Iterator[tuple[str, str]]:
    """The string literals of our packages outside the benchmarks' folders."""
    for package in ("longdoc", *PACKAGES):
        for file in sorted((HOME / package).rglob("*.py")):
            if BENCHMARKS in file.parents:
                continue
            tree = ast.parse(file.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield str(file.relative_to(HOME)), node.value
