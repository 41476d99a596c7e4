"""The terminal: as wide as it is, colours only there; elsewhere the plain table."""

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

import pipelines
from pipelines.display.table_display import show_view
from pipelines.results.comparisons.comparison import ChangedExample, Comparison, Side
from pipelines.results.lost_evidence.stages import RunStages, Stage
from pipelines.results.run_folders.example_view import ExampleList
from pipelines.results.run_folders.run import Run
from tests.pipelines.results.reports import small_ablation

COMPARISON = Comparison(
    "narrativeqa", "test", Side("runs/a", "recipe a", {"f1": 8.0}), Side("runs/[red]b", "recipe b", {"f1": 9.25}),
    {"f1": small_ablation.difference(1.25, 0.004, None)}, 78, 9, "f1",
    [ChangedExample("e2", "d", "q", "a\x1b[31m\nb", "", 100.0, 0.0),
     ChangedExample("e1", "d", "q", "no", "yes", 0.0, 40.0)],
)  # fmt: skip
SIDE_BY_SIDE = """\
narrativeqa, test: 78 examples over 9 documents
  metric     a     b  b - a       interval      p  up/down/same
  f1      8.00  9.25  +1.25  [0.25, 2.25]*  0.004      20/10/48
  a: runs/a: recipe a
  b: runs/[red]b: recipe b
  95% intervals from 1,000 resamples of 9 documents; p by exchanging the runs' documents
  * fewer than 10 documents: such an interval is too narrow
  up/down/same: examples whose score is higher in b, lower, or within 0.05

most changed by f1
  example       a      b
  e2       100.00   0.00  question  q
                          a         a\ufffd[31m b
                          b
  e1         0.00  40.00  question  q
                          a         no
                          b         yes
"""


def printed(show: Any, record: Any, **console: Any) -> str:
    file = io.StringIO()
    show(record, Console(file=file, **console))
    return file.getvalue()


def test_into_a_pipe_goes_plain_text() -> None:
    ablation = small_ablation.ablation()
    assert printed(show_view, ablation) == f"{ablation}\n"


def test_a_comparison_shows_scores_then_the_examples_that_changed_most() -> None:
    assert printed(show_view, COMPARISON) == SIDE_BY_SIDE


def test_a_wide_terminal_has_every_column_and_colours() -> None:
    shown = printed(show_view, small_ablation.ablation(), force_terminal=True, width=140, color_system="standard")
    assert "\x1b[1;32m9.25 [7.75, 11.25]*\x1b[0m" in shown
    assert "left out" not in shown


def test_a_narrow_terminal_leaves_the_last_columns_out_and_says_so() -> None:
    shown = printed(show_view, small_ablation.ablation(), force_terminal=True, width=62, color_system=None)
    assert max(map(len, shown.splitlines())) <= 62
    assert "9.25 [7.75, 11.25]*   +1.25 (p=0.012)" in shown
    assert "not shown in this narrow window: bleu-1, no_letter," in shown


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_published_scores_are_whole_and_aligned_under_an_unbroken_caption(columns: int) -> None:
    published = pipelines.published("scrolls/qmsum")
    shown = printed(show_view, published, force_terminal=True, width=columns, color_system=None)
    assert all(cell_len(line) <= columns for line in shown.splitlines())
    assert shown.startswith("scrolls/qmsum: Shaham et al. 2022 (SCROLLS), Table 2 (test)\n")
    assert re.search(r"^  BART-base +1,024 +30\.2 +8\.7 +20\.7 *$", shown, flags=re.MULTILINE)
    assert re.search(r"^  Naive +14\.2 +2\.0 +9\.3 *$", shown, flags=re.MULTILINE)


