"""MRCR's ratio: nothing without the random string, else difflib's."""

from difflib import SequenceMatcher

import pytest

from pipelines import metrics
from pipelines.benchmarks.mrcr.metrics.mrcr_ratio import bin_of
from pipelines.records import Document, Example


def example(answer: str = "xYzThe gull sat.", **meta: object) -> Example:
    return Example("q", Document("", ""), references=(answer,), meta={"prefix": "xYz", **meta})


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("xYzThe gull sat.", 100.0),
        ("The gull sat.", 0.0),
        (" xYzThe gull sat.", 0.0),
        ("xYzThe cat sat.", 100 * SequenceMatcher(None, "The cat sat.", "The gull sat.").ratio()),
        ("xYz", 0.0),
        ("", 0.0),
    ],
)
def test_the_text_after_the_random_string_is_compared(output: str, expected: float) -> None:
    row = metrics.get("mrcr_ratio").statistics(output, example())
    assert row["mrcr_ratio"] == pytest.approx(expected)
    assert row["no_prefix"] == 100 * (not output.startswith("xYz"))


def test_scores_are_also_by_needles_and_by_bins_of_tokens() -> None:
    metric = metrics.get("mrcr_ratio")
    outputs = (("xYzThe gull sat.", 2, 5000), ("", 2, 9000), ("xYzThe gull sat.", 8, 9000), ("", 8, 3000))
    rows = [metric.statistics(text, example(needles=needles, tokens=tokens)) for text, needles, tokens in outputs]
    assert metric.aggregate(rows) == {
        "mrcr_ratio": 50.0,
        "no_prefix": 50.0,
        "mrcr_ratio_2_needles": 50.0,
        "mrcr_ratio_8_needles": 50.0,
        "mrcr_ratio_8192": 100.0,
        "mrcr_ratio_16384": 50.0,
    }


@pytest.mark.parametrize(
    ("tokens", "bound"),
    [(4095, None), (4096, 8192), (8192, 8192), (8193, 16384), (2**20, 2**20), (2**20 + 1, None), (None, None)],
)
def test_a_bin_doubles_the_one_before(tokens: int | None, bound: int | None) -> None:
    assert bin_of(tokens) == bound
