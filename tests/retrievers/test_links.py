import numpy as np
import pytest

import retrievers
from longdoc.errors import UserError
from longdoc.registry import describe
from retrievers import links
from retrievers.blend import standardized
from retrievers.links import NameLinks, clauses_of
from tests.labelled_chunks import labelled

PASSAGES = [
    ("Sharks", "A film about sharks."),
    ("Steven Hill", "He was born in Ohio."),
    ("Jaws (film)", "A thriller made by Steven Hill."),
    ("Rain", "It rained in Spain."),
    ("Sequel", "It followed Jaws."),
]
QUESTION = "Where was the maker of jaws born?"


def test_a_score_is_passed_on_both_ways_along_mentions():
    before = standardized(retrievers.get("bm25").index(labelled(*PASSAGES)).scores(["thriller"]))[0]
    scores = retrievers.get("links:bm25,top=1").index(labelled(*PASSAGES)).scores(["thriller"])[0]
    assert scores == pytest.approx(before + 0.5 * before[2] * np.array([0, 1, 0, 0, 1]))


def test_the_best_of_the_linked_chunks_counts():
    texts = ("worm worm", "a worm and the Hen", "worm worm worm, so the Hen", "It is")
    chunks = labelled(*zip(("Hen", "Fox", "Owl", "Bee"), texts, strict=True))
    before = standardized(retrievers.get("bm25").index(chunks).scores(["worm"]))[0]
    scores = retrievers.get("links:bm25,top=3").index(chunks).scores(["worm"])[0]
    linked = np.maximum([max(before[1], before[2]), before[0], before[0], 0], 0)
    assert linked[0] > 0 and scores == pytest.approx(before + 0.5 * linked)


def test_a_title_that_the_question_names_is_raised(monkeypatch):
    before = standardized(retrievers.get("bm25").index(labelled(*PASSAGES)).scores([QUESTION]))[0]
    monkeypatch.setattr(links, "WEIGHT", 0)
    scores = retrievers.get("links:bm25,named=3").index(labelled(*PASSAGES)).scores([QUESTION])[0]
    assert scores == pytest.approx(standardized(before[None] + 3 * np.array([0, 0, 1, 0, 0]))[0])


def test_the_passage_that_the_question_leads_to_comes_before_the_others():
    chunks = labelled(*PASSAGES)
    question = "Who is the maker of Jaws?"
    assert retrievers.get("bm25:stop_words=english").index(chunks).search([question], 2)[1].tolist() == [[4, 0]]
    ids = retrievers.get("links", retriever="bm25:stop_words=english").index(chunks).search([question], 3)[1][0]
    assert {1, 2} <= set(ids.tolist())


def test_without_titles_the_order_is_that_of_the_retriever(chunks):
    texts = chunks("hen fox", "hen", "owl Hen", "hen hen")
    before = retrievers.get("bm25").index(texts).search(["hen", "fox"])[1]
    assert np.array_equal(retrievers.get("links").index(texts).search(["hen", "fox"])[1], before)


@pytest.mark.parametrize("question", ["hen", "zyxwvu", "is it", ""])
def test_equal_chunks_tie(question):
    index = retrievers.get("links").index(labelled(*[("Hen", "The Hen is it.")] * 5))
    assert index.scores([question]).tolist() == [[0] * 5]
    assert index.search([question])[1].tolist() == [[0, 1, 2, 3, 4]]


def test_one_chunk_is_found():
    assert retrievers.get("links").index(labelled(("Hen", "Hen"))).search(["hen"])[1].tolist() == [[0]]


def test_centroid_scores_are_passed_on_too():
    index = retrievers.get("links", named=5.0).index(labelled(*PASSAGES))
    before = retrievers.get("bm25").index(labelled(*PASSAGES)).centroid_scores()
    scores = index.centroid_scores()
    assert scores.shape == (5,) and not np.allclose(scores, standardized(before[None])[0])


def test_twenty_thousand_chunks_need_no_table_of_all_pairs():
    import tracemalloc

    chunks = labelled(*((f"Hen {n % 10_000}", f"Next is Hen {(n + 1) % 10_000} of the Farm") for n in range(20_000)))
    index = retrievers.get("links").index(chunks)
    tracemalloc.start()
    _, ids = index.search(["Where is hen 77?"], 4)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert {77, 10_077} <= set(ids[0].tolist()) and peak < 20_000_000


def test_it_can_be_made_from_its_description():
    retriever = retrievers.get("links:{bm25:heading=true},named=1")
    assert retriever.retriever.heading and retrievers.get(describe(retriever)) == retriever


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("links:bm25,top=0", "links: top must be at least 1"),
        ("links:bm25,named=-1", "links: named must be a number"),
        ("links:bm52", "did you mean bm25"),
    ],
)
def test_wrong_fields_are_refused(spec, message):
    with pytest.raises(UserError, match=message):
        retrievers.get(spec)


