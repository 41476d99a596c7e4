"""Where a reference stands in passages."""

from models.neural.shared.gold_spans import gold_span, token_span


def test_the_first_occurrence_of_the_first_reference_is_taken() -> None:
    assert gold_span(["the oak", "an oak, an oak"], ["oak"]) == (0, 4, 7)
    assert gold_span(["the oak", "a lamp"], ["lamp", "oak"]) == (1, 2, 6)
    assert gold_span(["the oak"], ["lamp", " oak "]) == (0, 4, 7)


def test_case_is_ignored_only_where_no_reference_occurs_with_it() -> None:
    assert gold_span(["the oak and the Oak"], ["Oak"]) == (0, 16, 19)
    assert gold_span(["the oak", "the OAK"], ["Oak"]) == (0, 4, 7)
    assert gold_span(["the oak and a lamp"], ["Oak", "lamp"]) == (0, 14, 18)


def test_words_are_whole_where_the_script_has_spaces() -> None:
    assert gold_span(["we know the north", "no"], ["no"]) == (1, 0, 2)
    assert gold_span(["in 1999 and 199"], ["199"]) == (0, 12, 15)
    assert gold_span(["(oak), U.S. too"], ["U.S."]) == (0, 7, 11)
    assert gold_span(["他住在北京市"], ["北京"]) == (0, 3, 5)


def test_a_reference_that_does_not_occur_has_no_span() -> None:
    assert gold_span(["the oak"], ["lamp"]) is None
    assert gold_span(["the oak"], ["", "  "]) is None
    assert gold_span([], ["oak"]) is None


def test_the_tokens_of_a_span_are_those_that_share_a_character_with_it() -> None:
    places = [(0, 3), (3, 7), (8, 9), (9, 12)]
    assert token_span(places, 4, 7) == (1, 1)
    assert token_span(places, 4, 9) == (1, 2)
    assert token_span(places, 7, 8) is None
