"""The versions that examples were made with, counted from the starts of a run."""

from pipelines.results.run_folders.versions import count_examples, mixed_versions


def start(time="", device=None, **versions):
    return {"time": time, "versions": versions, "environment": {"device": device} if device else {}}


def test_examples_are_counted_by_version_in_the_order_of_time():
    starts = [start("2", torch="2.0"), start("1", torch="1.0"), start("3", torch="2.0")]
    counts = count_examples(starts, [{0}, {1}, {2}, {0, 2}])
    assert counts == {"torch": {"1.0": 1, "2.0": 3}}
    assert mixed_versions(counts) == ["mixed versions: torch 1.0 (1 example), 2.0 (3)"]


def test_an_example_of_two_versions_counts_for_both():
    assert count_examples([start(torch="1"), start(torch="2")], [{0, 1}]) == {"torch": {"1": 1, "2": 1}}


def test_starts_that_ended_nothing_do_not_count():
    starts = [start(torch="1.0"), start(torch="2.0", faiss="1")]
    assert count_examples(starts, [{0}]) == {"torch": {"1.0": 1}}
    assert mixed_versions(count_examples(starts, [{0}])) == []


def test_the_kind_of_device_counts_and_its_number_does_not():
    starts = [start(device=device) for device in ("cuda:0", "cuda:1", "cpu", "cuda:0,cuda:1")]
    assert count_examples(starts, [{0}, {1}, {3}]) == {"device": {"cuda": 3}}
    assert mixed_versions(count_examples(starts, [{0}, {1}, {2}])) == [
        "mixed versions: device cuda (2 examples), cpu (1)"
    ]


def test_a_library_that_one_start_did_not_have_is_reported():
    assert count_examples([start(torch="2"), start()], [{0}, {1}]) == {"torch": {"2": 1, "not installed": 1}}


def test_several_libraries_are_in_one_warning():
    counts = count_examples([start(torch="1", numpy="1"), start(torch="2", numpy="2")], [{0}, {1}, {1}])
    assert mixed_versions(counts) == ["mixed versions: torch 1 (1 example), 2 (2); numpy 1 (1 example), 2 (2)"]
