"""Words of texts in many scripts."""

import re
import unicodedata
from itertools import pairwise

import pytest

from longdoc.characters import normal_form, ranking_form
from longdoc.words import (
    _is_special,
    _word,
    re_pattern,
    spaced,
    terms,
    unspaced,
    word_places,
    word_spans,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop: 42 times", ["don", "t", "stop", "42", "times"]),
        ("snake_case _italic_", ["snake", "case", "italic"]),
        ("Кафе «Ёлка»", ["кафе", "ёлка"]),
        ("हिन्दी में किताब पढ़ना", ["हिन्दी", "में", "किताब", "पढ़ना"]),
        ("বাংলা ভাষা", ["বাংলা", "ভাষা"]),
        ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("机器学习 AI2", ["机", "器", "学", "习", "ai2"]),
        ("データはPython3", ["デ", "ー", "タ", "は", "python3"]),
        ("ไทย ๒๕๖๓", ["ไ", "ท", "ย", "๒๕๖๓"]),
        ("မြန်မာ", ["မြ", "န်", "မာ"]),
        ("co\u00adop x² ½ ﬁne Ａ", ["coop", "x2", "1", "2", "fine", "a"]),
        ("❤\ufe0f \u0301 …", []),
    ],
)
def test_words_are_runs_of_letters_digits_and_their_marks(text, expected):
    assert words(text) == [unicodedata.normalize("NFKC", word) for word in expected]


@pytest.mark.parametrize("text", ["café", "पढ़ना", "가나다", "ガラス", "Ünïcødé"])
def test_words_are_equal_however_their_marks_are_encoded(text):
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))


def test_half_width_kana_equal_full_width_ones():
    assert words("ｶﾞﾗｽ") == words("ガラス") == ["ガ", "ラ", "ス"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain words", ["plain", "words"]),
        ("机器学习", ["机器", "器学", "学习"]),
        ("一 AI。", ["一", "ai"]),
        ("データー", ["デー", "ータ", "ター"]),
        ("မြန်မာ", ["မြန်", "န်မာ"]),
        ("使うPython3を使う", ["使う", "python3", "を使", "使う"]),
    ],
)
def test_rankings_use_pairs_of_letters_where_words_have_no_spaces(text, expected):
    assert terms(text) == expected


POINTED = [
    ("كَتَبَ", "كتب"),  # harakat
    ("مُدَرِّسٌ", "مدرس"),  # shadda, tanwin
    ("كتـــاب", "كتاب"),  # tatweel
    ("هٰذَا", "هذا"),  # the alef above
    ("ٱلرَّحۡمَـٰنِ", "ٱلرحمن"),  # as the Quran is written
    ("\ufe8d\ufedf\ufee4\ufe79\ufeaa", "المد"),  # presentation forms, one with a point of its own
    ("שָׁלוֹם", "שלום"),  # niqqud
    ("\ufb2aל\ufb35ם", "שלום"),  # presentation forms: shin with its dot, vav with a dagesh
    ("בְּרֵאשִׁ֖ית", "בראשית"),  # cantillation
    ("ܫܠܳܡܳܐ", "ܫܠܡܐ"),  # Syriac
]


@pytest.mark.parametrize(("pointed", "bare"), POINTED)
def test_rankings_leave_out_the_points_of_vowels_and_words_keep_them(pointed, bare):
    assert terms(f"x {pointed}, y") == terms(f"x {bare}, y") == ["x", bare, "y"]
    assert words(pointed) == [normal_form(pointed)] != [bare]
    assert [(pointed[start:end], word) for start, end, word in word_spans(pointed)] == [(pointed, words(pointed)[0])]


@pytest.mark.parametrize("word", ["آية", "أحمد", "مسئول", "ي\u0655", "हिन्दी", "ދިވެހި", "می\u200cروم"])
def test_rankings_keep_marks_that_make_another_letter_and_vowels_that_are_always_written(word):
    assert terms(word) == words(word) == [normal_form(word)]


def test_points_alone_are_no_terms():
    assert terms("\u064e ـــ \u05b7") == []


def test_spans_are_positions_in_the_original_text():
    text = "Cafe\u0301, ﬁne ½ 你好"
    spans = [(text[start:end], word) for start, end, word in word_spans(text)]
    assert spans == [("Cafe\u0301", "café"), ("ﬁne", "fine"), ("½", "1"), ("½", "2"), ("你", "你"), ("好", "好")]


@pytest.mark.parametrize("text", ["plain", "naïve café", "cafe\u0301 ﬁn", "中文 and English", "हिन्दी", "ทำน้ำส้ม ຄຳນ້ຳ"])
def test_spans_have_the_words_of_the_text(text):
    assert [word for _, _, word in word_spans(text)] == words(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's a_b, x² 3.", ["It", "s", "a_b", "x²", "3"]),
        ("हिन्दी में किताब", ["हिन्दी", "में", "किताब"]),
        ("「使うPython3を」", ["使", "う", "Python3", "を"]),
        ("ป่า ｶﾞ cafe\u0301 co\u00adop", ["ป่", "า", "ｶﾞ", "cafe\u0301", "co\u00adop"]),
    ],
)
def test_a_pattern_of_re_finds_the_same_words(text, expected):
    assert re.findall(re_pattern(), text) == expected


def test_scripts_without_spaces_are_distinguished_from_others():
    assert [unspaced(text) for text in ("中", "あ", "カ", "ไทย", "ລາວ", "ខ្មែរ", "မြန်မာ")] == [True] * 7
    assert not any(map(unspaced, ("abc", "été", "한국어", "हिन्दी", "42", "")))


def test_the_normal_form_is_lower_case_and_composed():
    assert normal_form("CAFE\u0301") == "café"


@pytest.mark.parametrize("block", [1, 7, 100_000])
def test_word_places_are_the_spans_of_the_chosen_words_with_their_numbers(block, monkeypatch):
    monkeypatch.setattr("longdoc.words._BLOCK", block)
    text = "Cafe\u0301 on the Côte: ½ cup, ﬁne! 你好 and 1 café\u3164 हिन्दी \u3164 the end_of the ＴＥＸＴ"
    spans = [(number, *span) for number, span in enumerate(word_spans(text))]
    all_words = {word for _, _, _, word in spans}
    assert list(word_places(text, all_words)) == spans
    for chosen in ({"café"}, {"2", "the"}, {"1"}, {"好", "text"}, {"absent"}, set()):
        assert list(word_places(text, chosen)) == [span for span in spans if span[3] in chosen]


def test_letters_of_scripts_without_spaces_are_separated_with_their_marks():
    assert spaced("AI机器 ไทย").split() == ["AI", "机", "器", "ไ", "ท", "ย"]
    assert spaced("plain हिन्दी") == "plain हिन्दी"


def test_texts_of_plain_letters_and_digits_have_the_words_that_the_pattern_finds():
    assigned = (char for char in map(chr, range(0x10000)) if unicodedata.category(char) not in ("Cn", "Cs"))
    plain = [char for char in assigned if ranking_form(char) == char and not _is_special(char)]
    text = "".join(f"{a}q{b} " for a, b in pairwise(plain))
    assert len(plain) > 20_000
    assert words(text) == [match[0] for match in _word().finditer(text)] == terms(text)
