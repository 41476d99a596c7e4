"""The oracle: chunks by how much of a reference they hold."""

import numpy as np

import pipelines
import retrievers
from chunkers import Chunk
from pipelines.records import Document, Example


def index(*texts):
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)]).tolist()
    chunks = [Chunk(text, start, start + len(text)) for text, start in zip(texts, starts, strict=False)]
    return retrievers.get("oracle").index(chunks)


def test_the_score_is_the_share_of_the_reference_s_words_and_one_more_for_all_in_a_row():
    found = index("The red lamp", "a lamp of red, red glass", "red-lamp oil", "nothing").scores(["red lamp"])
    assert found.tolist() == [[2.0, 1.0, 2.0, 0.0]]


def test_words_count_as_often_as_they_come():
    assert index("to be", "to be to be").scores(["to be or not to be"]).tolist() == [
        [np.float32(2 / 6), np.float32(4 / 6)]
    ]


def test_of_several_references_the_best_counts_and_none_rank_by_position():
    scores, ids = index("one", "two", "three").search(["two\nthree", ""], 2)
    assert ids.tolist() == [[1, 2], [0, 1]]
    assert scores.tolist() == [[2.0, 2.0], [0.0, 0.0]]


def test_words_are_whole_words():
    assert index("lamplight red lamps").scores(["red lamp"]).tolist() == [[0.5]]


def test_a_run_is_shown_where_the_answer_stands_and_rows_without_references_fail(tmp_path):
    text = "Rain fell. " * 60 + "The key lies under the stone. " + "Wind blew. " * 60
    one = Example("a", Document("d", text), "Where?", ("under the\n stone",))
    other = Example("b", Document("e", text), "Where?")
    run = pipelines.run(
        "qa", data=[one, other], retriever="oracle", chunker="tokens:size=10", k=1, model="extractive",
        metrics="answer_recall", out=tmp_path / "run",
    )  # fmt: skip
    assert run.scores["answer_recall"] == 100
    assert run.failures == {"b": "its chunks are ranked by references, and it has none"}
