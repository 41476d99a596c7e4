"""Whether a test notices a mutant: its trials one after another, each notice tried again.

On a busy machine a test may fail for want of time (a node of Ray, a server, a process that does not start): that says
nothing about the change. So a failure, a crash or a timeout counts if the same tests do it twice, and end well over the
unchanged code right after; else the test is left out, and those that remain are run.
"""

from collections.abc import Generator, Iterable

from tests.attacks.mutants.sample import Mutant
from tests.attacks.mutants.trials import Trial


def attempts(mutant: Mutant, source: bytes, stages: Iterable[dict[str, float]]) -> Generator[Trial, Trial, Trial]:
    """Yield the trials of a mutant to be run, each sent back when it is over; the last, which decides, is returned.

    `source` is the unchanged file; `stages` are tests and their seconds, of which a later one is run if all of those
    before it passed. What is returned bears the seconds of all, and the tests that were left out.
    """
    changed, seconds, unreliable = mutant.applied(source), 0.0, []
    decisive = Trial({}, outcome="passed")
    for stage in stages:
        tests = {test: took for test, took in stage.items() if test not in unreliable}
        while tests:
            trial = yield Trial(tests, name=mutant.file, text=changed)
            seconds += trial.seconds
            if trial.outcome == "passed":
                break
            by = trial.by if trial.by in tests else _file(trial.by)  # a whole file, where no single tests were given
            if by not in tests:  # a file of tests that cannot be imported: no test has waited for anything
                return _summed(trial, seconds, unreliable)
            until = _until(tests, by)
            again = yield Trial(until, name=mutant.file, text=changed)
            unchanged = yield Trial(until, name=mutant.file, text=source)
            seconds += again.seconds + unchanged.seconds
            if again.outcome != "passed" and unchanged.outcome == "passed":
                return _summed(trial, seconds, unreliable)
            unreliable.append(by)
            del tests[by]
    return _summed(decisive, seconds, unreliable)


def _until(tests: dict[str, float], last: str) -> dict[str, float]:
    """The tests that ran up to one of them: file by file, since what they share is made by the first that asks."""
    files = list(dict.fromkeys(_file(test) for test in tests))
    order = sorted(tests, key=lambda test: files.index(_file(test)))
    return {test: tests[test] for test in order[: order.index(last) + 1]}


def _file(test: str) -> str:
    return test.partition("::")[0]


def _summed(trial: Trial, seconds: float, unreliable: list[str]) -> Trial:
    trial.seconds, trial.unreliable = seconds, unreliable
    return trial
