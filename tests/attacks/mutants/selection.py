"""Which tests execute which lines: a map made by one run of the tests, file by file, kept in `build/mutants`."""

import ast
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.attacks.mutants.recorder import Recorder, instrument
from tests.attacks.mutants.sample import Mutant
from tests.attacks.mutants.trials import Trial, copies, run

ROOT = Path(__file__).resolve().parents[3]
MAX_SECONDS = 60.0  # that the tests outside the mirroring file take


def digest(text: bytes | str) -> str:
    """A short hash."""
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()[:16]


def test_files(root: Path, file: str) -> list[str]:
    """The tests that belong to a module: those of the folder that mirrors its own, or the nearest one above it."""
    folder = root / "tests" / file
    while not (paths := sorted(folder.parent.glob("test_*.py"))):
        folder = folder.parent
    return [str(path.relative_to(root)) for path in paths]


def functions(source: bytes) -> dict[str, tuple[int, int, str]]:
    """The first and last line of each function and method, and a hash of its code."""
    spans: dict[str, tuple[int, int, str]] = {}

    def collect(body: list[ast.stmt], names: list[str]) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                collect(node.body, [*names, node.name])
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                name = ".".join([*names, node.name])
                spans[name] = (node.lineno, node.end_lineno or 0, digest(ast.dump(node)))

    collect(ast.parse(source).body, [])
    return spans


class LineMap:
    """The lines that each test executes, in a folder of one JSON file per test file."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self._folder = root, folder
        self._lines: dict[str, dict[int, list[str]]] = {}
        self._functions_by_file: dict[str, dict[str, tuple[int, int, str]]] = {}
        self.seconds: dict[str, float] = {}
        self.of_file: dict[str, float] = defaultdict(float)
        self.failing: list[str] = []

    def make(self, files: list[str], processes: int, say: Callable[[str], None]) -> None:
        """Run the test files that are new or have changed, over code that notes what is executed, and read the map."""
        self._folder.mkdir(parents=True, exist_ok=True)
        files_without_map = [file for file in files if not self._file_of(file).exists()]

        def keep_map(trial: Trial) -> None:
            (file,) = trial.tests
            if not any("lines" in report for report in trial.reports):
                say(f"no map of {file}: {trial.outcome} {trial.by} {trial.message}")
                return
            tests = [report for report in trial.reports if "lines" in report]
            for old_file in self._folder.glob(f"{_flat(file)}.*.json"):
                old_file.unlink()
            self._file_of(file).write_text(json.dumps({"tests": tests, "functions": self._functions(tests)}))
            say(f"{file}: {len(tests)} tests, {trial.seconds:.0f} s")

        if files_without_map:
            with copies(self.root, processes) as folders:
                *_, blocks = [instrument(folder) for folder in folders]
                trials = (
                    Trial({file: 0.0}, Recorder(blocks), stops=False, least_limit=300.0) for file in files_without_map
                )
                run(self.root, lambda: next(trials, None), folders, keep_map)
        for file in files:
            if self._file_of(file).exists():
                self._read(json.loads(self._file_of(file).read_text()))

    def _functions(self, tests: list[dict[str, Any]]) -> dict[str, dict[str, tuple[int, int, str]]]:
        names = {name for test in tests for name in test["lines"]}
        return {name: functions((self.root / name).read_bytes()) for name in sorted(names)}

    def _file_of(self, file: str) -> Path:
        return self._folder / f"{_flat(file)}.{digest((self.root / file).read_bytes())}.json"

    def _read(self, file_content: dict[str, Any]) -> None:
        for test in file_content["tests"]:
            if test["outcome"] == "failed":
                self.failing.append(test["test"])
                continue
            self.seconds[test["test"]] = test["seconds"]
            self.of_file[test["test"].partition("::")[0]] += test["seconds"]
            for name, lines in test["lines"].items():
                functions_now = self._functions_of(name)
                tests_by_line = self._lines.setdefault(name, defaultdict(list))
                for function, (first, last, code) in file_content["functions"][name].items():
                    lines_inside = [line for line in lines if first <= line <= last]
                    if not lines_inside or function not in functions_now:
                        continue
                    begin, end, code_now = functions_now[function]
                    lines_now = (
                        (line - first + begin for line in lines_inside) if code_now == code else range(begin, end + 1)
                    )
                    for line in lines_now:
                        tests_by_line[line].append(test["test"])
                tests_by_line[0].append(test["test"])  # any line of the file

    def seconds_of(self, tests: list[str]) -> float:
        """The seconds that tests took."""
        return sum(self.seconds[test] for test in tests)

    def _functions_of(self, name: str) -> dict[str, tuple[int, int, str]]:
        if name not in self._functions_by_file:
            path = self.root / name
            self._functions_by_file[name] = functions(path.read_bytes()) if path.exists() else {}
        return self._functions_by_file[name]

    def tests_of(self, mutant: Mutant, files: list[str]) -> list[str]:
        """The tests of some files that execute the changed statement.

        Where none does: those that execute its function (it may be run in another process), its module, or all of the
        file that mirrors it.
        """
        lines = self._lines.get(mutant.file, {})
        function = self._functions_of(mutant.file).get(mutant.function)
        spans = [range(mutant.lines[0], mutant.lines[1] + 1)] if function and not mutant.cached else []
        spans += [range(function[0], function[1] + 1)] if function else []
        for span in [*spans, range(1)]:
            tests = {test for line in span for test in lines.get(line, ()) if test.partition("::")[0] in files}
            if tests:
                return sorted(tests, key=lambda test: self.seconds[test])
        return [test for test in self.seconds if test.startswith(mirroring_test_file(mutant.file))]


def mirroring_test_file(file: str) -> str:
    """The test file of a module."""
    path = Path(file)
    return f"tests/{path.parent}/test_{path.stem.lstrip('_')}.py"


def test_files_naming(root: Path, file: str) -> list[str]:
    """The file of tests that mirrors a module; where there is none, those of its folder's tests that name it."""
    if (root / mirroring_test_file(file)).exists():
        return [mirroring_test_file(file)]
    word = re.compile(rf"\b{re.escape(Path(file).stem)}\b")
    return [name for name in test_files(root, file) if word.search((root / name).read_text(encoding="utf-8"))]


