"""A Python that has the core's libraries alone: every other installed module is as good as absent."""

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

given = json.load(sys.stdin)

class WithoutThem(PathFinder):
    absent = frozenset(given["absent"])

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in cls.absent else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = WithoutThem
sys.path.insert(0, given["root"])
from longdoc.__main__ import main
done = []
for command in given["commands"]:
    sys.argv, code, printed = ["longdoc", *command], 0, io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    done.append([code, printed.getvalue()])
json.dump(done, sys.stdout)
"""


def brought(*extras: str) -> set[str]:
    """The packages that the core and these extras bring, and those that they need in turn, by normal name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return _with_all_they_need(
        project["dependencies"] + [line for extra in extras for line in project["optional-dependencies"][extra]]
    )


@cache
def absent(*extras: str) -> list[str]:
    """The modules that neither the core nor these extras bring, as far as they are installed here."""
    kept = brought(*extras)
    return sorted(
        module
        for module, distributions in packages_distributions().items()
        if module not in OURS and not kept.intersection(map(canonicalize_name, distributions))
    )


def _with_all_they_need(asked: list[str]) -> set[str]:
    found: set[str] = set()
    waiting = [Requirement(line) for line in asked]
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if name in found:
            continue
        found.add(name)
        try:
            needs = [Requirement(line) for line in requires(name) or ()]
        except PackageNotFoundError:  # an extra's that is not installed here
            continue
        extras = wanted.extras or {""}
        waiting += [
            one for one in needs if one.marker is None or any(one.marker.evaluate({"extra": e}) for e in extras)
        ]
    return found


def commands(*lines: Sequence[object], folder: Path, extras: tuple[str, ...] = ()) -> list[tuple[int, str]]:
    """The exit code of `longdoc …` in that Python and what it prints, for one command after another."""
    given = {"absent": absent(*extras), "root": str(ROOT), "commands": [list(map(str, line)) for line in lines]}
    call = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(call, input=json.dumps(given), capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return [(code, printed) for code, printed in json.loads(done.stdout)]
