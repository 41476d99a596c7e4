import pytest

from retrievers.shared.name_links import NameLinks

TEXTS = ["Anna met Ben in Oslo.", "Ben left.", "In Oslo it rained, said Anna.", "Ömer saw it.", "Who is Ömer?"]


@pytest.fixture
def links(chunks):
    return NameLinks(chunks(*TEXTS))


def test_chunks_are_linked_by_the_names_they_share_the_rarer_ones_more_closely(links):
    assert links.linked(0, frozenset()).tolist() == pytest.approx([0, 0.5, 1, 0, 0])  # Ben; Anna and Oslo
    assert links.linked(1, frozenset()).tolist() == pytest.approx([1, 0, 0, 0, 0])


def test_names_of_the_question_link_nothing(links):
    words = links.question_words("What did Anna do in Oslo?")
    assert links.linked(0, words).tolist() == [0, 1, 0, 0, 0]


def test_names_of_any_script_with_capitals_link(links):
    assert links.linked(3, frozenset()).tolist() == [0, 0, 0, 0, 1]


def test_words_of_a_question_are_looked_for_the_rarer_weighing_more(links):
    words = links.question_words("Where did it rain, said Ben?")
    assert [sorted(shared) for shared in links.shared_words(words)][1:3] == [["ben"], ["rain", "said"]]
    weights = links.weighed_words(frozenset(["ben", "rain"]))
    assert 0 < weights[1] < weights[2] < 1
    assert weights[3] == 0


def test_a_chunk_without_names_is_linked_to_nothing(chunks):
    assert NameLinks(chunks("it rains", "it snows")).linked(0, frozenset()).tolist() == [0, 0]
