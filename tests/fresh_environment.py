"""Install into a fresh virtual environment, print its size, and run the quick tests there.

    python -m tests.fresh_environment core
    python -m tests.fresh_environment lower-bounds --python python3.12 tests/retrievers
    python -m tests.fresh_environment neural-lower-bounds tests/models tests/retrievers

`core`: what `pip install -c constraints.txt .` installs. `lower-bounds`: every dependency of the core and of the extras
in `EXTRAS` at the lowest version that pyproject.toml allows, without torch. `neural-lower-bounds`: the same for the
core and `NEURAL`, but torch at the version in `constraints.txt`, since pip's usual index has older ones only as CUDA
builds of several gigabytes. Needs pip's index. Tests of packages that are not installed are skipped
(`tests.missing_extras`). Further arguments go to pytest.
"""

import argparse
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ("tables", "faiss", "plots", "openai", "anthropic", "documents")
NEURAL = ("neural", "embedded", "lora")
# from the extra dev
TOOLS = ("pytest>=9", "pytest-xdist", "hypothesis", "setuptools>=77", "bm25s", "rouge-score", "pre-commit")


def main() -> int:
    """Return pytest's exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("core", "lower-bounds", "neural-lower-bounds"))
    parser.add_argument("--python", default=sys.executable, help="the Python to install for")
    options, pytest_arguments = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        python = folder / "venv/bin/python"
        run(options.python, "-m", "venv", folder / "venv")
        if options.kind == "core":
            constraints, requirement = ROOT / "constraints.txt", str(ROOT)
        else:
            extras = NEURAL if options.kind == "neural-lower-bounds" else EXTRAS
            constraints, requirement = folder / "lowest.txt", f"{ROOT}[{','.join(extras)}]"
            constraints.write_text("".join(f"{pin}\n" for pin in lowest(extras)), encoding="utf-8")
        seconds = install(python, "-c", constraints, requirement)
        version = output(python, "-c", "import platform; print(platform.python_version())").strip()
        print(
            f"{options.kind}, Python {version}: installed in {seconds:.0f} s, {megabytes(folder / 'venv')} MB",
            flush=True,
        )
        install(python, "-c", constraints, *TOOLS)
        install(python, "--no-deps", "--editable", ROOT)  # so that the checkout's tests can be run
        print(output(python, "-m", "pip", "list", "--format", "freeze"), flush=True)
        command = [python, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider"]
        return subprocess.run([*map(str, command), *pytest_arguments], cwd=ROOT, check=False).returncode


def lowest(extras: Sequence[str]) -> list[str]:
    """Pins at the lower bounds of the core and these extras; torch is pinned as in `constraints.txt`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = project["dependencies"] + [line for name in extras for line in project["optional-dependencies"][name]]
    needed = [requirement for requirement in map(Requirement, lines) if requirement.name not in ("longdoc", "torch")]
    pins = [f"{requirement.name}=={next(iter(requirement.specifier)).version}" for requirement in needed]
    tested = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return pins + [line for line in tested if line.startswith("torch==")]


def install(python: Path, *arguments: object) -> float:
    """Install with pip; return the seconds that it took."""
    start = time.monotonic()
    run(python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *arguments)
    return time.monotonic() - start


def run(*command: object) -> None:
    """Run a command that must succeed."""
    subprocess.run([str(part) for part in command], check=True)


def output(*command: object) -> str:
    """Run a command that must succeed; return its output."""
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def megabytes(folder: Path) -> int:
    """The size of a folder on disk, as `du` counts it."""
    return sum(file.lstat().st_blocks * 512 for file in folder.rglob("*")) >> 20


if __name__ == "__main__":
    sys.exit(main())
