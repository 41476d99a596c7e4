import numpy as np
import pytest

import retrievers
from retrievers.blend import standardized
from tests.labelled_chunks import labelled

CHAIN = [("Hen", "clue of the Fox"), ("Fox", "of the Owl"), ("Owl", "of the Bee"), ("Bee", "alone"), ("Ant", "alone")]


@pytest.mark.parametrize("damping", [0.0, 0.5, 0.9])
def test_shares_are_those_of_the_linear_equations(damping):
    index = retrievers.get("graph:bm25", damping=damping, weight=1.5).index(labelled(*CHAIN))
    before = standardized(retrievers.get("bm25").index(labelled(*CHAIN)).scores(["clue alone"]))[0]
    links = np.zeros((5, 5))
    for one in range(3):
        links[one, one + 1] = links[one + 1, one] = 1
    start = np.square(np.maximum(before, 0))
    start /= start.sum()
    steps = links / np.maximum(links.sum(axis=1, keepdims=True), 1)
    steps[4] = start  # no links: back to where the walk begins
    share = np.linalg.solve(np.eye(5) - damping * steps.T, (1 - damping) * start)
    assert index.scores(["clue alone"])[0] == pytest.approx(before + 1.5 * standardized(share[None] * 5)[0], abs=1e-5)


def test_it_follows_several_hops():
    scores = retrievers.get("graph:bm25,damping=0.8").index(labelled(*CHAIN)).scores(["clue"])[0]
    assert scores[2] > scores[3] > scores[4]
