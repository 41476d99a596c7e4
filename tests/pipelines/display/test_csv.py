"""CSV: the exact text, numbers that a spreadsheet reads as numbers, text that it does not run."""

import csv as standard
import io

import pytest

from pipelines.display import csv
from pipelines.results.ablations.ablation import Ablation
from pipelines.results.reports import content
from tests.pipelines.results.reports import small_ablation

SHEET = """\
name,retriever,k,recipe,f1,f1_low,f1_high,f1_units,f1_difference,f1_difference_low,f1_difference_high,\
f1_difference_units,f1_p,f1_p_holm,bleu-1,no_letter,same_as,failures,examples,documents,requests,tokens_in,tokens_out,tokens_shown,words_shown,cost,error,folder
"retriever=tf_idf,k=1",tf_idf,1,tokens → tf_idf k=1,8.0,6.5,10.0,9,,,,,,,7.0,2.0,,0,78,9,78,15600,780,200.0,,0.001,,\
"abl/cells/retriever=tf_idf,k=1"
"retriever=tf_idf,k=5",tf_idf,5,tokens → tf_idf k=5,9.25,7.75,11.25,9,1.25,0.25,2.25,9,0.004,0.012,8.25,2.0,,0,78,9,78,\
78000,780,1000.0,,0.005,,"abl/cells/retriever=tf_idf,k=5"
"retriever=bm25|$x,k=1",bm25|$x,1,tokens → bm25|$x k=1,7.5,6.0,9.5,9,-0.5,-1.5,0.5,9,0.0001,0.0002,6.5,2.0,,0,78,9,78,\
15600,780,200.0,,0.001,,"abl/cells/retriever=bm25|$x,k=1"
"retriever=bm25|$x,k=5",bm25|$x,5,tokens → bm25,,,,,,,,,,,,,,0,0,0,0,0,0,0.0,,,'=1+1 <b> & 50% of_it,
"""


def text(ablation: Ablation) -> str:
    return csv.rows_csv(content.gather(ablation).flat_rows())


def test_an_ablation_has_one_row_per_cell() -> None:
    assert text(small_ablation.ablation()) == SHEET


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_text_that_a_spreadsheet_would_run_is_guarded(start: str) -> None:
    cells = [small_ablation.cell(f'{start}HYPERLINK("x"),"y"', 1, 8.0)]
    (row,) = standard.DictReader(io.StringIO(text(small_ablation.ablation(cells=cells))))
    assert row["retriever"] == f'\'{start}HYPERLINK("x"),"y"'
    assert row["f1"] == "8.0"


def test_a_negative_number_stays_a_number() -> None:
    rows = list(standard.DictReader(io.StringIO(text(small_ablation.ablation()))))
    assert rows[2]["f1_difference"] == "-0.5"
