"""An ablation as a person sees it: printed, in a notebook, as a frame."""

from dataclasses import replace
from pathlib import Path

from tests.pipelines.results.reports import small_ablation

PRINTED = r"""narrativeqa, test
  retriever  k                   f1             Δ f1  bleu-1  no_letter  tokens shown   cost
  tf_idf     1  8.00 [6.50, 10.00]*         baseline    7.00       2.00           200  0.001
  tf_idf     5  9.25 [7.75, 11.25]*  +1.25 (p=0.012)    8.25       2.00         1,000  0.005
  bm25|$x    1   7.50 [6.00, 9.50]*  -0.50 (p<0.001)    6.50       2.00           200  0.001
  bm25|$x    5               failed                –       –          –             –      –
  [low, high]: 95% bootstrap interval, 1,000 resamples by document
  * fewer than 10 documents: such an interval is too narrow
  Δ: less the baseline, retriever=tf_idf,k=1; p two-sided, after Holm's correction
  f1: f1|tokens:\w+
  bleu-1: bleu-1|smooth:none
  failed: retriever=bm25|$x,k=5: =1+1 <b> & 50% of_it
  warning: 9 documents are few
  in abl"""


def test_an_ablation_prints_as_a_table() -> None:
    assert str(small_ablation.ablation()) == PRINTED


def test_settings_that_all_cells_share_go_to_the_heading() -> None:
    cells = [small_ablation.cell("bm25", 1, 8.0), small_ablation.cell("bm25", 5, 9.0)]
    lines = str(small_ablation.ablation(cells=cells)).splitlines()
    assert lines[0] == "narrativeqa, test, retriever=bm25"
    assert lines[1].split() == ["k", "f1", "bleu-1", "no_letter", "tokens", "shown", "cost"]


def test_many_cells_have_one_line_each() -> None:
    cells = [small_ablation.cell(f"r{n}", k, 8.0) for n in range(10) for k in range(10)]
    lines = str(small_ablation.ablation(cells=cells)).splitlines()
    assert len([line for line in lines if line.startswith("  r")]) == 101
    assert max(map(len, lines)) < 100


def test_cells_that_repeat_the_requests_of_another_are_marked_and_explained_in_one_line() -> None:
    first, second, third = small_ablation.ablation().cells[:3]
    cells = [
        first,
        second,
        replace(third, differences={}, same_as=second.name),
        small_ablation.cell("x", 1, 8.0, same_as=first.name),
    ]
    lines = str(small_ablation.ablation(cells=cells)).splitlines()
    assert lines[3].split()[-6:-4] == ["+1.25", "(p=0.012)"]
    assert lines[4].split()[-6:-4] == ["=", "retriever=tf_idf,k=5"]
    assert lines[5].split()[-6:-4] == ["=", "retriever=tf_idf,k=1"]
    assert (
        "  = RUN: the same requests and outputs as that run: not compared, nor counted in Holm's correction"
    ) in lines
    frame = small_ablation.ablation(cells=cells).to_frame()
    assert list(frame["same_as"].fillna("")) == ["", "", second.name, first.name]


def test_cells_of_few_documents_say_why_they_have_no_interval() -> None:
    why = dict.fromkeys(("f1", "bleu-1"), "3 documents: no interval; at least 5 are needed")
    cells = [small_ablation.cell("a", k, 8.0 + k, intervals={}, no_interval=why) for k in (1, 5)]
    lines = str(small_ablation.ablation(cells=cells)).splitlines()
    assert [line.split()[1] for line in lines[2:4]] == ["9.00", "13.00"]
    assert lines[4] == "  3 documents: no interval; at least 5 are needed"


def test_a_notebook_shows_an_escaped_table() -> None:
    shown = small_ablation.ablation()._repr_html_()
    assert shown.count("<tr>") == 5
    assert '<td style="text-align:right"><b>9.25</b> [7.75, 11.25]*</td>' in shown
    assert "=1+1 &lt;b&gt; &amp; 50% of_it" in shown


def test_a_frame_has_one_row_per_cell() -> None:
    frame = small_ablation.ablation().to_frame()
    assert list(frame["f1_difference"].fillna(99)) == [99, 1.25, -0.5, 99]
    assert list(frame["f1_p"].fillna(99)) == [99, 0.004, 0.0001, 99]
    row = frame.iloc[1]
    assert (row["retriever"], row["k"], row["f1"], row["f1_low"], row["f1_high"]) == ("tf_idf", 5, 9.25, 7.75, 11.25)
    assert row["f1_units"] == 9
    assert (row["tokens_in"], row["cost"], row["failures"]) == (78000, 0.005, 0)
    assert row["folder"] == str(Path("cells/retriever=tf_idf,k=5"))
    assert frame["error"].iloc[3] == "=1+1 <b>\n& 50% of_it"


def test_scores_that_count_errors_are_best_where_they_are_lowest() -> None:
    cells = [small_ablation.cell("a", 1, 8.0), small_ablation.cell("b", 1, 9.0, scores={"f1": 9.0, "no_letter": 5.0})]
    shown = small_ablation.ablation(cells=cells)._repr_html_()
    assert "<b>2.00</b>" in shown
    assert "<b>5.00</b>" not in shown
