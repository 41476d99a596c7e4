import retrievers


def test_every_chunk_comes_in_document_order(chunks):
    scores, ids = retrievers.get("all").index(chunks("a", "b", "c")).search(["whatever"])
    assert ids.tolist() == [[0, 1, 2]]
    assert scores.tolist() == [[0, 0, 0]]


def test_it_selects_nothing():
    assert retrievers.get("all").takes_k is False
