"""A comparison in a notebook."""

from dataclasses import replace

from pipelines.display.latex import table_latex
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
        '<td style="text-align:right">+1.25</td><td style="text-align:right">[0.25, 2.25]*</td>',
        '<td style="text-align:right">0.004</td><td style="text-align:right">20/10/48</td>',
        "<small>b: runs/&lt;b&gt;: recipe b</small>",
        "<small>warning: few documents</small>",
        "most changed by f1",
        '<td style="text-align:left">question</td><td style="text-align:left">q</td>',
        '<td style="text-align:left">a</td><td style="text-align:left">&lt;no&gt;</td>',
        '<td style="text-align:left">b</td><td style="text-align:left">yes</td>',
    ):
        assert text in page


def test_without_changed_examples_there_is_one_table() -> None:
    alone = replace(COMPARISON, changed=())
    assert alone._repr_html_().count("<table>") == 1
    differences, changes = COMPARISON.tables()
    assert changes.heads == ("example", "a", "b", "", "")
    assert differences.heads == ("metric", "a", "b", "b - a", "interval", "p", "up/down/same")


def test_changed_examples_of_logs_have_one_row_each_and_those_of_runs_one_for_each_text() -> None:
    of_log = ChangedExample("e2", "", "", "", "", 100.0, 50.0)
    _, changes = replace(COMPARISON, changed=[*COMPARISON.changed, of_log]).tables()
    assert [tuple(map(str, row)) for row in changes.entries] == [
        ("e1", "0.00", "40.00", "question", "q"), ("", "", "", "a", "<no>"), ("", "", "", "b", "yes"),
        ("e2", "100.00", "50.00", "", ""),
    ]  # fmt: skip
    _, changes_of_logs = replace(COMPARISON, changed=[of_log]).tables()
    assert (changes_of_logs.heads, str(changes_of_logs.entries[0][2])) == (("example", "a", "b"), "50.00")


def test_p_after_holm_s_correction_has_a_column_of_its_own() -> None:
    corrected = replace(COMPARISON, differences={"f1": small_ablation.difference(1.25, 0.004, 0.03)})
    (row,) = corrected.tables()[0].entries
    assert tuple(map(str, row)) == ("f1", "8.00", "9.25", "+1.25", "[0.25, 2.25]*", "0.004", "0.030", "20/10/48")


def test_a_paper_gets_differences_with_a_minus_and_p_apart() -> None:
    worse = replace(COMPARISON, differences={"f1": small_ablation.difference(-1.25, 0.0004, None)})
    latex = table_latex(worse.tables()[0])
    assert r"f1 & 8.00 & 9.25 & $-$1.25 & {[}-2.25, -0.25{]}{*} & \textless{}0.001 & 20/10/48 \\" in latex
