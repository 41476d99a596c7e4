from pipelines.plugins.ask.absent_words import absent_words

TEXTS = (
    ("The policies of 1,250.00 euros are kept. See clause 7 and 3.", "english"),
    ("Café ROOF; popitems(3)", "english"),
    ("海里", "english"),
    ("Die Verträge enden im Mai.", "german"),
)


def test_names_numbers_and_long_words_that_no_text_has_are_named_as_the_question_writes_them() -> None:
    cases: tuple[tuple[str, list[str]], ...] = (
        ("What does PopItem return?", []),
        ("What does setdefault say?", ["setdefault"]),
        ("Which policy has a roof?", []),
        ("Is the Attic roof's policy kept?", ["Attic"]),
        ("What says clause 7.3 or 12(4)?", ["7.3", "12(4)"]),
        ("Is it 1,250.00 or 250 or 125?", ["125"]),
        ("Who's in the cafe? Don't they can't?", []),
        ("Does the document mention what happened?", []),
        ("Anna bought a goat of Berta.", ["Berta"]),
        ("Wann endet der Vertrag?", []),
        ("海里 海中 the", []),
        ("", []),
    )
    for question, absent in cases:
        assert absent_words(question, TEXTS) == absent, question


def test_each_absent_word_of_a_query_without_function_words_is_named() -> None:
    assert absent_words("policy goat", TEXTS) == ["goat"]
    assert absent_words("Who has a goat?", TEXTS) == []


def test_part_of_a_longer_word_is_not_the_word() -> None:
    assert absent_words("art", [("The cart of a party is smart.", "english")]) == ["art"]
    assert absent_words("art", [("The cart.", "english"), ("an art", "english")]) == []
