"""Excerpts of long passages."""

from pipelines.plugins.ask.excerpts import quoted


def test_the_excerpt_is_where_the_question_s_words_are_even_with_vowel_marks():
    text = "البيت كبير. " * 60 + "كَتَبَ المُدَرِّسُ رِسَالَةً. " + "الولد صغير. " * 60
    ((excerpt, is_answer),) = list(quoted(text, None, "كتب المدرس رسالة", full=False))[:1]
    assert "كَتَبَ المُدَرِّسُ رِسَالَةً" in excerpt and not is_answer
