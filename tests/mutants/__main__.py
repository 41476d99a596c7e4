"""Mutation testing: change the code in a small way, and see whether a test notices. `make mutants`.

A seeded sample of the changes of chunkers, retrievers, metrics, strategies and the engine; each is run against the
tests of its group that execute the changed statement, and against the laws. What was killed before is not run again,
nor are survivors while no test has changed, unless `--fresh` is given: `build/mutants` keeps the results and the map
from tests to lines. `--first 40` runs a part of the sample and writes nothing to RELIABILITY.md.
"""

import argparse
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tests.mutants.sample import GROUPS, Mutant, every, sampled
from tests.mutants.selection import Map, digest, in_stages, test_files
from tests.mutants.trials import Trial, copies, import_libraries, run

if TYPE_CHECKING:
    from tests.mutants.results import Kept

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "mutants"
TITLE = "Mutants"


def main() -> None:
    """Run the sample, print the tables and write them to benchmarks/RELIABILITY.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="mutants of the sample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, help="run only so many of the sample, and publish nothing")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="begin no mutant after; the table says how many"
    )
    parser.add_argument("--fresh", action="store_true", help="run again what was killed before, too")
    given = parser.parse_args()
    os.nice(15)
    population = list(every(ROOT))
    mutants = sampled(population, given.first or given.count, given.seed)
    from tests.mutants.results import Kept, report

    kept = Kept(KEPT / "results.json")
    files = {group: test_files(ROOT, group) for group in GROUPS}
    tests = {group: digest("".join(digest((ROOT / file).read_bytes()) for file in files[group])) for group in GROUPS}
    todo = [mutant for mutant in mutants if given.fresh or not kept.holds(mutant, tests[mutant.group])]
    _say(f"{len(mutants)} mutants of {len(population)}, {len(todo)} to run")
    if todo and given.minutes:
        import_libraries()
        found = Map(ROOT, KEPT / "map")
        found.make(list(dict.fromkeys(file for group in GROUPS for file in files[group])), given.processes, _say)
        if found.failing:
            _say(f"left out, since they fail without any change: {', '.join(found.failing)}")
        with copies(ROOT, given.processes) as folders:
            _run_all(todo, found, folders, _Keeping(kept, tests), time.monotonic() + 60 * given.minutes)
    text = report(mutants, kept.results, len(population), given.seed)
    if given.first:
        print(text)
    else:
        from benchmarks.results import RELIABILITY, publish_section

        publish_section(RELIABILITY, TITLE, "make mutants", text)


class _Keeping:
    """Keeps and prints what became of a mutant."""

    def __init__(self, kept: "Kept", tests: dict[str, str]) -> None:
        self._kept, self._tests = kept, tests

    def __call__(self, mutant: Mutant, trial: Trial) -> None:
        from tests.mutants.results import Result

        code, seconds = digest((ROOT / mutant.file).read_bytes()), round(trial.seconds, 1)
        result = Result(trial.outcome, trial.by, trial.message, seconds, code, self._tests[mutant.group])
        self._kept.add(mutant, result)
        change = f"{mutant.before[:60]!r} -> {mutant.after[:60]!r}"
        _say(f"{trial.outcome} {mutant.file}:{mutant.lines[0]} {change} {trial.by} {seconds:.0f} s")


def _run_all(
    mutants: list[Mutant],
    found: Map,
    folders: list[Path],
    finished: Callable[[Mutant, Trial], None],
    until: float,
) -> None:
    """Run each mutant's first tests, then the rest of those that survived them."""
    waiting = [(mutant, in_stages(mutant, found), 0.0) for mutant in mutants]
    started: dict[int, tuple[Mutant, Iterator[dict[str, float]]]] = {}

    def take() -> Trial | None:
        while waiting:
            mutant, stages, seconds = waiting.pop(0)
            if not seconds and time.monotonic() > until:
                continue
            tests = next(stages, None)
            changed = mutant.applied((ROOT / mutant.file).read_bytes())
            trial = Trial(tests or {}, name=mutant.file, text=changed, seconds=seconds)
            if tests is not None:
                started[id(trial)] = mutant, stages
                return trial
            trial.outcome = "passed"
            finished(mutant, trial)
        return None

    def done(trial: Trial) -> None:
        mutant, stages = started.pop(id(trial))
        if trial.outcome == "passed":
            waiting.insert(0, (mutant, stages, trial.seconds))
        else:
            finished(mutant, trial)

    run(ROOT, take, folders, done)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
