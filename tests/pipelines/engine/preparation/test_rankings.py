"""A user's retriever that returns no valid ranking ends a run with one line that names it."""

import json

import numpy as np
import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.records import Document, Example
from retrievers import Retriever

TEXT = "hen fox owl cat. " * 60


class Own(Retriever):
    """Returns what a test sets."""

    ranks_by_centroid = True

    def __init__(self, scores, ids):
        self.ranking = scores, ids

    def index(self, chunks):
        self.chunks = chunks
        return self

    def search(self, queries, k=None):
        width = min(k or len(self.chunks), len(self.chunks))
        return tuple(array(len(queries), width) if callable(array) else array for array in self.ranking)

    def scores(self, queries):
        return np.zeros((len(queries), len(self.chunks)), np.float32)

    def centroid_scores(self):
        return np.zeros(len(self.chunks))

    def centroid(self, k=None):
        return tuple(array[0] for array in self.search(["all"], k))


def falling(rows, width):
    return np.tile(np.arange(width, 0, -1, dtype=np.float32), (rows, 1))


def ascending(rows, width):
    return np.tile(np.arange(width), (rows, 1))


def run(tmp_path, scores, ids, **fields):
    example = Example("1", Document("d", TEXT), "hen?", ("fox",))
    arguments = {"data": [example], "chunker": "tokens:size=20", "k": 3, "model": "extractive", "out": tmp_path / "run"}
    return pipelines.run("qa", retriever=Own(scores, ids), **arguments | fields)


def test_a_valid_ranking_is_used(tmp_path):
    (prediction,) = run(tmp_path, falling, ascending).predictions
    assert [score for _, _, score in prediction.selected] == [3, 2, 1]


WRONG = [
    (lambda n, w: falling(n, w) * np.nan, ascending, "NaN or infinite scores for 1 of 1 queries"),
    (lambda n, w: falling(n, w) / 0, ascending, "NaN or infinite scores"),
    (lambda n, w: falling(n, w - 1), lambda n, w: ascending(n, w - 1), r"the 3 best of 12 chunks make \(1, 3\)"),
    (lambda n, w: falling(n + 1, w), lambda n, w: ascending(n + 1, w), r"make \(1, 3\)"),
    (falling, lambda n, w: ascending(n, w)[:, :-1], r"ids of shape \(1, 2\)"),
    (lambda n, w: falling(n, w)[0], lambda n, w: ascending(n, w)[0], r"scores of shape \(3,\)"),
    (falling, lambda n, w: ascending(n, w) + 10, "the chunk number 12 where there are 12 chunks"),
    (falling, lambda n, w: ascending(n, w) - 1, "the chunk number -1"),
    (falling, lambda n, w: ascending(n, w) * 0, "a chunk twice"),
    (falling, lambda n, w: ascending(n, w).astype(float), "ids of dtype float64"),
    (lambda n, w: [["a"] * w] * n, ascending, "scores of dtype"),
    (lambda n, w: [[1, 2, 3], [1]], ascending, "two tables of numbers"),
    (lambda n, w: falling(n, w).astype(float) * 1e300, ascending, "NaN or infinite scores"),  # beyond float32
]


@pytest.mark.parametrize(("scores", "ids", "message"), WRONG)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_an_invalid_ranking_is_refused_in_one_line_that_names_the_retriever(tmp_path, scores, ids, message):
    with pytest.raises(UserError, match=f"retriever .*test_rankings:Own gave .*{message}") as error:
        run(tmp_path, scores, ids)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "run" / "predictions.jsonl").exists()


@pytest.mark.parametrize(("scores", "ids", "message"), [WRONG[0], WRONG[2], WRONG[6], WRONG[8]])
def test_a_ranking_by_the_centroid_is_checked_too(tmp_path, scores, ids, message):
    with pytest.raises(UserError, match=f"test_rankings:Own gave .*{message}"):
        run(tmp_path, scores, ids, query="centroid")


def test_a_result_that_is_not_a_pair_is_refused(tmp_path):
    own = Own(falling, ascending)
    own.search = lambda queries, k=None: None
    example = Example("1", Document("d", TEXT), "hen?", ("fox",))
    with pytest.raises(UserError, match="gave NoneType, not scores and ids"):
        pipelines.run("qa", data=[example], retriever=own, k=3, model="extractive", out=tmp_path / "run")


def test_predictions_are_plain_json(tmp_path):
    result = run(tmp_path, falling, ascending)
    for line in (result.folder / "predictions.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=lambda name: pytest.fail(name))
