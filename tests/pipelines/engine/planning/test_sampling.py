"""The examples of a run."""

from collections import Counter

from pipelines.engine.planning.sampling import sampled_ids
from pipelines.records import Document, Example

EXAMPLES = [Example(f"{d}-{i}", Document(d, "")) for d, n in [("a", 5), ("b", 2), ("c", 9)] for i in range(n)]
PAIRS = [(e.document.id, e.id) for e in EXAMPLES]


def test_a_sample_takes_one_example_per_document_in_each_round():
    assert Counter(i[0] for i in sampled_ids(PAIRS, 6, seed=0)) == {"a": 2, "b": 2, "c": 2}
    assert Counter(i[0] for i in sampled_ids(PAIRS, 8, seed=0)) == {"a": 3, "b": 2, "c": 3}
    assert sampled_ids(PAIRS, 99, seed=0) == {e.id for e in EXAMPLES}


def test_a_sample_depends_on_the_seed_and_not_on_the_order_of_the_data():
    assert sampled_ids(PAIRS, 4, seed=1) == sampled_ids(PAIRS[::-1], 4, seed=1)
    assert len({frozenset(sampled_ids(PAIRS, 4, seed=s)) for s in range(8)}) > 1
