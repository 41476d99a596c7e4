"""Mutation testing: change the code in a small way, and see whether a test notices. `make mutants`.

A seeded sample of the changes of all packages; each is run against the tests of the folder that mirrors its module's,
those that execute the changed statement. What was killed before is not run again,
nor are survivors while no test has changed, unless `--fresh` is given: `build/mutants` keeps the results and the map
from tests to lines. `--first 10` runs a part of the sample and writes nothing to RELIABILITY.md.

The rate is the one of a sample's first run (`tests/attacks/mutants/first`, a file a seed): tests written for its
survivors are counted beside it and never change it. For the rate of the code and the tests of today, take a seed that
was never used: its sample leaves out the mutants of all others.
"""

import argparse
import math
import os
import sys
import time
from collections.abc import Callable, Generator, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.attacks.mutants.attempts import attempts
from tests.attacks.mutants.first_results import FOLDER, FirstResults, state_of
from tests.attacks.mutants.sample import Mutant, all_mutants
from tests.attacks.mutants.selection import LineMap, digest, stages_of_tests, test_files
from tests.attacks.mutants.trials import Trial, copies, import_libraries, run

if TYPE_CHECKING:
    from tests.attacks.mutants.results import KeptResults

ROOT = Path(__file__).resolve().parents[3]
KEPT_FOLDER = ROOT / "build" / "mutants"
TITLE = "Mutants of all packages"
SEED, COUNT = 57, 24  # of the sample whose rate is published


def main() -> None:
    """Run the sample, print the tables and write them to benchmarks/RELIABILITY.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=COUNT, help="mutants of the sample")
    parser.add_argument("--seed", type=int, default=SEED, help="another seed is another sample, with a rate of its own")
    parser.add_argument("--first", type=int, help="run only so many of the sample, and publish nothing")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="begin no mutant after; the table says how many"
    )
    parser.add_argument(
        "--mirrored", action="store_true", help="run the file of tests that mirrors a module, without a map: much less"
    )
    parser.add_argument("--fresh", action="store_true", help="run again what was killed before, too")
    options = parser.parse_args()
    os.nice(max(0, 10 - os.nice(0)))
    population = list(all_mutants(ROOT))
    first_results, state = FirstResults(FOLDER, options.seed), state_of(ROOT)
    try:
        mutants = first_results.sample(population, options.count, state)[: options.first]
    except ValueError as error:
        parser.error(str(error))
    from tests.attacks.mutants.results import KeptResults, report

    kept_results = KeptResults(KEPT_FOLDER / "results.json")
    files = {mutant.file: test_files(ROOT, mutant.file) for mutant in mutants}
    tests = {name: digest("".join(digest((ROOT / file).read_bytes()) for file in files[name])) for name in files}
    to_run = [
        mutant
        for mutant in mutants
        if options.fresh
        or first_results.of(mutant) is None
        or (first_results.of(mutant) == "passed" and not kept_results.holds(mutant, tests[mutant.file]))
    ]
    _say(f"{len(mutants)} mutants of {len(population)}, {len(to_run)} to run")
    if to_run and options.minutes:
        import_libraries()
        test_map = LineMap(ROOT, KEPT_FOLDER / "map")
        needed_files = dict.fromkeys(file for mutant in to_run for file in files[mutant.file])
        test_map.make([] if options.mirrored else list(needed_files), options.processes, _say)
        if test_map.failing:
            _say(f"left out, since they fail without any change: {', '.join(test_map.failing)}")
        with copies(ROOT, options.processes) as folders:
            if state_of(folders[0]) != state:
                raise SystemExit("The code or the tests were changed while the map was made: begin again.")
            keeper = _ResultKeeper(kept_results, tests, first_results, state)
            stages = partial(stages_of_tests, test_map=None if options.mirrored else test_map)
            _run_all(to_run, stages, folders, keeper, time.monotonic() + 60 * options.minutes)
    text = report(mutants, first_results, kept_results.results)
    if options.first:
        print(text)
    else:
        from benchmarks.reliability import publish as publish_reliability

        command = "python -m tests.attacks.mutants --mirrored" if options.mirrored else "make mutants"
        publish_reliability(TITLE, command, text)


class _ResultKeeper:
    """Keeps and prints what became of a mutant."""

    def __init__(self, kept: "KeptResults", tests: dict[str, str], first: FirstResults, state: str) -> None:
        self._kept, self._tests, self._first, self._state = kept, tests, first, state

    def __call__(self, mutant: Mutant, trial: Trial) -> None:
        from tests.attacks.mutants.results import Result

        code, seconds = digest((ROOT / mutant.file).read_bytes()), round(trial.seconds, 1)
        result = Result(trial.outcome, trial.by, trial.message, seconds, code, self._tests[mutant.file])
        self._kept.add(mutant, result)
        self._first.add(mutant, trial.outcome, trial.by, self._state)
        change = f"{mutant.before[:60]!r} -> {mutant.after[:60]!r}"
        _say(f"{trial.outcome} {mutant.file}:{mutant.lines[0]} {change} {trial.by} {seconds:.0f} s")
        for test in trial.unreliable:
            _say(f"  left out, since it failed once only, or without the change too: {test}")


def _run_all(
    mutants: list[Mutant],
    stages: Callable[[Mutant], Iterable[dict[str, float]]],
    folders: list[Path],
    finished: Callable[[Mutant, Trial], None],
    end: float,
) -> None:
    """Run the trials of the mutants; what a mutant that was begun still needs comes before the next mutant."""
    waiting = list(mutants)
    ready: list[tuple[Mutant, Generator[Trial, Trial, Trial], Trial | None]] = []
    started: dict[int, tuple[Mutant, Generator[Trial, Trial, Trial]]] = {}

    def take() -> Trial | None:
        while ready or (waiting and time.monotonic() < end):
            if ready:
                mutant, trials, last = ready.pop(0)
            else:
                mutant, last = waiting.pop(0), None
                trials = attempts(mutant, (ROOT / mutant.file).read_bytes(), stages(mutant))
            try:
                trial = next(trials) if last is None else trials.send(last)
            except StopIteration as end:
                finished(mutant, end.value)
            else:
                started[id(trial)] = mutant, trials
                return trial
        return None

    def finish_trial(trial: Trial) -> None:
        ready.append((*started.pop(id(trial)), trial))

    run(ROOT, take, folders, finish_trial)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
