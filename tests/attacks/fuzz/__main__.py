"""`make fuzz`: random inputs to every parser, guided by coverage, and the table of bad inputs on the command line.

    python -m tests.attacks.fuzz [--seconds N] [--seed N]       every target, N seconds in all (an hour); then the table
    python -m tests.attacks.fuzz TARGET… [--seconds N] [--keep]   some targets; --keep puts what reaches new lines into the corpus
    python -m tests.attacks.fuzz bad_inputs                     the table of bad inputs alone

Each writes its section of benchmarks/RELIABILITY.md, but for runs of some targets only. Fuzzing needs atheris, which has
wheels for some versions of Python: pip install -e '.[fuzz]'.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.reliability import publish as publish_reliability
from tests.attacks.fuzz import corpus, fuzzing, harness
from tests.attacks.fuzz.bad_inputs import table

HEAVY = 3  # times the others' share for targets of many files


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.fuzz")
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    if arguments.targets != ["bad_inputs"]:
        fuzzing.check()
        outcomes = _fuzzed(arguments.targets, arguments.seconds, arguments.seed, arguments.keep)
        if not arguments.targets:
            command = f"python -m tests.attacks.fuzz --seconds {arguments.seconds:.0f} --seed {arguments.seed}"
            title = "Random inputs to every parser" + (f", seed {arguments.seed}" if arguments.seed > 1 else "")
            publish_reliability(
                title,
                command,
                fuzzing.report(outcomes, arguments.seconds, arguments.seed),
            )
        if any(outcome.findings or outcome.ended for outcome in outcomes):
            sys.exit("there are findings")
    if not arguments.targets or arguments.targets == ["bad_inputs"]:
        text, wrong = table.section()
        publish_reliability("Bad inputs", "python -m tests.attacks.fuzz bad_inputs", text)
        sys.exit("\n".join(wrong))


def _fuzzed(names: list[str], seconds: float, seed: int, keep: bool) -> list[fuzzing.Outcome]:
    targets = harness.load()
    names = names or sorted(targets)
    shares = {name: HEAVY if name in harness.FOLDERS else 1 for name in names}
    outcomes = []
    for name in names:
        outcome = fuzzing.fuzz(name, seconds * shares[name] / sum(shares.values()), seed)
        print(fuzzing.line(outcome), flush=True)
        outcomes.append(outcome)
        if keep:
            with tempfile.TemporaryDirectory() as folder:
                known_inputs = [*harness.seeds_of(targets[name]), *corpus.read().get(name, [])]
                corpus.add(name, corpus.shortest(targets[name], outcome.inputs, known_inputs, Path(folder) / "work"))
    return outcomes


if __name__ == "__main__":
    main()
