"""Markdown: the exact text, and nothing in a value that begins markup."""

import pytest

from longdoc.errors import UserError
from pipelines.display import markdown
from pipelines.results.reports import content
from tests.pipelines.results.reports import small_ablation

TABLE = r"""**narrativeqa, test**

| retriever | k | f1 | Δ f1 | bleu-1 | no_letter | tokens shown | cost |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| tf_idf | 1 | 8.00 \[6.50, 10.00\]\* | baseline | 7.00 | 2.00 | 200 | 0.001 |
| tf_idf | 5 | **9.25** \[7.75, 11.25\]\* | +1.25 (p=0.012) | **8.25** | 2.00 | 1,000 | 0.005 |
| bm25\|\$x | 1 | 7.50 \[6.00, 9.50\]\* | -0.50 (p\<0.001) | 6.50 | 2.00 | 200 | 0.001 |
| bm25\|\$x | 5 | failed | – | – | – | – | – |

- \[low, high\]: 95% bootstrap interval, 1,000 resamples by document
- \* fewer than 10 documents: such an interval is too narrow
- Δ: less the baseline, retriever=tf_idf,k=1; p two-sided, after Holm's correction
- f1: f1\|tokens:\\w+
- bleu-1: bleu-1\|smooth:none
- failed: retriever=bm25\|\$x,k=5: =1+1 \<b\> \& 50% of_it
- warning: 9 documents are few
"""


def test_an_ablation_is_a_github_table_with_notes() -> None:
    assert markdown.text(content.gather(small_ablation.ablation())) == TABLE


def test_chosen_scores_all_have_intervals() -> None:
    lines = markdown.table_markdown(*content.gather(small_ablation.ablation()).tables(["bleu-1", "f1"])).splitlines()
    assert lines[2] == "| retriever | k | bleu-1 | f1 | Δ f1 | tokens shown | cost |"
    assert lines[5] == r"| tf_idf | 5 | **8.25** | **9.25** \[7.75, 11.25\]\* | +1.25 (p=0.012) | 1,000 | 0.005 |"
    assert "- not shown: no_letter" in lines


def test_an_unknown_score_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UserError, match=r"unknown score 'f2'; did you mean f1\?"):
        content.gather(small_ablation.ablation()).tables(["f2"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a|b", r"a\|b"),
        ("_it_ is snake_case", r"\_it\_ is snake_case"),
        ("**b** `c` <i>", r"\*\*b\*\* \`c\` \<i\>"),
        (r"C:\new $5 [x](y) ~z~", r"C:\\new \$5 \[x\](y) \~z\~"),
    ],
)
def test_nothing_in_a_value_starts_markup(text: str, expected: str) -> None:
    assert markdown.escaped(text) == expected


def test_runs_of_other_numbers_of_examples_say_how_many() -> None:
    cells = [small_ablation.cell("bm25", 1, 8.0), small_ablation.cell("bm25", 5, 9.0, examples=1_200)]
    lines = markdown.text(content.gather(small_ablation.ablation(axes={}, cells=cells))).splitlines()
    assert lines[2].startswith("| k | n | f1 | ")
    assert [line.split(" | ")[1] for line in lines[4:6]] == ["78", "1,200"]
