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
MOST_SECONDS = 60.0  # that the tests outside the mirroring file take


def digest(text: bytes | str) -> str:
    """A short hash."""
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()[:16]


def test_files(root: Path, file: str) -> list[str]:
    """The tests that belong to a module: those of the folder that mirrors its own, or the nearest one above it."""
    folder = root / "tests" / file
    while not (found := sorted(folder.parent.glob("test_*.py"))):
        folder = folder.parent
    return [str(path.relative_to(root)) for path in found]


def functions(source: bytes) -> dict[str, tuple[int, int, str]]:
    """The first and last line of each function and method, and a hash of its code."""
    found: dict[str, tuple[int, int, str]] = {}

    def go(body: list[ast.stmt], names: list[str]) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                go(node.body, [*names, node.name])
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                name = ".".join([*names, node.name])
                found[name] = (node.lineno, node.end_lineno or 0, digest(ast.dump(node)))

    go(ast.parse(source).body, [])
    return found


class Map:
    """The lines that each test executes, in a folder of one JSON file per test file."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self._folder = root, folder
        self._lines: dict[str, dict[int, list[str]]] = {}
        self._whole: dict[str, dict[str, tuple[int, int, str]]] = {}
        self.seconds: dict[str, float] = {}
        self.of_file: dict[str, float] = defaultdict(float)
        self.failing: list[str] = []

    def make(self, files: list[str], processes: int, say: Callable[[str], None]) -> None:
        """Run the test files that are new or have changed, over code that notes what is executed, and read the map."""
        self._folder.mkdir(parents=True, exist_ok=True)
        absent = [file for file in files if not self._kept(file).exists()]

        def done(trial: Trial) -> None:
            (file,) = trial.tests
            if not any("lines" in said for said in trial.said):
                say(f"no map of {file}: {trial.outcome} {trial.by} {trial.message}")
                return
            tests = [said for said in trial.said if "lines" in said]
            for old in self._folder.glob(f"{_flat(file)}.*.json"):
                old.unlink()
            self._kept(file).write_text(json.dumps({"tests": tests, "functions": self._functions(tests)}))
            say(f"{file}: {len(tests)} tests, {trial.seconds:.0f} s")

        if absent:
            with copies(self.root, processes) as folders:
                *_, blocks = [instrument(folder) for folder in folders]
                trials = (Trial({file: 0.0}, Recorder(blocks), stops=False, least_limit=300.0) for file in absent)
                run(self.root, lambda: next(trials, None), folders, done)
        for file in files:
            if self._kept(file).exists():
                self._read(json.loads(self._kept(file).read_text()))

    def _functions(self, tests: list[dict[str, Any]]) -> dict[str, dict[str, tuple[int, int, str]]]:
        names = {name for test in tests for name in test["lines"]}
        return {name: functions((self.root / name).read_bytes()) for name in sorted(names)}

    def _kept(self, file: str) -> Path:
        return self._folder / f"{_flat(file)}.{digest((self.root / file).read_bytes())}.json"

    def _read(self, kept: dict[str, Any]) -> None:
        for test in kept["tests"]:
            if test["outcome"] == "failed":
                self.failing.append(test["test"])
                continue
            self.seconds[test["test"]] = test["seconds"]
            self.of_file[test["test"].partition("::")[0]] += test["seconds"]
            for name, lines in test["lines"].items():
                now = self._now(name)
                place = self._lines.setdefault(name, defaultdict(list))
                for function, (first, last, code) in kept["functions"][name].items():
                    inside = [line for line in lines if first <= line <= last]
                    if not inside or function not in now:
                        continue
                    begin, end, new = now[function]
                    moved = (line - first + begin for line in inside) if new == code else range(begin, end + 1)
                    for line in moved:
                        place[line].append(test["test"])
                place[0].append(test["test"])  # any line of the file

    def took(self, tests: list[str]) -> float:
        """The seconds that tests took."""
        return sum(self.seconds[test] for test in tests)

    def _now(self, name: str) -> dict[str, tuple[int, int, str]]:
        if name not in self._whole:
            path = self.root / name
            self._whole[name] = functions(path.read_bytes()) if path.exists() else {}
        return self._whole[name]

    def tests_of(self, mutant: Mutant, files: list[str]) -> list[str]:
        """The tests of some files that execute the changed statement.

        Where none does: those that execute its function (it may be run in another process), its module, or all of the
        file that mirrors it.
        """
        lines = self._lines.get(mutant.file, {})
        function = self._now(mutant.file).get(mutant.function)
        spans = [range(mutant.lines[0], mutant.lines[1] + 1)] if function and not mutant.cached else []
        spans += [range(function[0], function[1] + 1)] if function else []
        for span in [*spans, range(1)]:
            found = {test for line in span for test in lines.get(line, ()) if test.partition("::")[0] in files}
            if found:
                return sorted(found, key=lambda test: self.seconds[test])
        return [test for test in self.seconds if test.startswith(mirrored(mutant.file))]


def mirrored(file: str) -> str:
    """The test file of a module."""
    path = Path(file)
    return f"tests/{path.parent}/test_{path.stem.lstrip('_')}.py"


def belonging(root: Path, file: str) -> list[str]:
    """The file of tests that mirrors a module; where there is none, those of its folder's tests that name it."""
    if (root / mirrored(file)).exists():
        return [mirrored(file)]
    word = re.compile(rf"\b{re.escape(Path(file).stem)}\b")
    return [name for name in test_files(root, file) if word.search((root / name).read_text(encoding="utf-8"))]


def in_stages(mutant: Mutant, found: Map | None) -> Iterator[dict[str, float]]:
    """The tests that may kill a mutant: those of the mirroring file, then the others, the cheapest file first.

    Without a map it is the whole files that belong to its module. With one, files go on to be taken while the tests
    took `MOST_SECONDS` in all; each test is given with its seconds, a tenth of its file's at least: it may now be the
    first to make what the file's tests share.
    """
    if found is None:
        yield from ({file: 0.0} for file in belonging(ROOT, mutant.file))
        return
    tests = found.tests_of(mutant, test_files(found.root, mutant.file))
    own = [test for test in tests if test.startswith(mirrored(mutant.file))]
    files: dict[str, list[str]] = {}
    for test in tests:
        if test not in own:
            files.setdefault(test.partition("::")[0], []).append(test)
    elsewhere = [test for test in found.seconds if test.startswith(mirrored(mutant.file)) and test not in own]
    others = elsewhere  # in a process of its own, a test executes the statement without being seen to
    for some in sorted(files.values(), key=found.took):
        if found.took([*others, *some]) <= MOST_SECONDS or not others:
            others = [*others, *some]
    for some in (own, others):
        if some:
            yield {test: max(found.seconds[test], found.of_file[test.partition("::")[0]] / 10) for test in some}


def _flat(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")
