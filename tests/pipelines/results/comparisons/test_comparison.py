"""A comparison in a notebook."""

from dataclasses import replace

from pipelines.results.comparisons.comparison import ChangedExample, Comparison, Side
from tests.pipelines.results.reports import small_ablation

COMPARISON = Comparison(
    "qa", "test", Side("runs/a", "recipe a", {"f1": 8.0}), Side("runs/<b>", "recipe b", {"f1": 9.25}),
    {"f1": small_ablation.difference(1.25, 0.004, None)}, 1, 1, "f1",
    [ChangedExample("e1", "d", "q", "<no>", "yes", 0.0, 40.0)], warnings=["few documents"],
)  # fmt: skip


def test_a_notebook_shows_differences_and_the_most_changed_examples_escaped() -> None:
    page = COMPARISON._repr_html_()
    assert page.count("<table>") == 2
    for text in (
        "qa, test: 1 example over 1 document",
        '<td style="text-align:right">+1.25 (p=0.004)</td>',
        '<td style="text-align:right">[0.25, 2.25]*</td>',
        "<small>b: runs/&lt;b&gt;: recipe b</small>",
        "<small>warning: few documents</small>",
        "changed by f1",
        '<td style="text-align:left">&lt;no&gt;</td><td style="text-align:left">yes</td>',
    ):
        assert text in page


def test_without_changed_examples_there_is_one_table() -> None:
    alone = replace(COMPARISON, changed=())
    assert alone._repr_html_().count("<table>") == 1
    differences, changes = COMPARISON.tables()
    assert changes.heads == ("example", "a", "b", "output of a", "output of b")
    assert differences.heads[0] == "metric"
