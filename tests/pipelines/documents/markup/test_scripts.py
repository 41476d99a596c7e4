"""Raised and lowered words in plain text: numbers never run together, and read as a person reads them."""

from pipelines.documents.markup.writer import Writer


def text_of(*parts: str) -> str:
    """The text of parts one after another; ^ begins a raised part, _ a lowered one, ! the mark of a note."""
    writer = Writer()
    for part in parts:
        if part[0] == "^":
            writer.raised(part[1:])
        elif part[0] == "_":
            writer.lowered(part[1:])
        elif part[0] == "!":
            writer.raised(part[1:], is_note=True)
        else:
            writer.words(part)
    return writer.text


def test_powers_of_ten_units_and_letters_have_exponents() -> None:
    for parts, text in (
        (("held 10", "^6", " cells"), "held 10^6 cells"),
        (("12 m", "^2", " of"), "12 m^2 of"),
        (("x", "^2", "y", "^3"), "x^2y^3"),
        (("10", "^−3"), "10^−3"),
        (("2", "^n+1"), "2^(n+1)"),
        (("2", "^n"), "2^n"),
        (("(a+b)", "^2"), "(a+b)^2"),
        (("10", "^6", "5 more"), "10^6 5 more"),
        (("Ca", "^2+", " ions"), "Ca^2+ ions"),
        (("9 sec", "^2"), "9 sec^2"),
    ):
        assert text_of(*parts) == text


def test_years_words_and_ends_of_sentences_have_notes() -> None:
    for parts, text in (
        (("closed in 1998", "^3", " after"), "closed in 1998[3] after"),
        (("the word", "^4", " is"), "the word[4] is"),
        (("It ended.", "^12"), "It ended.[12]"),
        (("the word", "^2,3"), "the word[2,3]"),
        (("Jones", "^2,*"), "Jones[2,*]"),
        (("Table 3", "^a"), "Table 3[a]"),
        (("a sum of 410", "^a"), "a sum of 410[a]"),
        (("12", "!7", " more"), "12[7] more"),
        (("as shown", "^[5]"), "as shown[5]"),
        (("^3", "A note"), "[3] A note"),
        (("word", "^*"), "word*"),
    ):
        assert text_of(*parts) == text


def test_ordinals_and_short_forms_are_words() -> None:
    for parts, text in (
        (("5", "^th", " of May"), "5th of May"),
        (("n", "^o", " 4"), "no 4"),
        (("M", "^me", " Curie"), "Mme Curie"),
        (("le 2", "^e"), "le 2e"),
    ):
        assert text_of(*parts) == text


def test_fractions_of_raised_and_lowered_figures_are_whole() -> None:
    assert text_of("holds 2", "^1", "⁄", "_2", " litres") == "holds 2 1⁄2 litres"
    assert text_of("^3", "/", "_4", " cups") == "3/4 cups"
    assert text_of("10", "^3", "/", "_4", " inch") == "10 3/4 inch"


def test_a_slash_behind_an_exponent_is_a_unit_s() -> None:
    assert text_of("5 m", "^3", "/s") == "5 m^3/s"
    assert text_of("10", "^3", "/", "s") == "10^3/s"
    assert text_of("10", "^3", "/") == "10^3/"


def test_lowered_figures_count_atoms_or_are_an_index() -> None:
    for parts, text in (
        (("H", "_2", "O"), "H2O"),
        (("C", "_6", "H", "_12", "O", "_6"), "C6H12O6"),
        (("SO", "_4", "^2−"), "SO4^2−"),
        (("log", "_2", "8"), "log_2 8"),
        (("x", "_i"), "x_i"),
        (("1010", "_2"), "1010_2"),
        (("PM", "_2.5"), "PM2.5"),
        (("^14", "C"), "^14C"),
    ):
        assert text_of(*parts) == text


def test_asking_for_the_place_does_not_write_pending_words() -> None:
    writer = Writer()
    writer.words("10")
    writer.raised("6")
    assert writer.next == 2
    writer.words("5")
    assert (writer.text, writer.length) == ("10^6 5", 6)


def test_long_raised_words_are_a_remark() -> None:
    remark = "a remark that somebody wrote above the line"
    assert text_of("word", f"^{remark}", ".") == f"word {remark} ."
