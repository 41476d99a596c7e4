"""Run tests in temporary folders whose paths have 20 to 120 characters: no result may depend on the path.

    python -m tests.base_paths tests/pipelines/cli tests/pipelines/results
    python -m tests.base_paths --lengths 20,79-81,120 -n 3 --dist loadfile

Without `--lengths`, every tenth length from 20 to 120. Further arguments go to pytest; without any, it
runs the whole suite. After a length fails, the others are still tried.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LENGTHS = "20,30,40,50,60,70,80,90,100,110,120"
SHORTEST = 15  # room for a new folder in /tmp


def main() -> int:
    """Return 1 if the tests failed at any length, else 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", type=lengths, default=LENGTHS, help="such as 20,79-81,120")
    options, pytest_arguments = parser.parse_known_args()
    failed = []
    for length in options.lengths:
        folder = folder_of(length)
        command = [sys.executable, "-m", "pytest", "-q", f"--basetemp={folder}", *pytest_arguments]
        try:
            code = subprocess.run(command, cwd=ROOT, check=False).returncode
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        print(f"{length} characters: {'passed' if code == 0 else f'failed ({code})'}", flush=True)
        failed += [length] if code else []
    return 1 if failed else 0


def lengths(text: str) -> list[int]:
    """The numbers in a list such as `20,79-81`."""
    bounds = [part.partition("-")[::2] for part in text.split(",")]
    numbers = [number for first, last in bounds for number in range(int(first), int(last or first) + 1)]
    if not numbers or min(numbers) < SHORTEST:
        raise argparse.ArgumentTypeError(f"a length is at least {SHORTEST}")
    return numbers


def folder_of(length: int) -> Path:
    """A path of `length` characters for a new folder; without blanks, as in pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="", dir="/tmp"))  # noqa: S108  (its own name is new, and short)
    folder.rmdir()
    return folder.with_name(folder.name.ljust(length - len("/tmp/"), "x"))


if __name__ == "__main__":
    sys.exit(main())
