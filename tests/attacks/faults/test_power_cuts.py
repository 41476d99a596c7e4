"""The model of a disk that loses power, and some of its states for runs."""

import random

import pytest

from longdoc.files import write_whole
from tests.attacks.faults import disk_errors, power_cuts, signals, surroundings
from tests.attacks.faults.disk_model import Disk
from tests.attacks.faults.file_events import watched


def states_after(tmp_path, work):
    """Every state that a cut may leave after each event of `work`, as the content of the file `a`."""
    events = []
    disk = Disk(tmp_path)
    with watched(tmp_path, events.append):
        work()
    states = power_cuts.states(events, disk, random.Random(1))
    return [state.content.get("a") for state in states]


def test_a_file_written_whole_is_the_old_or_the_new_one_after_a_cut(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    assert set(states_after(tmp_path, lambda: write_whole(tmp_path, "a", "new"))) == {b"old", b"new"}


def test_without_a_sync_before_the_rename_the_file_may_be_empty_torn_or_zeros(tmp_path):
    (tmp_path / "a").write_bytes(b"old")

    def carelessly():
        (tmp_path / "b").write_bytes(b"new content")
        (tmp_path / "b").rename(tmp_path / "a")

    contents = set(states_after(tmp_path, carelessly))
    assert {b"old", b"new content", b"", bytes(11)} < contents
    assert any(content and content != b"new content" and b"new content".startswith(content) for content in contents)


def test_only_what_was_synced_is_certain(tmp_path):
    def work():
        write_whole(tmp_path, "a", "new")
        (tmp_path / "c").write_bytes(b"x")

    events, disk = [], Disk(tmp_path)
    with watched(tmp_path, events.append):
        work()
    for event in events:
        disk.apply(event)
    assert disk.certain() == {"a": b"new"}
    assert disk.after("there", "there", random.Random(0)) == {"a": b"new", "c": b"x"}


@pytest.mark.parametrize("scenario", power_cuts.SCENARIOS[:1], ids=lambda scenario: scenario.name)
def test_a_run_survives_power_cuts(tmp_path, scenario):
    results = power_cuts.attack(scenario, tmp_path, 6)
    assert (results.outcomes, results.examples) == ({"tried": 6, "identical": 6}, {})
    assert results.states > 60


@pytest.mark.slow
@pytest.mark.parametrize("scenario", power_cuts.SCENARIOS[1:], ids=lambda scenario: scenario.name)
def test_other_calls_survive_power_cuts(tmp_path, scenario):
    results = power_cuts.attack(scenario, tmp_path, 6)
    assert (results.outcomes, results.examples) == ({"tried": 6, "identical": 6}, {})


@pytest.mark.parametrize("error", ["full", pytest.param("broken", marks=pytest.mark.slow)])
def test_a_disk_that_refuses_is_one_line_and_the_run_goes_on_later(tmp_path, error):
    counts, bad = disk_errors.attack(disk_errors.COMMANDS["run"], error, tmp_path, 3)
    assert (counts["trials"], counts["identical"], bad) == (3, 3, [])


@pytest.mark.parametrize("command", signals.COMMANDS[:1], ids=lambda command: command.name)
def test_nothing_is_asked_again_after_an_interrupt(tmp_path, command):
    results = signals.attack(command, signals.signal.SIGTERM, tmp_path, random.Random(1))
    assert not results.has_lost, results


@pytest.mark.slow
@pytest.mark.parametrize("name", surroundings.ATTACKS)
def test_other_processes_clocks_pipes_and_rights_lose_nothing(name):
    _, bad = surroundings.attack(surroundings.ATTACKS[name], 1, random.Random(1))
    assert bad == []


@pytest.mark.parametrize("case", surroundings.TOGETHER[:1], ids=lambda case: case.name)
def test_two_processes_in_one_folder_are_both_right_or_one_is_refused(case):
    _, bad = surroundings.attack(
        lambda folder, data, chance: surroundings.endings_together(case, folder, data, chance), 1, random.Random(1)
    )
    assert bad == []
