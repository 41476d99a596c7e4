import string

from pipelines.metrics.shared.words import mean, normalize, words


def test_words_are_lower_cased_runs_of_letters_digits_and_underscores() -> None:
    assert words("Ça va? No: 42, x_1 it's") == ["ça", "va", "no", "42", "x_1", "it", "s"]


def test_the_normal_form_drops_case_punctuation_articles_and_white_space() -> None:
    assert normalize("  The  Cat, a dog\tand AN owl! ") == "cat dog and owl"


def test_punctuation_goes_before_articles_do() -> None:
    assert normalize("the-end of U.S.A. (a)") == "theend of usa"


def test_every_ascii_punctuation_mark_goes() -> None:
    assert normalize(" ".join(f"x{mark}y" for mark in string.punctuation)) == " ".join(["xy"] * 32)


def test_only_ascii_punctuation_goes() -> None:
    assert normalize("“Go” — now") == "“go” — now"


def test_an_article_inside_a_word_stays() -> None:
    assert normalize("another theatre banana") == "another theatre banana"


def test_a_text_may_normalize_to_nothing() -> None:
    assert normalize("The ... a?") == ""


def test_the_mean_does_not_depend_on_the_order_of_rows() -> None:
    values = [1e16, 1.0, -1e16, 3.0]
    assert mean([{"x": value} for value in values], "x") == mean([{"x": value} for value in sorted(values)], "x")
    assert mean([{"x": value} for value in values], "x") == {"x": 1.0}


def test_no_rows_have_no_mean() -> None:
    assert mean([], "x") == {}
