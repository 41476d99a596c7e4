"""Runs `longdoc` in a Python that finds the core's libraries only: every other installed module seems absent."""

import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

OURS = {"longdoc", "chunkers", "models", "retrievers", "pipelines"}
PROGRAM = """
import contextlib, io, json, sys
from importlib.machinery import PathFinder

task = json.load(sys.stdin)

class FinderWithoutAbsentModules(PathFinder):
    absent = frozenset(task["absent"])

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in cls.absent else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = FinderWithoutAbsentModules
sys.path.insert(0, task["root"])
from longdoc.__main__ import main
results = []
for command in task["commands"]:
    sys.argv, code, printed = ["longdoc", *command], 0, io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            main()
        except SystemExit as exited:
            code = exited.code or 0
    results.append([code, printed.getvalue()])
json.dump(results, sys.stdout)
"""


def required_packages(*extras: str) -> set[str]:
    """The normalized names of all packages that the core and these extras need, directly or indirectly."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return _with_dependencies(
        project["dependencies"] + [line for extra in extras for line in project["optional-dependencies"][extra]]
    )


@cache
def absent_modules(*extras: str) -> list[str]:
    """The installed modules that neither the core nor these extras need."""
    required = required_packages(*extras)
    return sorted(
        module
        for module, distributions in packages_distributions().items()
        if module not in OURS and not required.intersection(map(canonicalize_name, distributions))
    )


def _with_dependencies(requirements: list[str]) -> set[str]:
    names: set[str] = set()
    waiting = [Requirement(line) for line in requirements]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in names:
            continue
        names.add(name)
        try:
            dependencies = [Requirement(line) for line in requires(name) or ()]
        except PackageNotFoundError:  # a package of an extra that is not installed here
            continue
        extras = requirement.extras or {""}
        waiting += [
            dependency
            for dependency in dependencies
            if dependency.marker is None or any(dependency.marker.evaluate({"extra": e}) for e in extras)
        ]
    return names


def commands(*lines: Sequence[object], folder: Path, extras: tuple[str, ...] = ()) -> list[tuple[int, str]]:
    """Run `longdoc` with each of these argument lists in that Python; return the exit codes and printed texts."""
    task = {"absent": absent_modules(*extras), "root": str(ROOT), "commands": [list(map(str, line)) for line in lines]}
    call = [sys.executable, "-c", PROGRAM]
    process = subprocess.run(call, input=json.dumps(task), capture_output=True, text=True, check=False, cwd=folder)
    assert process.returncode == 0, process.stderr
    return [(code, printed) for code, printed in json.loads(process.stdout)]
