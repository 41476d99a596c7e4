from pipelines.answers.absent_words import absent_words

TEXTS = ("The policies of 1,250.00 euros are kept. See clause 7 and 3.", "Café ROOF; popitems(3)", "海里")


def test_words_that_no_text_has_are_named_as_the_question_writes_them() -> None:
    cases: tuple[tuple[str, list[str]], ...] = (
        ("What does PopItem return?", ["return"]),
        ("Which policy has a roof?", []),
        ("Is the Attic roof's policy kept?", ["Attic"]),
        ("What says clause 7.3 or 12(4)?", ["says", "7.3", "12(4)"]),
        ("1,250.00 or 250 or 125?", ["125"]),
        ("Who's in the café? Don't they can't?", []),
        ("海里 海中 the", []),
        ("", []),
    )
    for question, absent in cases:
        assert absent_words(question, TEXTS) == absent, question


def test_part_of_a_longer_word_is_not_the_word() -> None:
    assert absent_words("Is there an art?", ["The cart of a party is smart."]) == ["art"]
    assert absent_words("art", ["The cart.", "an art"]) == []
