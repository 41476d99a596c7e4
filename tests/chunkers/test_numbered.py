"""Inner documents below numbered headings."""

from chunkers.numbered import Numbered


def split(text: str) -> list[tuple[str, str | None]]:
    return [(chunk.text, chunk.label) for chunk in Numbered().split(text)]


def test_every_numbered_document_is_a_chunk_with_its_heading() -> None:
    text = "Reviews:\n\nReview 1:\nNice.\n\nReview 2: Bad\nfood.\n"
    assert split(text) == [
        ("Reviews:", None),
        ("Review 1:\nNice.", "Review 1"),
        ("Review 2: Bad\nfood.", "Review 2"),
    ]


def test_only_the_same_word_with_the_next_number_continues() -> None:
    text = "Summary 1:\nAct 1: they meet.\nSummary 3: no.\nSummary 2:\nThe end. Summary 3: is not at a line's start."
    assert [label for _, label in split(text)] == ["Summary 1", "Summary 2"]


def test_numbers_may_begin_with_zero_and_with_nothing_else() -> None:
    assert [label for _, label in split("Paragraph 0: a\nParagraph 1: b")] == ["Paragraph 0", "Paragraph 1"]
    assert split("Review 7: a\nReview 8: b") == [("Review 7: a\nReview 8: b", None)]


def test_a_text_without_headings_is_one_chunk() -> None:
    assert split(" Just text. ") == [("Just text.", None)]
