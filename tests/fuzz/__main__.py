"""`make fuzz`: random inputs to every parser, guided by coverage, and the table of bad inputs on the command line.

    python -m tests.fuzz [TARGET…] [--seconds N] [--seed N]   fuzz these targets (all), N seconds in all (an hour)
    python -m tests.fuzz bad_inputs                           the table of bad inputs alone
    python -m tests.fuzz --keep FOLDER                        put the shortest inputs that reach new lines into the corpus

Fuzzing needs atheris, which has wheels for some versions of Python only: pip install -e '.[fuzz]'.
"""

import argparse
import time

from tests.fuzz import fuzzing, harness


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    harness.load()
    names = given.targets or sorted(harness.TARGETS)
    for name in names:
        begun = time.monotonic()
        found = fuzzing.fuzz(name, given.seconds / len(names), given.seed, [])
        print(f"{name:18} {found.executions:>8} exec  {found.edges:>6} edges {found.features:>6} features  "
              f"{len(found.inputs)} kept  {time.monotonic() - begun:.0f} s  {found.ended}", flush=True)  # fmt: skip
        for one in found.findings:
            print(
                "   ", one["kind"], one["where"], "|", one["message"][-300:], "|", repr(one["data"][:160]), flush=True
            )


if __name__ == "__main__":
    main()