def stages_of_tests(mutant: Mutant, test_map: LineMap | None) -> Iterator[dict[str, float]]:
    """The tests that may kill a mutant: those of the mirroring file, then the others, the cheapest file first.

    Without a map it is the whole files that belong to its module. With one, files go on to be taken while the tests
    took `MAX_SECONDS` in all; each test is given with its seconds, a tenth of its file's at least: it may now be the
    first to make what the file's tests share.
    """
    if test_map is None:
        yield from ({file: 0.0} for file in test_files_naming(ROOT, mutant.file))
        return
    tests = test_map.tests_of(mutant, test_files(test_map.root, mutant.file))
    own_tests = [test for test in tests if test.startswith(mirroring_test_file(mutant.file))]
    files: dict[str, list[str]] = {}
    for test in tests:
        if test not in own_tests:
            files.setdefault(test.partition("::")[0], []).append(test)
    own_tests_unseen = [
        test for test in test_map.seconds if test.startswith(mirroring_test_file(mutant.file)) and test not in own_tests
    ]
    others = own_tests_unseen  # in a process of its own, a test executes the statement without being seen to
    for tests_taken in sorted(files.values(), key=test_map.seconds_of):
        if test_map.seconds_of([*others, *tests_taken]) <= MAX_SECONDS or not others:
            others = [*others, *tests_taken]
    for tests_taken in (own_tests, others):
        if tests_taken:
            yield {
                test: max(test_map.seconds[test], test_map.of_file[test.partition("::")[0]] / 10)
                for test in tests_taken
            }


def _flat(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")
