"""Batches that are formed before training."""

from pipelines.plugins.training.shared import batches

LENGTHS = [3, 9, 4, 4, 12, 5, 2, 7, 7, 6, 30, 1]


def padded_length(batch):
    return len(batch) * max(LENGTHS[at] for at in batch)


def test_each_pass_has_every_example_once_and_no_batch_is_over_the_budget_but_a_single_one():
    batch_list = batches.passes(LENGTHS, 3, 16, 20, False, 0)
    assert sorted(at for batch in batch_list for at in batch) == sorted(list(range(12)) * 3)
    assert all(padded_length(batch) <= 20 for batch in batch_list if len(batch) > 1)
    assert [batch for batch in batch_list if padded_length(batch) > 20] == [[10]] * 3


def test_a_batch_is_full_when_the_next_example_would_not_fit():
    assert batches.by_length([4, 4, 4, 4, 4], 16, 12) == [[0, 1, 2], [3, 4]]
    assert batches.by_length([4, 2, 3], 2, None) == [[0, 2], [1]]


def test_passes_differ_and_the_seed_decides():
    batch_list = batches.passes(LENGTHS, 2, 4, None, False, 0)
    assert batch_list == batches.passes(LENGTHS, 2, 4, None, False, 0)
    assert batch_list[:3] != batch_list[3:]
    assert batch_list != batches.passes(LENGTHS, 2, 4, None, False, 1)
    assert batch_list[:3] == batches.passes(LENGTHS, 1, 4, None, False, 0)


def test_part_of_a_pass_is_part_of_its_batches():
    assert len(batches.passes(LENGTHS, 1.5, 2, None, False, 0)) == 9
    assert len(batches.passes([1], 0.1, 2, None, False, 0)) == 1


def test_grouping_by_length_pads_less_and_loses_nothing():
    ungrouped, grouped = (batches.passes(LENGTHS, 1, 3, None, group, 0) for group in (False, True))
    assert sorted(at for batch in grouped for at in batch) == list(range(12))
    assert sum(map(padded_length, grouped)) == 30 * 3 + 7 * 3 + 5 * 3 + 3 * 3 < sum(map(padded_length, ungrouped))