CHAIN = [
    ("Jaws (film)", "A thriller made by Steven Hill."),
    ("Steven Hill", "He was taught by Otto Brahm."),
    ("Otto Brahm", "He was born in Hamburg."),
    ("Rain", "It rained in Spain."),
    ("Oak", "It is a tree."),
    ("Elm", "So is it."),
]


def test_a_second_hop_goes_on_from_the_chunks_that_the_first_reached():
    index = {hops: retrievers.get("links", hops=hops, top=2).index(labelled(*CHAIN)) for hops in (1, 2)}
    scores = {hops: each.scores(["thriller"])[0] for hops, each in index.items()}
    assert scores[1][1] == pytest.approx(scores[2][1])
    assert scores[1][2] == pytest.approx(scores[1][3])  # not reached
    assert scores[2][2] == pytest.approx(scores[2][3] + 0.5 * scores[1][1])


def test_names_link_chunks_without_titles_and_the_remaining_words_of_the_question_count(chunks):
    texts = chunks("Anna sang at the old mill.", "Anna sang.", "Anna was born.", "It rained.", "It snowed.", "Rust.")
    question = "Who sang at the old mill, and was born?"
    specs = (f"links:bm25,top=1,names={names}" for names in (0, 0.5))
    before, after = (retrievers.get(spec).index(texts).scores([question])[0] for spec in specs)
    best, born = float(before[0]), 1 / 4  # of "sang", "old", "mill", "born" one is left
    assert (after - before).tolist() == pytest.approx([0, 0.25 * best, 0.25 * (best + 3 * born), 0, 0, 0])


def test_the_clauses_of_a_question_count_by_themselves(chunks):
    texts = chunks("the mill by the river and by the town", "born", "the mill", "rain", "snow")
    question = "Who was born, and where is the mill by the river and by the town?"
    scores = {weight: retrievers.get("links:bm25", clauses=weight).index(texts).scores([question])[0]
              for weight in (0, 2)}  # fmt: skip
    before, after = (row[1] - row[3] for row in scores.values())
    assert after > before > 0


def test_a_question_is_split_at_commas_and_words_that_begin_a_clause():
    question = "Who is the wife of the man that wrote Jaws, the film?"
    assert clauses_of(question) == ["is the wife", "wrote Jaws", "the film?"]  # one word is no clause
    assert clauses_of("Who wrote Jaws?") == []
    assert clauses_of("") == []
    assert clauses_of("so it goes, " * 1000) == ["so it goes"] * 8


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("links:hops=0", "hops must be 1 to 3, got 0"),
        ("links:hops=4", "hops must be 1 to 3, got 4"),
        ("links:names=1.5", "names must be a number from 0 to 1, got 1.5"),
        ("links:clauses=-1", "clauses must be a number of at least 0, got -1"),
    ],
)
def test_hops_and_weights_have_limits(spec, message):
    with pytest.raises(UserError, match=message):
        retrievers.get(spec)


TEXTS = ["Anna met Ben in Oslo.", "Ben left.", "In Oslo it rained, said Anna.", "Ömer saw it.", "Who is Ömer?"]


@pytest.fixture
def name_links(chunks):
    return NameLinks(chunks(*TEXTS))


def test_chunks_are_linked_by_shared_names_and_more_by_rarer_ones(name_links):
    assert name_links.linked(0, frozenset()).tolist() == pytest.approx([0, 0.5, 1, 0, 0])  # Ben; Anna and Oslo
    assert name_links.linked(1, frozenset()).tolist() == pytest.approx([1, 0, 0, 0, 0])


def test_names_of_the_question_link_nothing(name_links):
    words = name_links.question_words("What did Anna do in Oslo?")
    assert name_links.linked(0, words).tolist() == [0, 1, 0, 0, 0]


def test_names_of_any_script_with_capitals_link(name_links):
    assert name_links.linked(3, frozenset()).tolist() == [0, 0, 0, 0, 1]


def test_shared_words_of_the_question_weigh_more_the_rarer_they_are(name_links):
    words = name_links.question_words("Where did it rain, said Ben?")
    assert [sorted(shared) for shared in name_links.shared_words(words)][1:3] == [["ben"], ["rain", "said"]]
    weights = name_links.word_shares(frozenset(["ben", "rain"]))
    assert 0 < weights[1] < weights[2] < 1
    assert weights[3] == 0


def test_a_chunk_without_names_is_linked_to_nothing(chunks):
    assert NameLinks(chunks("it rains", "it snows")).linked(0, frozenset()).tolist() == [0, 0]
