"""RULER's two scores: the share of the references in an output, and whether it has any."""

import pytest

from pipelines import metrics


@pytest.mark.parametrize(
    ("output", "share", "any_reference"),
    [
        ("QPE, SEJ", 50, 100),
        ("qpe sej zqo rvu", 100, 100),
        ("none of these", 0, 0),
        ("", 0, 0),
        ("QPEX", 25, 100),
    ],
)
def test_references_are_contained_without_case(output: str, share: float, any_reference: float) -> None:
    references = [["QPE", "SEJ", "ZQO", "RVU"]]
    assert metrics.get("string_match_all").score([output], references) == {"string_match_all": share}
    assert metrics.get("string_match_part").score([output], references) == {"string_match_part": any_reference}
