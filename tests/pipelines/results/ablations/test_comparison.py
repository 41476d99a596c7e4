"""Warnings about runs that are compared with a baseline."""

from types import SimpleNamespace

from pipelines.results.ablations import comparison


def test_of_many_runs_with_another_limit_three_are_named():
    runs = {name: SimpleNamespace(limit=limit) for name, limit in zip("bcdefg", (9, 5, 5, 5, 5, 9), strict=True)}
    note = "another limit than the baseline's; differences are over the examples that both have"
    assert comparison._other_limits(runs, "b") == [f"c, d, e and 1 more: {note}"]
    assert comparison._other_limits({name: runs[name] for name in "bcg"}, "b") == [f"c: {note}"]
    assert comparison._other_limits({name: runs[name] for name in "bg"}, "b") == []
