"""Kills at every kind of moment, and the trials themselves, which have to see what is lost."""

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pipelines import strategies
from tests.attacks.faults.killing.commands import STRATEGIES_WITH_OPTIONS, run
from tests.attacks.faults.killing.components import BATCH, IN_FLIGHT, NotingReader, NotingStreamingReader, note
from tests.attacks.faults.killing.moments import Kill, moment
from tests.attacks.faults.killing.trial import Command, Place, Trial, killed, undisturbed

KINDS_IN_TURN = (  # of a run: a resumed one comes to each of these after the one before
    "folder",
    "run.json",
    "reading",
    "splitting",
    "indexing",
    "generating",
    "request log",
    "journal",
    "predictions",
    "scores",
    "report",
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def trial_killed_in_turn(command: Command, place: Place) -> Trial:
    """A run killed at one moment of each kind, of writes in their middle."""
    kills = [Kill(kind, number=1, part=0.5) for kind in KINDS_IN_TURN]
    return killed(command, undisturbed(command, place), place, kills, random.Random(1))


def test_a_run_is_killed_at_every_kind_of_moment_and_ends_with_the_same_files(place: Place) -> None:
    trial = trial_killed_in_turn(
        Command("run", partial(run, NotingStreamingReader(str(place.asked_file))), IN_FLIGHT), place
    )
    assert trial.kills == list(KINDS_IN_TURN)
    assert trial.problems == []
    assert trial.repeated <= 3 * IN_FLIGHT  # of the moments while requests are under way


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [*strategies.names(), *STRATEGIES_WITH_OPTIONS])
def test_a_run_by_every_strategy_is_killed_and_ends_with_the_same_files(place: Place, strategy: str) -> None:
    trial = trial_killed_in_turn(
        Command("run", partial(run, NotingReader(str(place.asked_file)), strategy=strategy), BATCH), place
    )
    assert trial.problems == []
    assert set(KINDS_IN_TURN) - set(trial.kills) <= {"generating", "request log"}  # where nothing is asked


def trial_killed_between_steps(place: Place, work: Callable[[], None]) -> Trial:
    """A command of two steps that is killed between them."""
    command = Command("steps", lambda engine: work(), under_way=1)
    return killed(command, undisturbed(command, place), place, [Kill("step")], random.Random(1))


def test_a_trial_sees_a_file_that_is_half_written(place: Place) -> None:
    def work() -> None:
        if not Path("out.txt").exists():
            Path("out.txt").write_text("half")
            moment("step")
            Path("out.txt").write_text("whole")

    assert trial_killed_between_steps(place, work).problems == ["out.txt differs"]


def test_a_trial_sees_what_is_left_behind(place: Place) -> None:
    def work() -> None:
        unfinished = Path(f"{len(list(Path().iterdir()))}.tmp")
        unfinished.write_text("whole")
        moment("step")
        unfinished.replace("out.txt")

    assert trial_killed_between_steps(place, work).problems == ["0.tmp was left behind"]


def test_a_trial_sees_requests_that_are_asked_again(place: Place) -> None:
    def work() -> None:
        for name in ("a", "b"):
            note(str(place.asked_file), name)
        moment("step")

    assert trial_killed_between_steps(place, work).problems == ["2 requests asked again, of 1 that were under way"]


def test_a_trial_sees_an_error_of_the_second_start(place: Place) -> None:
    def work() -> None:
        Path("out.txt").touch(exist_ok=False)
        moment("step")

    (problem,) = trial_killed_between_steps(place, work).problems
    assert problem.startswith("ended with 1:")
    assert "FileExistsError" in problem
