"""The metrics over parts of a document of which anything was shown: page_recall, document_coverage."""

import pytest

from pipelines import metrics
from pipelines.records import Document, Example, Span

TEXT = "First page.\fSecond page.\f \fLast one."
PAGES = [[0, 0, 12], [1, 12, 27], [3, 27, 36]]


def score(name: str, field: str, *shown: Span, text: str = TEXT) -> dict[str, float]:
    metric = metrics.get(name)
    example = Example("1", Document("d", text), meta={field: PAGES})
    return metric.aggregate([metric.statistics(str([list(span) for span in shown]), example)])


@pytest.mark.parametrize(("name", "field"), [("page_recall", "pages"), ("document_coverage", "documents")])
@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ([(0, 36)], 100),
        ([(10, 13)], 200 / 3),
        ([(0, 1), (35, 36)], 200 / 3),
        ([(24, 27)], 0),  # white space between two pages
        ([(11, 13), (11, 13)], 100 / 3),
        ([], 0),
    ],
)
def test_a_part_is_shown_if_a_character_of_it_is(name: str, field: str, shown: list[Span], expected: float) -> None:
    assert score(name, field, *shown) == {name: pytest.approx(expected)}


def test_examples_without_parts_are_left_out() -> None:
    metric = metrics.get("page_recall")
    bare = Example("1", Document("d", TEXT), meta={"documents": PAGES})
    paged = Example("2", Document("d", TEXT), meta={"pages": PAGES[:1]})
    rows = [metric.statistics("[[0, 5]]", example) for example in (bare, paged)]
    assert metric.aggregate(rows) == {"page_recall": 100.0}
    assert metric.aggregate(rows[:1]) == metric.aggregate([]) == {}
