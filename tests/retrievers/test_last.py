import retrievers


def test_chunks_come_from_the_end(chunks):
    scores, ids = retrievers.get("last").index(chunks("a", "b", "c")).search(["whatever"], 2)
    assert ids.tolist() == [[2, 1]]
    assert scores.tolist() == [[3, 2]]


def test_it_takes_no_query():
    assert retrievers.get("last").query_source == "nothing" and retrievers.get("last").takes_k
