"""Keep what the commands write and print, and compare it with their output after a change of the code.

    python -m tests.unchanged keep FOLDER
    python -m tests.unchanged compare FOLDER [--words]

`compare` runs the commands again in a temporary folder. Files and JSON must be equal, byte for byte except for times,
durations and versions; pages are compared by visible text, links and content security policy. Printed words may change:
`--words` lists the changes. The exit code is 1 if files or JSON differ. LONGDOC_REALDATA is the folder of real data;
without it, the commands that read it are skipped and named.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.unchanged.differences import differences
from tests.unchanged.printed import keep


def main() -> int:
    """Run `keep` or `compare`; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.unchanged", description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("keep", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--words", action="store_true", help="also list changes of printed words")
    arguments = parser.parse_args()
    if arguments.action == "keep":
        return keep(arguments.folder.resolve())
    with tempfile.TemporaryDirectory() as folder:
        present = Path(folder).resolve() / "present"
        keep(present)
        files, words = differences(arguments.folder.resolve(), present)
    for line in files + (words if arguments.words else []):
        print(line)
    print(f"{len(files)} differences in files and JSON, {len(words)} in words")
    return 1 if files else 0


if __name__ == "__main__":
    sys.exit(main())
