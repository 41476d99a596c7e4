"""The rate of a sample is the one from before tests were written for it."""

import json

import pytest

from tests.attacks.mutants.first_results import OLDER, FirstResults, state_of
from tests.attacks.mutants.results import Result, report
from tests.attacks.mutants.sample import mutants_of_file, sample_of

CODE = "a = 1\n" * 400
POPULATION = list(mutants_of_file("chunkers/a.py", CODE.encode()))  # two mutants a line


def begin_sample(folder, *outcomes):
    """A sample of four of the seed 9, the first of which had these outcomes with the tests of the state `old`."""
    first = FirstResults(folder, 9)
    for mutant, outcome in zip(first.sample(POPULATION, 4, "old"), outcomes, strict=False):
        first.add(mutant, outcome, "tests/test_a.py::test_a", "old")
    return FirstResults(folder, 9)


def test_a_first_result_is_never_replaced(tmp_path):
    first = begin_sample(tmp_path, "passed", "failed")
    content = (tmp_path / "seed_9.jsonl").read_bytes()
    for state in ("old", "new"):
        for mutant in first.sample(POPULATION, 4, state)[:2]:
            first.add(mutant, "failed", "tests/test_a.py::test_written_since", state)
    assert [row.outcome for row in FirstResults(tmp_path, 9).rows.values()] == ["passed", "failed"]
    assert (tmp_path / "seed_9.jsonl").read_bytes() == content


def test_a_sample_that_was_stopped_goes_on_with_the_same_code_and_tests(tmp_path):
    sample = FirstResults(tmp_path / "undisturbed", 9).sample(POPULATION, 4, "old")
    first = begin_sample(tmp_path, "passed", "failed")
    assert first.sample(POPULATION, 4, "old") == sample
    first.add(sample[2], "timeout", "tests/test_a.py::test_a", "old")
    assert [first.of(mutant) for mutant in sample] == ["passed", "failed", "timeout", None]


def test_a_sample_is_closed_when_the_code_or_a_test_has_changed(tmp_path):
    first = begin_sample(tmp_path, "passed", "failed")
    sample = first.sample(POPULATION, 4, "new")
    assert {first.of(mutant) for mutant in sample} == {"passed", "failed"}
    later = next(mutant for mutant in POPULATION if first.of(mutant) is None)
    first.add(later, "failed", "tests/test_a.py::test_a", "new")
    assert len(FirstResults(tmp_path, 9).rows) == 2


def test_a_sample_does_not_grow(tmp_path):
    first = begin_sample(tmp_path, "failed")
    with pytest.raises(ValueError, match="the sample of seed 9 has 4 mutants: take another --seed"):
        first.sample(POPULATION, 5, "old")


def test_a_fresh_sample_has_no_mutant_of_another_seed(tmp_path):
    ((seed, count),) = OLDER
    older = sample_of(POPULATION, count, seed)
    nine = FirstResults(tmp_path, 9)
    for mutant in nine.sample(POPULATION, 300, "old"):
        nine.add(mutant, "failed", "tests/test_a.py::test_a", "old")
    ten = FirstResults(tmp_path, 10)
    fresh = ten.sample(POPULATION, 200, "old")
    assert len(POPULATION) == 800
    assert ten.start is not None
    assert ten.start.left_out == 600
    assert {mutant.key for mutant in [*older, *fresh]}.isdisjoint(nine.rows)
    assert {mutant.key for mutant in older}.isdisjoint(mutant.key for mutant in fresh)
    assert len(fresh) == 200


def test_the_state_is_of_the_code_and_of_every_test_but_those_of_mutation_testing(tmp_path):
    for name in ("chunkers/a.py", "tests/helper.py", "tests/attacks/mutants/sample.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a = 1\n")
    states = [state_of(tmp_path)]
    for name in ("tests/attacks/mutants/sample.py", "tests/helper.py", "chunkers/a.py"):
        (tmp_path / name).write_text("a = 2\n")
        states.append(state_of(tmp_path))
    assert states[0] == states[1]
    assert len(set(states)) == 3


def test_the_report_gives_the_first_rate_and_counts_what_has_tests_since_beside_it(tmp_path):
    first = begin_sample(tmp_path, "passed", "failed", "passed", "timeout")
    sample = first.sample(POPULATION, 4, "new")
    survivors = [mutant for mutant in sample if first.of(mutant) == "passed"]
    noticed = Result("failed", "tests/test_a.py::test_written_since", "", 1.0, "", "")
    before, after = report(sample, first, {}), report(sample, first, {survivors[0].key: noticed})
    rate = "| all | 4 | 1 | 1 | 2 | 0 | 50.0% | [15.0, 85.0] | 50.0% | [15.0, 85.0] |"
    assert rate in before
    assert rate in after
    assert "0 have tests that notice them now, 0 are in code that has gone, and 2 are left." in before
    assert "1 have tests that notice them now, 0 are in code that has gone, and 1 are left." in after
    assert "tests/test_a.py::test_written_since" in after


def test_the_report_says_what_was_noticed_at_first_and_no_longer_is(tmp_path):
    first = begin_sample(tmp_path, "failed", "failed", "failed", "failed")
    sample = first.sample(POPULATION, 4, "new")
    passed = Result("passed", "", "", 1.0, "", "")
    assert "Noticed at first, and not now" not in report(sample, first, {})
    assert "Noticed at first, and not now: 1." in report(sample, first, {sample[0].key: passed})


def test_the_file_of_a_sample_tells_with_what_it_was_begun(tmp_path):
    begin_sample(tmp_path, "failed")
    start, row = map(json.loads, (tmp_path / "seed_9.jsonl").read_text().splitlines())
    assert start == {"seed": 9, "count": 4, "population": 800, "left_out": 300, "state": "old"}
    assert (row["outcome"], row["by"]) == ("failed", "tests/test_a.py::test_a")
