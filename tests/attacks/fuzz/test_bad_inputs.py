"""A sample of the bad inputs, in this process; the whole table is made by `python -m tests.attacks.fuzz bad_inputs`."""

import sys
from pathlib import Path

import pytest

from pipelines.cli.main import main
from tests.attacks.fuzz.bad_inputs import cases, trials, world
from tests.attacks.fuzz.bad_inputs.trials import Case, Trial
from tests.turns import for_each

QUICK_GROUPS = ("data", "documents", "numbers", "components", "settings", "escapes")
STRIDE = 11
SLOW_WORDS = (
    "judge",
    "openai",
    "dense",
    "hybrid",
    "ray",
    "rerank",
    "unit=nosuch",
    ".pdf",
    ".docx",
    "parquet",
    "anthropic",
)  # slow imports


def _sample():
    large = {name for name, content in world.FILES.items() if callable(content)}
    quick_cases = [case for case in cases.all_cases()
                   if case.group in QUICK_GROUPS and case.codes == (2,) and not large & set(case.words) and not case.stdin
                   and not any(word in part for part in case.words for word in SLOW_WORDS)]  # fmt: skip
    return quick_cases[::STRIDE]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("world")
    world.make(path, only=())
    return path


@for_each("case", _sample())
def test_a_bad_input_is_refused_in_one_line_that_says_what_to_do(case, folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["longdoc", *(word.replace("@out", "out") for word in case.words)])
    with pytest.raises(SystemExit) as exit_:
        main()
    out, error = capfd.readouterr()
    assert Trial(case, exit_.value.code, out, error, 0, 0).problems == []


def test_there_are_more_than_nine_hundred_cases():
    assert len(cases.all_cases()) > 900
    assert len({case.words for case in cases.all_cases() if case.damage is None}) > 700


@pytest.mark.parametrize(
    ("code", "out", "error", "problems"),
    [
        (2, "", "longdoc: no such task; did you mean qa?\n", []),
        (2, "", "longdoc: broken\n", ["does not say what to do"]),
        (2, "", "longdoc: give one\nlonghand\n", ["no message"]),
        (2, "", "longdoc: give one\nlongdoc: give another\n", ["2 lines"]),
        (2, "", "longdoc: give one\nlongdoc: kept: 2 replies\n", []),
        (2, "\x1b[31m", "longdoc: give one\n", ["control characters"]),
        (1, "", "Traceback (most recent call last)\n", ["exit code 1", "traceback"]),
        (0, "done\n", "", ["exit code 0"]),
    ],
)
def test_the_problems_of_a_trial_are_those_that_the_law_forbids(code, out, error, problems):
    assert Trial(Case("made", ()), code, out, error, 0, 0).problems == problems


def test_a_trial_in_a_process_of_its_own(tmp_path):
    trial = trials.attempt(Case("made", ("run", "nosuch", "--data", "sample")), tmp_path, 1)
    assert (trial.code, trial.problems, Path.cwd()) == (2, [], Path.cwd())
    assert trial.message.startswith("unknown task 'nosuch'")
