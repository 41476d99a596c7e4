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
    changed_text, seconds, unreliable = mutant.applied(source), 0.0, []
    decisive = Trial({}, outcome="passed")
    for stage in stages:
        tests = {test: seconds_before for test, seconds_before in stage.items() if test not in unreliable}
        while tests:
            trial = yield Trial(tests, name=mutant.file, text=changed_text)
            seconds += trial.seconds
            if trial.outcome == "passed":
                break
            # a whole file, where no single tests were given
            noticing = trial.by if trial.by in tests else _file(trial.by)
            if noticing not in tests:  # a file of tests that cannot be imported: no test has waited for anything
                return _with_totals(trial, seconds, unreliable)
            tests_until = _tests_until(tests, noticing)
            second_trial = yield Trial(tests_until, name=mutant.file, text=changed_text)
            trial_unchanged = yield Trial(tests_until, name=mutant.file, text=source)
            seconds += second_trial.seconds + trial_unchanged.seconds
            if second_trial.outcome != "passed" and trial_unchanged.outcome == "passed":
                return _with_totals(trial, seconds, unreliable)
            unreliable.append(noticing)
            del tests[noticing]
    return _with_totals(decisive, seconds, unreliable)


def _tests_until(tests: dict[str, float], last: str) -> dict[str, float]:
    """The tests that ran up to one of them: file by file, since what they share is made by the first that asks."""
    files = list(dict.fromkeys(_file(test) for test in tests))
    order = sorted(tests, key=lambda test: files.index(_file(test)))
    return {test: tests[test] for test in order[: order.index(last) + 1]}


def _file(test: str) -> str:
    return test.partition("::")[0]


def _with_totals(trial: Trial, seconds: float, unreliable: list[str]) -> Trial:
    trial.seconds, trial.unreliable = seconds, unreliable
    return trial
