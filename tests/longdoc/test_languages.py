"""The language of a text, and the stems and stop words of each language."""

import unicodedata

from longdoc.languages import (
    LETTERS,
    STOP_WORDS,
    language_of,
    own_language,
    stemmers,
    stems,
    stop_words,
    without_accents,
)


def test_the_language_of_a_text_is_recognized_by_its_stop_words_and_letters() -> None:
    cases = (
        ("The die is on the table, and so is the cup.", "english"),
        ("Die Miete ist am Ersten fällig.", "german"),
        ("Le loyer est payé par les voisins.", "french"),
        ("Czynsz wynosi dziewięćset złotych miesięcznie.", "polish"),
        ("Sözleşme 2031 yılının mayıs ayında biter.", "turkish"),
        ("Арендная плата и залог: это не то, что было.", "russian"),
        ("die, die, die", "english"),  # one word is not enough
        ("Jiří Dvořák rents the studio from the city.", "english"),
        ("item,price\nPump,30", "english"),
        ("1234 5678", "english"),
        ("", "english"),
    )
    for text, language in cases:
        assert language_of(text) == language, text


def test_a_word_in_another_script_has_the_usual_language_of_that_script() -> None:
    cases = (
        ("roof", "german", "german"), ("roof", "russian", "english"), ("договор", "english", "russian"),
        ("договор", "ukrainian", "ukrainian"), ("العقد", "english", "arabic"), ("계약", "english", "korean"),
        ("契約", "english", ""), ("7.3", "german", "german"), ("\u0967\u0968", "hindi", ""),
    )  # fmt: skip
    for word, text_language, language in cases:
        assert own_language(word, text_language) == language, word


def test_words_are_compared_by_their_stems_or_n_grams() -> None:
    assert stems(["verträge", "roofs", "договора"], "german") == (["vertrag", "roof", "договор"], {})
    word_stems, n_grams = stems(["паркан", "2031년에", "계약은", "7.3"], "ukrainian")
    assert (word_stems, n_grams) == (["парк", "2031", "계약", "7.3"], {0: ("арка", "ркан"), 1: ("년에",), 2: ("약은",)})
    assert stop_words(["die", "dice", "что"], "german") == {0, 2}
    assert stop_words(["die", "dice", "the"], "english") == {2}


def test_accents_are_removed_from_latin_greek_and_cyrillic_words_only() -> None:
    cases = (
        ("núñez", "nunez"), ("i\u0307stanbul", "istanbul"), ("ışık", "isik"), ("straße", "strasse"), ("łódź", "lodz"),
        ("συμβόλαιο", "συμβολαιο"), ("ёлка", "елка"), ("हिन्दी", "हिन्दी"), ("한국", "한국"), ("ascii", "ascii"),
    )  # fmt: skip
    for word, plain in cases:
        assert without_accents(word) == plain, word


def test_stop_words_are_words_in_the_form_that_rankings_count() -> None:
    assert set(LETTERS) == set(STOP_WORDS) - {"english"}
    for language, words in STOP_WORDS.items():
        assert all(len(word) > 1 or language == "english" for word in words), language
        assert all(word == unicodedata.normalize("NFKC", word).lower() for word in words), language
    assert {"english", "german", "turkish", "arabic"} <= stemmers() and "ukrainian" not in stemmers()
