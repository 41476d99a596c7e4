"""The report as a file: one, the same every time, with nothing in it that runs but its own script."""

import json
import re
import zlib
from base64 import b64decode, b64encode
from dataclasses import replace
from hashlib import sha256
from html import unescape
from itertools import pairwise

import pytest

from longdoc.errors import UserError
from pipelines import metrics
from pipelines.records import Document, Example
from pipelines.results.reports import content, html, write_for
from pipelines.results.run_folders.run import examples_of, finished_run
from pipelines.results.scores import Scores
from pipelines.sources import Dataset
from tests.pipelines.results.reports import small_ablation, small_runs


def unpack(page, name):
    packed = re.search(f'id="{name}">([^<]*)<', page)[1]
    return json.loads(zlib.decompress(b64decode(packed), -zlib.MAX_WBITS))


def test_the_same_runs_give_the_same_bytes(runs, tmp_path):
    pages = [html.html(runs, tmp_path / name).read_bytes() for name in ("one.html", "two.html")]
    assert pages[0] == pages[1]


def test_only_the_page_s_own_style_and_script_may_run(report):
    page = report.read_text(encoding="utf-8")
    policy = unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])
    for tag in ("style", "script"):
        inside = re.search(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[1]
        assert f"{tag}-src 'sha256-{b64encode(sha256(inside.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert re.findall(r'(?:src|href)="(?!#)', page) == []
    assert not re.search("innerHTML|outerHTML|insertAdjacent|document.write|eval", page)


def test_blocks_of_examples_are_read_as_the_page_is_written(monkeypatch):
    read = []

    def blocks():
        for number in range(3):
            read.append(number)
            yield f"<i>{number}</i>"

    monkeypatch.setattr("pipelines.results.reports.html._data", lambda *_: ("", blocks()))
    pieces = html.pieces(content.gather(small_ablation.ablation()))
    assert [list(read) for piece in pieces if piece.startswith("<i>")] == [[0], [0, 1], [0, 1, 2]]


def test_an_index_has_every_example_and_the_blocks_every_passage(report, runs):
    page = report.read_text(encoding="utf-8")
    index, block = unpack(page, "index"), unpack(page, "block-0")
    predictions = finished_run(runs[0]).predictions
    assert index["ids"] == [prediction.id for prediction in predictions]
    assert index["runs"][0]["prediction"] == [prediction.prediction for prediction in predictions]
    assert index["names"] == ["bm25", "first"]
    texts = block["documents"]["0"]
    assert texts["length"] == len(small_runs.house(0))
    for detail in block["examples"][:4]:
        for start, end in [span[:2] for span in detail["runs"][0]["selected"]] + detail["evidence"]:
            texts_there = [
                text[start - at : end - at] for at, text in texts["excerpts"] if at <= start <= end <= at + len(text)
            ]
            assert texts_there == [small_runs.house(0)[start:end]]


def test_a_document_s_text_is_in_the_page_once_and_only_where_it_was_shown():
    report_content, examples = small_runs.many(20)
    page = html.text(report_content, dataset=Dataset(lambda: iter(examples), {}))
    (texts,) = unpack(page, "block-0")["documents"].values()
    ends = [(start, start + len(text)) for start, text in texts["excerpts"]]
    assert all(end < start for (_, end), (start, _) in pairwise(ends))
    assert sum(end - start for start, end in ends) <= len(examples[0].document.text)


def test_blocks_hold_whole_documents():
    report_content, examples = small_runs.many(450)
    index = unpack(html.text(report_content, dataset=Dataset(lambda: iter(examples), {})), "index")
    assert index["starts"] == [0, 200, 400]


def test_example_scores_exist_where_the_score_is_their_mean(runs):
    run = finished_run(runs[0])
    scores = run.example_scores
    assert sum(scores["f1"]) / 12 == pytest.approx(run.scores["f1"], abs=0.01)
    assert set(scores["exact_match"]) <= {0.0, 100.0}


def test_a_corpus_score_has_no_example_scores(runs):
    bleu = metrics.get("bleu-1")
    texts = (("a b c d e f", "a x"), ("a", "a b c"), ("b c d", "b d"))
    rows = [bleu.statistics(output, Example("", Document("", ""), references=(gold,))) for output, gold in texts]
    run = finished_run(runs[0])
    predictions = tuple(
        replace(prediction, statistics={"bleu-1": row})
        for prediction, row in zip(run.predictions[:3], rows, strict=True)
    )
    spec = {"metrics": {"bleu-1": {"name": "bleu", "n": 1}}}
    assert replace(run, spec=spec, loaded=predictions, scores=Scores(bleu.aggregate(rows))).example_scores == {}


def test_a_run_s_own_report_lies_in_its_folder(runs):
    file = write_for(runs[1], examples_of(finished_run(runs[1])))
    assert file == runs[1] / "report.html"
    assert file.read_bytes() == html.html(runs[1], file).read_bytes()
    assert [path.name for path in runs[1].iterdir() if "tmp" in path.name] == []


def test_an_ablation_shows_axes_differences_and_what_failed():
    page = html.text(content.gather(small_ablation.ablation()))
    assert "failed: =1+1 &lt;b&gt;\n&amp; 50% of_it" in page
    assert "failed: =1+1 &lt;b&gt; &amp; 50% of_it" in page, "in the table on one line"
    assert "<strong>9.25</strong><small>[7.75, 11.25]*</small><small>+1.25 (p=0.012)</small>" in page
    assert "<small>−0.50 (p&lt;0.001)</small>" in page
    assert unpack(page, "index")["no_text_reason"] == "no folder of a finished run is where it was"


def test_the_axes_name_the_rows_of_an_ablation():
    page = html.text(content.gather(small_ablation.ablation()))
    assert '<th scope="row" data-value="tf_idf" class="axis">tf_idf<small class="narrow">k=5</small></th>' in page
    assert '<th scope="row" data-value="5" class="axis more number">5</th>' in page
    assert '<th scope="col" class="more number">k</th>' in page


def test_for_scores_that_count_faults_the_least_is_the_best():
    cells = [
        small_ablation.cell("x", k, 8.0, scores={"f1": 8.0, "no_letter": share}) for k, share in ((1, 2.0), (5, 3.5))
    ]
    page = html.text(content.gather(small_ablation.ablation(cells=cells)))
    assert "<strong>2.00</strong>" in page
    assert "<span>3.50</span>" in page


def test_signatures_break_behind_their_bars(runs):
    assert "f1|<wbr>normalization:squad-1.1 in any script|<wbr>references:max" in html.text(content.gather(runs[0]))


def test_missing_data_that_the_user_named_are_an_error(runs, tmp_path):
    with pytest.raises(UserError):
        html.html(runs, tmp_path / "report.html", data=tmp_path / "nowhere.jsonl")


def test_a_missing_folder_is_an_error(runs, tmp_path):
    with pytest.raises(UserError, match="is not a folder: make it"):
        html.html(runs, tmp_path / "nowhere" / "report.html")


def test_texts_beyond_the_page_s_limit_are_left_out_and_counted(runs, monkeypatch):
    monkeypatch.setattr("pipelines.results.reports.page.examples.CHARACTERS", 1)
    page = html.text(content.gather(runs))
    assert list(unpack(page, "block-0")["documents"]) == ["0"]
    assert unpack(page, "index")["limited"].startswith("The texts of the last 2 of 3 documents are left out")


def test_a_block_ends_where_its_texts_are_many(runs, monkeypatch):
    monkeypatch.setattr("pipelines.results.reports.page.examples.BLOCK_CHARACTERS", 1)
    page = html.text(content.gather(runs))
    assert unpack(page, "index")["starts"] == [0, 4, 8, 12]
    assert [list(unpack(page, f"block-{n}")["documents"]) for n in range(3)] == [["0"], ["1"], ["2"]]


def test_of_very_many_runs_the_page_has_the_baseline_s_and_the_best_outputs(rows, tmp_path, monkeypatch):
    folders = [small_runs.run(rows, tmp_path / f"k{k}", k=k) for k in (1, 2, 3)]
    gathered = content.gather(folders)
    best = max(gathered.runs[1:], key=lambda run: run.scores[gathered.primary_metric]).name
    monkeypatch.setattr("pipelines.results.reports.page.data.OUTPUTS", 25)  # of twelve examples: two runs
    index = unpack(html.text(gathered), "index")
    assert index["names"] == sorted([gathered.runs[0].name, best])
    assert index["limited"] == "The outputs of 2 of 3 runs are here: the baseline's and the best."
    assert len(index["points"]) == 3


def test_a_run_without_any_score_says_so(tmp_path):
    rows = [{key: value for key, value in row.items() if key != "answers"} for row in small_runs.rows()]
    file = small_runs.write_rows(tmp_path / "rows.jsonl", rows)
    page = html.text(content.gather(small_runs.run(file, tmp_path / "run")))
    assert "f1, exact_match, bleu-1: not scored: no references" in page
    assert "No score was computed; the reasons are above." in page