@pytest.mark.parametrize("columns", [20, 40, 60, 72])
def test_a_narrow_terminal_loses_no_number_and_no_name_of_a_row(columns: int) -> None:
    shown = printed(show_view, COMPARISON, force_terminal=True, width=columns, color_system=None)
    assert re.search(r"^  f1 +8\.00 +9\.25 +\+1\.25 .*0\.004", shown, flags=re.MULTILINE)
    run = Run(Path("runs/a"), "qa", "test", {}, loaded=())
    stages = RunStages(run, 1, 0, "", [Stage("ranked", 66.9, 10, 1, 2)])
    shown = printed(show_view, stages, force_terminal=True, width=columns, color_system=None)
    assert re.search(r"^  in .* 66\.9%", shown, flags=re.MULTILINE)


def test_a_narrow_terminal_folds_texts_as_far_as_it_can() -> None:
    examples = ExampleList(Path("r"), "qa", [("sample-with-an-id", "Who keeps the bees?", "Anna and her brother")])
    shown = printed(show_view, examples, force_terminal=True, width=30, color_system=None)
    assert max(map(len, shown.splitlines()[:-1])) <= 30


def test_a_table_without_rows_leaves_no_gap_under_its_caption() -> None:
    alike = replace(COMPARISON, differences={}, changed=(), same_requests=True)
    shown = printed(show_view, alike, force_terminal=True, width=80, color_system=None)
    assert shown.splitlines()[1] == "a: runs/a: recipe a"


@pytest.mark.parametrize("is_terminal", [False, True])
def test_lines_below_are_printable_lines(is_terminal: bool) -> None:
    examples = ExampleList(Path("a\x1b[2J\nb  c"), "qa", [("a", "Who?", "Anna")])
    last_line = "1 example; one of them: longdoc show 'a\ufffd[2J b c' ID"
    assert str(examples).endswith(f"\n  {last_line}")
    shown = printed(show_view, examples, force_terminal=is_terminal, width=80, color_system=None)
    assert shown.splitlines()[-1].strip() == last_line


def test_a_notebook_shows_the_lines_below_too() -> None:
    page = ExampleList(Path("runs/<$a$>"), "qa", [("a", "Who?", "Anna")])._repr_html_()
    assert page.endswith("<small>1 example; one of them: longdoc show &#x27;runs/&lt;$a$&gt;&#x27; ID</small></div>")


def test_between_two_tables_stands_an_empty_line() -> None:
    shown = printed(show_view, COMPARISON, force_terminal=True, width=120, color_system=None)
    lines = [line.rstrip() for line in shown.splitlines()]
    assert lines[lines.index("most changed by f1") - 2].startswith("up/down/same: ")
    assert lines[lines.index("most changed by f1") - 1] == ""


@pytest.mark.parametrize("columns", [62, 140])
def test_the_folder_of_an_ablation_stands_on_one_line_as_it_is(columns: int) -> None:
    for length in range(20, 121):
        folder = Path("/" + "a run of " + "x" * (length - 15) + "/an a")
        ablation = replace(small_ablation.ablation(), folder=folder, seconds=1.5)
        shown = printed(
            show_view,
            ablation,
            force_terminal=True,
            width=columns,
            color_system=None,
            legacy_windows=False,
        )
        assert f"\nin {folder}, 1.5 s\n" in shown


@pytest.mark.parametrize("columns", [40, 80])
def test_a_command_below_a_table_stands_on_one_line_as_it_is(columns: int) -> None:
    for length in range(20, 121):
        folder = Path("/" + "a run of " + "x" * (length - 15) + "/an a")
        examples = ExampleList(folder, "qa", [("a", "Who?", "Anna")])
        shown = printed(show_view, examples, force_terminal=True, width=columns, color_system=None)
        assert f"\n1 example; one of them: longdoc show '{folder}' ID\n" in shown


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shown = printed(show_view, small_ablation.ablation(), force_terminal=True, width=140)
    assert "9.25 [7.75, 11.25]" in shown
    assert "\x1b[1;32m" not in shown
    assert "\x1b[3" not in shown


def test_brackets_are_not_markup_and_control_characters_are_replaced() -> None:
    shown = printed(show_view, COMPARISON, force_terminal=True, width=120, color_system=None)
    assert "runs/[red]b" in shown
    assert "a\ufffd[31m b" in shown
