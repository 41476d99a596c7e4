from longdoc.words import terms
from retrievers.shared import titles
from retrievers.shared.titles import Titles
from tests.labelled_chunks import labelled
from tests.turns import for_each


def mentions_of(*pairs):
    titles = Titles(labelled(*pairs))
    return (titles.mentions @ titles.titled.T).toarray().tolist()


def test_a_chunk_mentions_the_titles_of_others_but_not_its_own():
    mentions = mentions_of(
        ("Ed Wood", "Ed Wood met Bela Lugosi."), ("Bela Lugosi", "He met Wood."), ("Ed Wood", "It rained.")
    )
    assert mentions == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_chunks_under_equal_titles_are_mentioned_together():
    mentions = mentions_of(("Australia", "A land."), ("Perth", "It lies in\nAustralia."), ("Australia", "States."))
    assert mentions[1] == [1, 0, 1]


@for_each(
    ("title", "text", "is_mentioned"),
    [
        ("Ed Wood (film)", "He saw Ed Wood.", True),
        ("Films > Ed Wood", "He saw Ed Wood.", True),
        ("Ed Wood", "He saw Ed\n Wood.", True),
        ("Ed Wood", "He saw Ed Woods.", False),
        ("Results", "The results were good.", False),
        ("Results", "See Results below.", True),
        ("ED WOOD", "He saw Ed Wood.", True),
        ("It", "It rained.", False),
        ("The Who", "The Who sang.", True),
        ("The Who", "They are the who.", False),
        ("A", "A rose.", False),
        ("?", "What?", False),
        ("", "He saw Ed Wood.", False),
        (None, "He saw Ed Wood.", False),
        ("(film)", "A film.", False),
        ("東京都", "私は東京都に住む", True),
        ("東京都", "私は京都に住む", False),
        ("Ŭ\u0306 Straße", "In der Ŭ\u0306 Straße.", True),
    ],
)
def test_a_text_mentions_a_title_in_whole_words_with_capitals(title, text, is_mentioned):
    assert mentions_of((title, "x"), ("Other", text))[1][0] == is_mentioned


def test_queries_mention_titles_in_any_case_except_titles_of_stop_words():
    titles = Titles(labelled(("Ed Wood (film)", "x"), ("Results", "y"), (None, "z"), ("It", "w"), ("The Who", "v")))
    queries = ["who made ed wood?", "What are the results of It?", "", "Is The Who a band?", "Are they the who?"]
    assert titles.mentioned_by(queries).argmax(axis=1).tolist() == [0, 1, 0, 4, 0]
    assert titles.mentioned_by(queries).sum(axis=1).tolist() == [1, 1, 0, 1, 0]


def test_no_chunks_have_no_titles():
    assert Titles([]).mentioned_by(["x"]).shape == (1, 0)
    assert Titles(labelled((None, "x"))).mentions.shape == (1, 0)


def test_only_chunks_with_the_rarest_word_of_a_title_are_cut_into_words(monkeypatch):
    cut_texts = []
    monkeypatch.setattr(titles, "terms", lambda text: cut_texts.append(text) or terms(text))
    days = [("The Plan", "The day went by, in the end.")] * 50
    pairs = [("The Plan", "He met Ed Wood."), ("Ed Wood (film)", "The Plan failed, the plan."), *days]
    links = Titles(labelled(*pairs))
    assert cut_texts == ["The Plan", "Ed Wood", "He met Ed Wood.", "The Plan failed, the plan."]
    assert links.mentions.toarray().tolist() == [[0, 1], [1, 0], *[[0, 0]] * 50]
