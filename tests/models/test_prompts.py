"""Prompts made of parts: their text, and the turns of a conversation."""

from dataclasses import replace

from models.prompts import Part, Prompt

PARTS = (Part("document", "A mill."), Part("text", "\n\n"), Part("query", "Whose?"))


def test_a_prefill_is_the_assistant_s_turn_and_the_end_of_the_text() -> None:
    prompt = Prompt((*PARTS, Part("prefill", "\n\nAnswer: <answer>")))
    assert prompt.text == "A mill.\n\nWhose?\n\nAnswer: <answer>"
    assert prompt.turns == ("A mill.\n\nWhose?", "Answer: <answer>")


def test_without_a_prefill_everything_is_the_user_s_turn() -> None:
    assert Prompt(PARTS).turns == ("A mill.\n\nWhose?", "")
    assert Prompt((*PARTS[:2], Part("prefill", "Share: <share>"))).turns == ("A mill.\n\n", "Share: <share>")


FIRST = Part("document", "It grinds.", 9, 19, title="Mills", heading=(0, 5))
SECOND = Part("document", "It stands.", 30, 40, title="Mills", heading=(0, 5), gap=True)
TITLED = Prompt((Part("text", "Read:\n"), FIRST, SECOND, Part("text", "\n\n"), Part("query", "Whose?")))


def test_a_heading_is_shown_with_the_first_part_below_it_and_a_gap_is_marked() -> None:
    assert TITLED.text == "Read:\nMills\nIt grinds.\n[...]\nIt stands.\n\nWhose?"
    assert TITLED.openings == ("", "Mills\n", "[...]\n", "", "")
    assert TITLED.spans == [(0, 5), (9, 19), (30, 40)]


def test_positions_of_the_query_count_headings_and_marks_of_gaps() -> None:
    ((start, end),) = TITLED.query_spans
    assert TITLED.text[start:end] == "Whose?"


def test_titled_passages_have_headings_and_no_marks_of_gaps() -> None:
    assert [part.text for part in TITLED.titled_passages] == ["Mills\nIt grinds.", "It stands."]


def test_a_heading_stays_with_the_passage_that_is_left_below_it() -> None:
    cut = TITLED.with_passages((replace(FIRST, text=""), SECOND))
    assert cut.text == "Read:\nMills\nIt stands.\n\nWhose?"
    assert cut.spans == [(0, 5), (30, 40)]


def test_a_shortened_passage_is_marked_where_the_prompt_marks_gaps() -> None:
    first, second = Part("document", "It grinds.", 0, 10, gap=False), Part("document", "It stands.", 11, 21, gap=False)
    for gap, text in ((False, "It\n[...]\nIt stands."), (None, "It\nIt stands.")):
        parts = replace(first, gap=gap), replace(second, gap=gap)
        assert Prompt(parts).text == "It grinds.\nIt stands."
        assert Prompt(parts).with_passages((replace(parts[0], text="It"), parts[1])).text == text


def test_a_label_stands_on_a_line_of_its_own_or_before_its_part() -> None:
    parts = (Part("document", "Anna woke.", label="One:"), Part("document", "Bert slept.", label="Two: ", label_end=""))
    prompt = Prompt(parts)
    assert prompt.text == "One:\nAnna woke.\nTwo: Bert slept."
    assert [part.text for part in prompt.titled_passages] == ["Anna woke.", "Bert slept."]
    assert [part.shown_label for part in (*parts, Part("document", "x", label_end=" "))] == ["One:\n", "Two: ", ""]
