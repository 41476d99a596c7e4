import numpy as np
import pytest

import retrievers
from longdoc.errors import UserError
from longdoc.registry import describe
from retrievers.blend import standardized
from tests.labelled_chunks import labelled

PASSAGES = [
    ("Sharks", "A film about sharks."),
    ("Steven Hill", "He was born in Ohio."),
    ("Jaws (film)", "A thriller made by Steven Hill."),
    ("Rain", "It rained in Spain."),
    ("Sequel", "It followed Jaws."),
]
QUESTION = "Where was the maker of jaws born?"


@pytest.fixture(params=["links", "graph"])
def linked(request):
    return request.param


def test_a_score_is_passed_on_both_ways_along_mentions():
    before = standardized(retrievers.get("bm25").index(labelled(*PASSAGES)).scores(["thriller"]))[0]
    found = retrievers.get("links:bm25,top=1").index(labelled(*PASSAGES)).scores(["thriller"])[0]
    assert found == pytest.approx(before + 0.5 * before[2] * np.array([0, 1, 0, 0, 1]))


def test_the_best_of_the_linked_chunks_counts():
    texts = ("worm worm", "a worm and the Hen", "worm worm worm, so the Hen", "It is")
    chunks = labelled(*zip(("Hen", "Fox", "Owl", "Bee"), texts, strict=True))
    before = standardized(retrievers.get("bm25").index(chunks).scores(["worm"]))[0]
    found = retrievers.get("links:bm25,top=3,weight=0.8").index(chunks).scores(["worm"])[0]
    given = np.maximum([max(before[1], before[2]), before[0], before[0], 0], 0)
    assert given[0] > 0 and found == pytest.approx(before + 0.8 * given)


def test_a_title_that_the_question_names_is_raised():
    before = standardized(retrievers.get("bm25").index(labelled(*PASSAGES)).scores([QUESTION]))[0]
    found = retrievers.get("links:bm25,weight=0,named=3").index(labelled(*PASSAGES)).scores([QUESTION])[0]
    assert found == pytest.approx(standardized(before[None] + 3 * np.array([0, 0, 1, 0, 0]))[0])


def test_the_passage_that_the_question_leads_to_comes_before_the_others(linked):
    chunks = labelled(*PASSAGES)
    question = "Who is the maker of Jaws?"
    assert retrievers.get("bm25:stop_words=english").index(chunks).search([question], 2)[1].tolist() == [[4, 0]]
    found = retrievers.get(linked, retriever="bm25:stop_words=english").index(chunks).search([question], 3)[1][0]
    assert {1, 2} <= set(found.tolist())


def test_without_titles_the_order_is_that_of_the_retriever(linked, chunks):
    texts = chunks("hen fox", "hen", "owl Hen", "hen hen")
    before = retrievers.get("bm25").index(texts).search(["hen", "fox"])[1]
    assert np.array_equal(retrievers.get(linked).index(texts).search(["hen", "fox"])[1], before)


@pytest.mark.parametrize("question", ["hen", "zyxwvu", "is it", ""])
def test_equal_chunks_tie(linked, question):
    index = retrievers.get(linked).index(labelled(*[("Hen", "The Hen is it.")] * 5))
    assert index.scores([question]).tolist() == [[0] * 5]
    assert index.search([question])[1].tolist() == [[0, 1, 2, 3, 4]]


def test_one_chunk_is_found(linked):
    assert retrievers.get(linked).index(labelled(("Hen", "Hen"))).search(["hen"])[1].tolist() == [[0]]


def test_the_centroid_passes_on_too(linked):
    index = retrievers.get(linked, named=5.0).index(labelled(*PASSAGES))
    before = retrievers.get("bm25").index(labelled(*PASSAGES)).centroid_scores()
    found = index.centroid_scores()
    assert found.shape == (5,) and not np.allclose(found, standardized(before[None])[0])


def test_twenty_thousand_chunks_need_no_table_of_all_pairs(linked):
    import tracemalloc

    chunks = labelled(*((f"Hen {n % 10_000}", f"Next is Hen {(n + 1) % 10_000} of the Farm") for n in range(20_000)))
    index = retrievers.get(linked).index(chunks)
    tracemalloc.start()
    _, ids = index.search(["Where is hen 77?"], 4)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert {77, 10_077} <= set(ids[0].tolist()) and peak < 20_000_000


def test_its_own_record_builds_it(linked):
    made = retrievers.get(f"{linked}:{{bm25:heading=true}},named=1")
    assert made.retriever.heading and retrievers.get(describe(made)) == made


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("links:bm25,top=0", "links: top must be at least 1"),
        ("links:bm25,weight=-1", "links: weight must be a number"),
        ("links:bm25,named=-1", "links: named must be a number"),
        ("links:bm52", "did you mean bm25"),
        ("graph:bm25,damping=1.0", "graph: damping must be at least 0 and less than 1"),
        ("graph:bm25,weight=-1", "graph: weight must be a number"),
    ],
)
def test_wrong_values_are_refused(spec, message):
    with pytest.raises(UserError, match=message):
        retrievers.get(spec)
