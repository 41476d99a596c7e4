"""A result in a notebook: as a table, as a frame with the scores of each example."""

from pathlib import Path

import pipelines
from pipelines.results.result import Result


def test_a_notebook_shows_the_scores_escaped() -> None:
    result = Result(
        "own", "whole → <all>", {"f1": 8.25}, {"f1": "f1|a<b"}, {"meteor": "no WordNet"}, 3, 3, 1,
        {"examples": 1, "tokens": 40}, Path("runs/x"), 1.25, failures={"e1": "<script>"},
    )  # fmt: skip
    shown = result._repr_html_()
    assert "own: whole → &lt;all&gt;" in shown
    assert '<td style="text-align:left">f1</td><td style="text-align:right">8.25</td>' in shown
    assert '<td style="text-align:left">f1|a&lt;b</td>' in shown
    for remark in (
        "3 examples over 1 documents in 1.2 s",
        "meteor: not computed: no WordNet",
        "cut: 40 prompt tokens in 1 examples (over the limit)",
        "failed: e1: &lt;script&gt;",
        "in runs/x",
    ):
        assert f"<small>{remark}</small>" in shown


def test_a_data_frame_has_one_row_per_example_with_its_own_scores(tmp_path: Path) -> None:
    result = pipelines.run("narrativeqa", data="sample", model="extractive", retriever="tfidf", out=tmp_path / "run")
    frame = result.to_frame()
    assert len(frame) == result.examples
    first, row = result.predictions[0], frame.iloc[0]
    assert (row["id"], row["document"], row["query"]) == (first.id, first.document, first.query)
    assert (row["prediction"], row["references"]) == (first.prediction, first.references)
    assert (row["tokens_in"], row["truncated_tokens"]) == (first.tokens_in, first.truncated_tokens)
    assert abs(frame["f1"].mean() - result.scores["f1"]) < 1e-9
    assert abs(frame["rouge-l"].mean() - result.scores["rouge-l"]) < 1e-9
