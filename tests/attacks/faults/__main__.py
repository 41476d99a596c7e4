"""Faults put into runs, and what becomes of them: `python -m tests.attacks.faults [PART …] [--quick]`.

A part is a module of this folder with `TITLE`, that of its section of benchmarks/RELIABILITY.md, and
`table(quick: bool) -> str`, which makes its faults, raises `SystemExit` where one of them lost something, and gives the
section's text. With `--quick` a part makes few faults, and nothing is written.
"""

import argparse
from importlib import import_module

from benchmarks.reliability import publish as publish_reliability

PARTS = (
    "kills",
    "power_cuts",
    "disk_errors",
    "signals",
    "surroundings",
    "damage",
    "foreign_damage",
    "kills_ray",  # last, since it ends where Ray cannot start
)  # in the order of the sections


def main() -> None:
    """Make the faults of each part that is named, and write its section as soon as it is done."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.faults", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one or more of {', '.join(PARTS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="few faults, printed alone")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}: they are {', '.join(PARTS)}")
    # files of ours, and of others
    parts = [*arguments.parts, *["foreign_damage"] * ("damage" in arguments.parts)] or PARTS
    for name in dict.fromkeys(parts):
        part = import_module(f"tests.attacks.faults.{name}")
        text = part.table(arguments.quick)
        if arguments.quick:
            print(f"{part.TITLE}\n\n{text}\n")
        else:
            publish_reliability(part.TITLE, f"python -m tests.attacks.faults {name}", text)


if __name__ == "__main__":
    main()
