"""The interval of a score as a record, and the notes on intervals."""

import pytest

from longdoc.plain_json import plain_value
from pipelines.display.interval_notes import grouped_reasons, method_notes
from pipelines.statistics.intervals import Interval, interval_of, is_interval

FIVE = Interval(8.0, 10.4, 0.95, 2000, "document", 5)
MANY = Interval(8.0, 10.4, 0.95, 2000, "document", 80)


def test_an_interval_survives_its_record() -> None:
    assert is_interval(plain_value(FIVE))
    assert interval_of(plain_value(FIVE)) == FIVE


@pytest.mark.parametrize("change", [{"low": "x"}, {"unit": "chapter"}, {"units": -1}, {"resamples": 1.5}])
def test_a_damaged_record_is_no_interval(change: dict[str, object]) -> None:
    assert not is_interval({**plain_value(FIVE), **change})


def test_a_record_without_a_field_is_no_interval() -> None:
    record = plain_value(FIVE)
    for name in record:
        assert not is_interval({key: value for key, value in record.items() if key != name})


def test_the_notes_say_once_how_intervals_were_made_and_that_marked_ones_are_of_few() -> None:
    note = "[low, high]: 95% bootstrap interval, 2,000 resamples by document"
    assert method_notes([MANY, MANY]) == [note]
    assert method_notes([MANY, FIVE]) == [note, "* fewer than 10 documents: such an interval is too narrow"]
    assert method_notes([]) == []


def test_scores_that_some_resamples_do_not_have_add_no_line() -> None:
    counts = [Interval(0.0, 9.0, 0.95, number, "document", 80) for number in (2000, 1971, 1980)]
    assert method_notes(counts) == ["[low, high]: 95% bootstrap interval, 1,971 to 2,000 resamples by document"]


def test_names_with_one_reason_share_a_line() -> None:
    reasons = [("a", "no evidence"), ("b", "no WordNet"), ("c", "no evidence")]
    assert grouped_reasons(reasons) == ["a, c: no evidence", "b: no WordNet"]
    assert grouped_reasons([("a", "too few"), ("b", "too few")], ["a", "b"]) == ["too few"]


def test_notes_on_runs_that_were_resampled_by_other_units_are_one_line_each() -> None:
    by_example = Interval(0.0, 9.0, 0.95, 2000, "example", 6)
    assert method_notes([FIVE, by_example]) == [
        "[low, high]: 95% bootstrap interval, 2,000 resamples by document, of a single document by example",
        "* fewer than 10 documents or examples: such an interval is too narrow",
    ]
    assert method_notes([MANY, by_example])[1] == "* fewer than 10 examples: such an interval is too narrow"
