"""A result as text, in a notebook as tables, as a frame with the scores of each example."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import pipelines
from longdoc import checked_json
from pipelines.records import Document, Example
from pipelines.results.excerpts import Excerpt
from pipelines.results.reports import content
from pipelines.results.result import Result
from pipelines.results.scores import Scores
from pipelines.statistics.intervals import Interval

SCORES = Scores(
    {"f1": 8.25, "bleu-1": 1.0}, {"f1": Interval(2.0, 14.5, 0.95, 2000, "example", 12)},
    {"bleu-1": "2 examples: too few"}, {"f1": "f1|a<b", "bleu-1": "bleu-1|n"},
    {"meteor": "no WordNet", "a": "no evidence", "b": "no evidence"},
)  # fmt: skip
SPEC = {
    "chunker": {"name": "whole"}, "retriever": {"name": "<all>"}, "strategy": {"name": "stuff"},
    "model": {"name": "copy"}, "k": None, "budget": None,
}  # fmt: skip
COUNTS = {
    "examples": 3, "scored": 3, "truncated": {"examples": 1, "tokens": 40}, "outputs": {}, "selection": {},
}  # fmt: skip
RESULT = Result(
    Path("runs/x"), "own", "test", SPEC, SCORES, {"e1": "<script>"}, record=COUNTS, documents=1, seconds=1.25,
    primary_metric="f1", report=Path("runs/x y/report.html"),
    excerpts=(
        Excerpt("e1", "Who?", "Anna", ("Anna", "A."), 100.0),
        Excerpt("e2", "", "\x1b[2JBert", ("Anna",), 0.0),
    ),
)  # fmt: skip


def test_a_result_prints_intervals_examples_and_its_report_without_signatures() -> None:
    assert str(RESULT).splitlines() == [
        "own: whole → <all> → stuff → copy",
        "  score   value       interval",
        "  f1       8.25  [2.00, 14.50]",
        "  bleu-1   1.00              –",
        "  3 of 4 examples answered, over 1 document in 1.2 s",
        "  [low, high]: 95% interval",
        "  not computed: meteor: no WordNet",
        "  not computed: a, b: no evidence",
        "  cut: 40 prompt tokens in 1 example (over the limit)",
        "  failed: e1: <script>",
        "",
        "2 of 3 examples, by f1: ✓ 100, ~ between, ✗ 0",
        "  ✓  question    Who?",
        "     prediction  Anna",
        "     reference   Anna | A.",
        "  ✗  prediction  \ufffd[2JBert",
        "     reference   Anna",
        "  report: runs/x y/report.html",
    ]


def test_details_have_how_each_score_and_its_interval_was_computed() -> None:
    lines = RESULT.plain(details=True).splitlines()
    assert lines[7:9] == [
        "  [low, high]: 95% bootstrap interval, 2,000 resamples by example",
        "  bleu-1: 2 examples: too few",
    ]
    assert lines[2:4] == ["  f1       8.25  [2.00, 14.50]  f1|a<b", "  bleu-1   1.00              –  bleu-1|n"]


def test_without_intervals_there_is_no_column_of_them_and_one_reason() -> None:
    few = replace(
        RESULT,
        scores=replace(SCORES, intervals={}, no_interval=dict.fromkeys(SCORES, "2 examples: too few")),
        excerpts=(),
    )
    lines = str(few).splitlines()
    assert lines[1:4] == ["  score   value", "  f1       8.25", "  bleu-1   1.00"]
    assert "  2 examples: too few" in few.plain(details=True).splitlines()


def test_four_scores_are_printed_one_of_retrieval_among_them() -> None:
    names = ["f1", "exact_match", "rouge-l", "bleu-1", "evidence_recall", "meteor"]
    many = replace(RESULT, scores=Scores({name: float(place) for place, name in enumerate(names)}))
    assert many.shown_scores() == ["f1", "exact_match", "rouge-l", "evidence_recall"]
    assert many.shown_scores(details=True) == names
    assert "  2 more scores: in the report, or with --details" in str(many).splitlines()
    assert "more score" not in many.plain(details=True)
    without = replace(RESULT, scores=Scores(dict.fromkeys(names[:4] + names[5:], 1.0)))
    assert without.shown_scores() == names[:4]
    with_recall = replace(RESULT, scores=Scores(dict.fromkeys([*names[:4], "meteor", "answer_recall"], 1.0)))
    assert with_recall.shown_scores() == [*names[:3], "answer_recall"]


def test_a_result_without_a_report_ends_with_its_folder() -> None:
    few = replace(RESULT, excerpts=())
    assert str(replace(few, report=None)).endswith("  in runs/x")


def test_a_score_is_found_by_another_spelling_of_its_name() -> None:
    assert (SCORES["F1"], SCORES["bleu_1"]) == (8.25, 1.0)
    assert "F1" not in SCORES and SCORES.get("rouge-l") is None
    with pytest.raises(KeyError, match=r"^unknown score 'bleu'; did you mean bleu-1[?]$"):
        SCORES["bleu"]


def test_long_texts_are_cut_to_the_width() -> None:
    long = replace(RESULT, excerpts=(Excerpt("e", "漢" * 200, "word " * 50, (), None),))
    line = next(line for line in str(long).splitlines() if "漢" in line)
    assert line == f"    question    {'漢' * 46}…"


def test_a_notebook_shows_the_scores_escaped() -> None:
    shown = RESULT._repr_html_()
    assert "own: whole → &lt;all&gt;" in shown
    assert '<td style="text-align:left">f1</td><td style="text-align:right">8.25</td>' in shown
    assert '<td style="text-align:right">[2.00, 14.50]</td>' in shown
    assert '<td style="text-align:left">✓</td><td style="text-align:left">question</td>' in shown
    assert '<td style="text-align:left">question</td><td style="text-align:left">Who?</td>' in shown
    assert "\x1b" not in shown
    for remark in (
        "3 of 4 examples answered, over 1 document in 1.2 s",
        "not computed: meteor: no WordNet",
        "cut: 40 prompt tokens in 1 example (over the limit)",
        "failed: e1: &lt;script&gt;",
    ):
        assert f"<small>{remark}</small>" in shown
    assert '<a href="runs/x%20y/report.html">report: runs/x y/report.html</a>' in shown
    assert "\x1b" not in replace(RESULT, folder=Path("runs/\x1b[2J"), report=None)._repr_html_()


def test_printed_and_kept_intervals_are_those_of_the_report(tmp_path: Path) -> None:
    text, names = "Anna keeps bees. Bert mends clocks.", ("Carl", "Anna", "Anna")
    examples = [
        Example(f"e{row}", Document(f"d{row}", f"{row} {text}"), "Who keeps bees?", (names[row % 3],))
        for row in range(12)
    ]
    arguments = {"data": examples, "model": "extractive", "metrics": ["f1", "bleu-1", "exact_match"]}
    result = pipelines.run("qa", out=tmp_path / "run", **arguments)
    scores = tmp_path / "run/scores.json"
    scores_json = json.loads(scores.read_text())
    (reported,) = content.gather(result.folder).runs
    assert reported.scores.intervals == result.scores.intervals
    assert result.scores.intervals.keys() == result.scores.keys() == scores_json["intervals"].keys()
    older = {key: value for key, value in scores_json.items() if key not in ("intervals", "no_interval")}
    scores.write_text(checked_json.dumps(older))
    (computed,) = content.gather(result.folder).runs
    assert computed.scores.intervals == result.scores.intervals
    assert result.plain(details=True).count("[low, high]: 95% bootstrap interval, 2,000 resamples by document") == 1
    again = pipelines.run("qa", out=tmp_path / "run", **arguments)
    assert (again.scores.intervals, again.excerpts) == (result.scores.intervals, result.excerpts)
    assert json.loads(scores.read_text()) == scores_json


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
