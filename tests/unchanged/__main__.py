"""Keep what the commands write and print, and compare it with what they write and print after a change of the code.

    python -m tests.unchanged keep FOLDER
    python -m tests.unchanged compare FOLDER [--words]

`compare` runs the commands again in a folder of its own. Files and JSON have to be equal, byte for byte without times,
durations and versions; pages by their visible text, links and content security policy. What is printed in words may
change: it is listed with `--words`. Exit code 1 where files or JSON differ. LONGDOC_REALDATA is the folder of real
data; without it the commands that read it are left out, and named.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.unchanged.differences import differences
from tests.unchanged.printed import keep


def main() -> int:
    """Run one of the two."""
    parser = argparse.ArgumentParser(prog="python -m tests.unchanged", description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("keep", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--words", action="store_true", help="list what is printed otherwise, too")
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
