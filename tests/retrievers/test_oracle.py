"""The oracle ranks chunks by how much of a reference they contain."""

import numpy as np
import pytest

import pipelines
import retrievers
from chunkers import Chunk
from longdoc.errors import UserError
from pipelines.records import Document, Example


def index(*texts):
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)]).tolist()
    chunks = [Chunk(text, start, start + len(text)) for text, start in zip(texts, starts, strict=False)]
    return retrievers.get("oracle").index(chunks)


def test_the_score_is_the_share_of_the_reference_s_words_and_one_more_for_all_in_a_row():
    scores = index("The red lamp", "a lamp of red, red glass", "red-lamp oil", "nothing").scores(["red lamp"])
    assert scores.tolist() == [[2.0, 1.0, 2.0, 0.0]]


def test_words_count_as_often_as_they_occur():
    assert index("to be", "to be to be").scores(["to be or not to be"]).tolist() == [
        [np.float32(2 / 6), np.float32(4 / 6)]
    ]


def test_the_best_of_several_references_counts_and_without_any_chunks_keep_their_order():
    scores, ids = index("one", "two", "three").search(["two\nthree", ""], 2)
    assert ids.tolist() == [[1, 2], [0, 1]]
    assert scores.tolist() == [[2.0, 2.0], [0.0, 0.0]]


def test_words_are_whole_words():
    assert index("lamplight red lamps").scores(["red lamp"]).tolist() == [[0.5]]


def test_a_run_shows_the_chunk_with_the_answer_and_rows_without_references_fail(tmp_path):
    text = "Rain fell. " * 60 + "The key lies under the stone. " + "Wind blew. " * 60
    answerable = Example("a", Document("d", text), "Where?", ("under the\n stone",))
    unanswered = Example("b", Document("e", text), "Where?")
    run = pipelines.run(
        "qa", data=[answerable, unanswered], retriever="oracle", chunker="tokens:size=10", k=1, model="extractive",
        metrics="answer_recall", out=tmp_path / "run",
    )  # fmt: skip
    assert run.scores["answer_recall"] == 100
    assert run.failures == {"b": "the retriever ranks chunks by the references, and the example has none"}


def spans(*pairs):
    return "\n".join(f"{start} {end}" for start, end in pairs)


def test_with_of_evidence_the_score_is_gold_characters_per_word_of_a_chunk():
    chunks = [Chunk("aa bb", 0, 5), Chunk("cccc", 6, 10), Chunk("dd ee ff gg", 11, 22)]
    scores = retrievers.get("oracle:of=evidence").index(chunks).scores([spans((3, 10)), spans((0, 22)), ""])
    assert scores.tolist() == [[1.0, 4.0, 0.0], [2.5, 4.0, 2.75], [0.0, 0.0, 0.0]]


def test_with_of_evidence_overlapping_gold_spans_count_once():
    index = retrievers.get("oracle:of=evidence").index([Chunk("aabb", 0, 4), Chunk("cc", 5, 7)])
    assert index.scores([spans((2, 6), (0, 4), (3, 3), (1, 2))]).tolist() == [[4.0, 1.0]]


def test_another_kind_of_oracle_is_refused_by_name():
    with pytest.raises(UserError, match="evidence"):
        retrievers.get("oracle:of=evidnce")


def test_a_run_shows_the_evidence_and_warns_about_examples_without_any(tmp_path):
    text = "Rain fell on it. " * 60 + "The key lies under the stone. " + "Wind blew over. " * 60
    start = text.index("The key")
    marked = Example("a", Document("d", text), "Where?", evidence=((start, start + 29),))
    unmarked = Example("b", Document("d", text), "When?")
    run = pipelines.run(
        "qa", data=[marked, unmarked], retriever="oracle:of=evidence", chunker="units:of=sentence", budget="6 words",
        model="none", out=tmp_path / "run",
    )  # fmt: skip
    assert (run.scores["evidence_recall"], run.scores["evidence_precision"], run.failures) == (100, 100, {})
    assert any(line.startswith("1 of 2 examples: chunks in the order of the document") for line in run.warnings)
