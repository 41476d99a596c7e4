import pytest

import retrievers
from longdoc.errors import UserError


def test_it_selects_no_chunk_and_takes_no_k(chunks):
    retriever = retrievers.get("none")
    scores, ids = retriever.index(chunks("a", "b", "c")).search(["whatever", "else"])
    assert ids.tolist() == [[], []] and scores.tolist() == [[], []]
    assert (retriever.most, retriever.takes_k, retriever.chunker) == (0, False, "whole")


def test_no_chunk_is_better_than_another(chunks):
    assert retrievers.get("none").index(chunks("a", "b")).scores(["x"]).tolist() == [[0, 0]]


def test_k_below_one_is_refused(chunks):
    with pytest.raises(UserError, match="k must be at least 1"):
        retrievers.get("none").index(chunks("a")).search(["x"], 0)
