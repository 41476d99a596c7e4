"""The path of the newest Python at hand that `pyproject.toml` names and that is newer than the one running this.

Looked for are `python3.N` on the PATH and pyenv's versions; each is tried, since a shim or a Python without `venv` is
a file as well. Where there is none, the reason is on stderr and the exit code is 1.
"""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
Version = tuple[int, int, int]
PROGRAM = "import ensurepip, sys, venv; print(*sys.version_info[:4])"


def main() -> int:
    """Print the path; 1 where there is none."""
    there = {path: version for path in candidates() if (version := version_of(path)) is not None}
    path = newest(there, sys.version_info[:3], classified((ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    if path is None:
        print(f"no Python newer than this one ({sys.version.split()[0]}) that pyproject.toml names", file=sys.stderr)
        return 1
    print(path)
    return 0


def candidates() -> Iterator[Path]:
    """Files that may be a Python."""
    for folder in map(Path, os.environ.get("PATH", "").split(os.pathsep)):
        if folder.is_dir():
            yield from sorted(path for path in folder.iterdir() if re.fullmatch(r"python3\.\d+", path.name))
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted(pyenv.glob("versions/3.*/bin/python"))


def version_of(path: Path) -> Version | None:
    """The version of a Python that works and makes environments; None for another file, and before a release."""
    try:
        done = subprocess.run(  # noqa: S603  # nosec B603  # a Python of this machine, to learn its version
            [path, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.fullmatch(r"(\d+) (\d+) (\d+) final\n", done.stdout)
    return (int(match[1]), int(match[2]), int(match[3])) if match and done.returncode == 0 else None


def classified(text: str) -> set[tuple[int, int]]:
    """The Pythons that a project's classifiers name, as (3, 11)."""
    named = "\n".join(tomllib.loads(text)["project"]["classifiers"])
    return {(int(major), int(minor)) for major, minor in re.findall(r":: Python :: (\d+)\.(\d+)$", named, re.MULTILINE)}


def newest(there: dict[Path, Version], current: Version, named: set[tuple[int, int]]) -> Path | None:
    """The path of the newest named version that has a later minor version than the current one."""
    fitting = {path: version for path, version in there.items() if version[:2] in named and version[:2] > current[:2]}
    return max(fitting, key=lambda path: fitting[path], default=None)


if __name__ == "__main__":
    sys.exit(main())
