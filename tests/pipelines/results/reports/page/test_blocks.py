"""The data in a page."""

from pipelines.results.reports.page.blocks import block


def test_numbers_that_json_has_not_are_missing_in_the_page():
    odd = {"x": float("nan"), "y": (1.0, float("-inf")), "z": {"é": [True, 2]}}
    assert block("a", odd) == block("a", {"x": None, "y": [1.0, None], "z": {"é": [True, 2]}})
