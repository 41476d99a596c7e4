import pytest

from pipelines.answers.sentences import LONG, sentence_spans


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Bees hum. Ships sail.", ["Bees hum.", "Ships sail."]),
        ("Bees hum all day. The keeper\nof the bees is Anna. Ships\nsail.",
         ["Bees hum all day.", "The keeper\nof the bees is Anna.", "Ships\nsail."]),
        ("Carl Mond\nHe was born in Turin, and lived there.", ["Carl Mond", "He was born in Turin, and lived there."]),
        ("Rent: 900\nEnd: May\nPets: with consent of all", ["Rent: 900", "End: May", "Pets: with consent of all"]),
        ("# Lisbon\n\nThe room is\n\nsmall.", ["The room is", "small."]),
        ("# Lisbon", ["# Lisbon"]),
        ("Er kam am 1. Mai 2024. Am 3. Die Miete stieg.", ["Er kam am 1. Mai 2024.", "Am 3.", "Die Miete stieg."]),
        ("今天天气很好。船长来了。", ["今天天气很好。", "船长来了。"]),
        (" \n ", []),
        ("", []),
    ],
)  # fmt: skip
def test_sentences_end_at_blank_lines_and_at_line_breaks_that_are_no_wrapping(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


def test_a_very_long_sentence_is_split_at_the_full_stops_inside() -> None:
    speech = " ".join(f"We said number {number}." for number in range(LONG))
    spans = sentence_spans(f"\u201c{speech}\u201d he said.")
    assert len(spans) > 50
