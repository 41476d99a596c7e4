"""Passages longer than the retriever's encoder reads are counted in predictions, scores, console and report."""

import json
import re
from html import unescape

import numpy as np
import pytest

import pipelines
from models.encoders import Split
from pipelines.records import Document, Example

TEXT = "hen fox owl cat dog elk. " * 40
OTHER = "bee ant."


class FiveWords:
    """Reads five words of a text."""

    def max_tokens(self):
        return 5

    def encode(self, texts, kind):
        return np.array([[len(text.split()[0]) if text.split() else 0, 1.0] for text in texts], np.float32)

    def split(self, texts, kind):
        return [self._split(text) for text in texts]

    def _split(self, text):
        words = [match.span() for match in re.finditer(r"\S+", text)]
        parts = [words[at : at + 5] for at in range(0, len(words), 5)]
        return Split(len(words), max(0, len(words) - 5), tuple((p[0][0], p[-1][1]) for p in parts) or ((0, len(text)),))

    def identity(self):
        return {"model": "five"}


def examples():
    first, second = Document("first", TEXT), Document("second", OTHER)
    long = "who is it that sat there then?"
    return [
        Example("1", first, "hen?", ("fox",)),
        Example("2", first, long, ("owl",)),
        Example("3", second, "ant?", ("bee",)),
    ]


def run(tmp_path, long="windows", **fields):
    retriever = {"name": "dense", "model": FiveWords(), "long": long}
    arguments = {
        "data": examples(),
        "chunker": "tokens:size=20",
        "k": 2,
        "model": "extractive",
        "out": tmp_path / "run",
    }
    return pipelines.run("qa", **arguments | {"retriever": retriever} | fields)


def test_each_prediction_has_its_documents_counts_and_its_own_querys(tmp_path):
    first, second, third = run(tmp_path).predictions
    assert first.passages == {
        "dense": {
            "limit": 5, "long": "windows", "passages": 12, "over": 12, "tokens": 240, "beyond": 180,
            "queries": 1, "queries_over": 0, "queries_beyond": 0,
        }
    }  # fmt: skip
    assert (second.passages["dense"]["queries_over"], second.passages["dense"]["queries_beyond"]) == (1, 2)
    assert (third.passages["dense"]["passages"], third.passages["dense"]["over"]) == (1, 0)


def test_scores_count_a_document_once_and_each_query(tmp_path):
    result = run(tmp_path)
    scores = json.loads((result.folder / "scores.json").read_text())
    assert scores["passages"]["dense"] == {
        "limit": 5, "long": "windows", "passages": 13, "over": 12, "tokens": 242, "beyond": 180,
        "queries": 3, "queries_over": 1, "queries_beyond": 2,
    }  # fmt: skip


def test_console_and_report_mention_long_passages(tmp_path):
    result = run(tmp_path)
    passages = "dense: 12 of 13 passages were longer than the encoder's 5 tokens: encoded in windows, the best counts"
    queries = "dense: 1 of 3 queries were longer than the encoder's 5 tokens: cut, 2 of their tokens were never read"
    assert passages in str(result) and queries in str(result)
    page = (pipelines.report(result.folder) or result.folder / "report.html").read_text()
    assert passages in unescape(page)


def test_with_cut_the_share_never_read_is_reported(tmp_path):
    text = str(run(tmp_path, long="cut"))
    assert (
        "dense: 12 of 13 passages were longer than the encoder's 5 tokens: "
        "cut, 74.4% of all passages' tokens were never read" in text
    )


def test_encoders_inside_hybrid_are_counted(tmp_path):
    hybrid = {"name": "hybrid", "retrievers": ["bm25", {"name": "dense", "model": FiveWords(), "long": "cut"}]}
    assert run(tmp_path, retriever=hybrid).predictions[0].passages["dense"]["long"] == "cut"


def test_without_an_encoder_nothing_is_counted(tmp_path):
    result = run(tmp_path, retriever="bm25")
    assert result.predictions[0].passages == {}
    assert json.loads((result.folder / "scores.json").read_text())["passages"] == {}


def test_further_searches_of_a_strategy_are_counted(tmp_path):
    result = run(tmp_path, strategy="iterative:extend=passages")
    first, second, _ = result.predictions
    assert (first.passages["dense"]["queries"], first.passages["dense"]["queries_over"]) == (2, 1)
    assert (second.passages["dense"]["queries"], second.passages["dense"]["queries_over"]) == (2, 2)


def test_a_resumed_run_has_the_same_files(tmp_path):
    whole = run(tmp_path / "a")
    broken = run(tmp_path / "b")
    journal = broken.folder / "journal.jsonl"
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:1]))
    again = run(tmp_path / "b")
    for name in ("predictions.jsonl", "scores.json"):
        assert (again.folder / name).read_bytes() == (whole.folder / name).read_bytes()


@pytest.mark.parametrize(("question", "lines"), [("hen?", 1), ("who is it that sat there then?", 2)])
def test_ask_warns_of_long_passages(question, lines):
    retriever = {"name": "dense", "model": FiveWords(), "long": "cut"}
    answer = pipelines.ask(Document("d", TEXT), question, retriever=retriever)
    assert len([warning for warning in answer.warnings if warning.startswith("dense: ")]) == lines
