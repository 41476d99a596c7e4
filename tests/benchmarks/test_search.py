import numpy as np
import pytest

from benchmarks import search

pytest.importorskip("faiss")
pytest.importorskip("torch")


def test_vectors_have_length_1_and_every_query_is_near_one():
    vectors, queries = search.drawn(500, 20)
    assert vectors.shape == (500, 384) and np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (queries @ vectors.T).max(axis=1).min() > 0.8


@pytest.mark.parametrize("name", [name for name in search.WAYS if name.startswith(("`dense", "FAISS, `IndexFlat"))])
def test_exact_ways_find_the_ten_nearest_in_order(name):
    vectors, queries = search.drawn(500, 20)
    expected = np.argsort(-(queries.astype(np.float64) @ vectors.T), axis=1)[:, : search.BEST]
    found = search.WAYS[name](vectors, queries)
    assert np.array_equal(found(queries), expected) and np.array_equal(found(queries[3:4]), expected[3:4])
