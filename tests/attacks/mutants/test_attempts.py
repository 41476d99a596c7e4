"""What counts as a test's having noticed a mutant."""

from tests.attacks.mutants.attempts import attempts
from tests.attacks.mutants.sample import mutants_of_file

SOURCE = b"a = 1\n"
MUTANT = next(mutants_of_file("chunkers/a.py", SOURCE))
CHANGED = MUTANT.applied(SOURCE)
FIRST, SECOND, OTHER = "tests/a.py::test_one", "tests/a.py::test_two", "tests/b.py::test_three"


def run_attempts(stages, outcome_of):
    """The verdict on the mutant, and of each trial whether the file was changed and which tests were run."""
    trials, last, log = attempts(MUTANT, SOURCE, stages), None, []
    while True:
        try:
            last = trials.send(last)
        except StopIteration as end:
            return end.value, log
        log.append((last.text == CHANGED, list(last.tests)))
        last.outcome, last.by, last.seconds = *outcome_of(len(log), last.text == CHANGED, last.tests), 1.0


def test_a_test_that_fails_twice_and_passes_without_the_change_notices_it():
    verdict, log = run_attempts(
        [{FIRST: 1.0, SECOND: 1.0, OTHER: 1.0}],
        lambda trial_number, changed, tests: ("failed", SECOND) if changed else ("passed", ""),
    )
    assert (verdict.outcome, verdict.by, verdict.unreliable, verdict.seconds) == ("failed", SECOND, [], 3.0)
    assert log == [(True, [FIRST, SECOND, OTHER]), (True, [FIRST, SECOND]), (False, [FIRST, SECOND])]


def test_a_test_that_fails_without_the_change_too_is_left_out():
    verdict, log = run_attempts(
        [{FIRST: 1.0, SECOND: 1.0}],
        lambda trial_number, changed, tests: ("timeout", FIRST) if FIRST in tests else ("passed", ""),
    )
    assert (verdict.outcome, verdict.unreliable) == ("passed", [FIRST])
    assert log == [(True, [FIRST, SECOND]), (True, [FIRST]), (False, [FIRST]), (True, [SECOND])]


def test_a_timeout_that_does_not_come_again_does_not_count_and_the_other_tests_are_run():
    verdict, _ = run_attempts(
        [{FIRST: 1.0}, {FIRST: 1.0, OTHER: 1.0}],
        lambda trial_number, changed, tests: (
            ("timeout", FIRST)
            if trial_number == 1
            else ("failed", OTHER)
            if changed and OTHER in tests
            else ("passed", "")
        ),
    )
    assert (verdict.outcome, verdict.by, verdict.unreliable) == ("failed", OTHER, [FIRST])


def test_a_mutant_that_no_stage_notices_has_passed():
    verdict, log = run_attempts([{FIRST: 1.0}, {OTHER: 1.0}], lambda trial_number, changed, tests: ("passed", ""))
    assert (verdict.outcome, verdict.by, verdict.seconds) == ("passed", "", 2.0)
    assert log == [(True, [FIRST]), (True, [OTHER])]


def test_a_mutant_without_tests_has_passed():
    assert run_attempts([], lambda trial_number, changed, tests: ("failed", FIRST))[0].outcome == "passed"


def test_a_file_of_tests_that_cannot_be_imported_notices_at_once():
    verdict, log = run_attempts([{FIRST: 1.0}], lambda trial_number, changed, tests: ("failed", "tests/a.py"))
    assert (verdict.outcome, verdict.by, len(log)) == ("failed", "tests/a.py", 1)


def test_a_whole_file_notices_a_mutant_as_a_test_does():
    verdict, log = run_attempts(
        [{"tests/a.py": 0.0}], lambda trial_number, changed, tests: ("failed", FIRST) if changed else ("passed", "")
    )
    assert (verdict.outcome, verdict.by) == ("failed", FIRST)
    assert log == [(True, ["tests/a.py"]), (True, ["tests/a.py"]), (False, ["tests/a.py"])]
