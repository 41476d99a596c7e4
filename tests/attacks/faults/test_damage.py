"""A few damaged bytes in each file of a run's folder: repaired, refused or harmless, and never another number."""

import random

import pytest

from tests.attacks.faults import damage, foreign_damage
from tests.turns import for_each

DAMAGES = ("a bit flipped", "512 bytes zeroed")


@pytest.mark.parametrize("kind", damage.KINDS[:2], ids=lambda kind: kind.name)
def test_no_damage_of_a_file_changes_a_number_in_silence(kind, tmp_path):
    trials = damage.Trials(kind, tmp_path)
    outcomes = set()
    for file in trials.files:
        for damage_kind in DAMAGES:
            outcome, _, _, why = trials.trial(file, damage_kind, random.Random(f"{file.name} {damage_kind}"))
            assert (outcome in damage.OUTCOMES[:3], why) == (True, ""), f"{file.name}, {damage_kind}"
            outcomes.add(outcome)
    assert "repaired" in outcomes


def test_damage_that_is_asked_for_is_done():
    content = bytes(range(1, 200))
    assert (
        sum(a != b for a, b in zip(content, damage.damaged(content, "a bit flipped", random.Random(1)), strict=True))
        == 1
    )
    assert damage.damaged(content, "16 bytes zeroed", random.Random(1)).count(0) == 16
    assert content.startswith(damage.damaged(content, "cut off", random.Random(1)))
    assert damage.damaged(content, "rubbish added", random.Random(1)).startswith(content)


@for_each("kind", foreign_damage.FILES)
def test_a_damaged_file_of_another_program_is_refused_in_one_line_or_read(kind, tmp_path):
    path, content = tmp_path / kind.file, kind.content()
    path.write_bytes(content)
    expected = kind.read(path)
    outcomes = set()
    for damage_kind in damage.PLACES:
        for number in range(2):
            path.write_bytes(damage.damaged(content, damage_kind, random.Random(f"{kind.name} {damage_kind} {number}")))
            outcome, why = foreign_damage.outcome(kind, path, expected)
            assert why == "", f"{damage_kind} {number}"
            outcomes.add(outcome)
    assert "refused" in outcomes
