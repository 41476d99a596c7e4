import retrievers


def test_chunks_come_from_the_start(chunks):
    scores, ids = retrievers.get("first").index(chunks("a", "b", "c")).search(["whatever", ""], 2)
    assert ids.tolist() == [[0, 1], [0, 1]]
    assert scores.tolist() == [[3, 2], [3, 2]]


def test_it_takes_no_query():
    assert retrievers.get("first").query_source == "nothing" and retrievers.get("first").takes_k
