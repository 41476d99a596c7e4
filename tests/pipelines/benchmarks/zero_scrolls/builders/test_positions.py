"""Words that give away a summary's position are removed by rule, and words that only look like them stay."""

import pytest

from pipelines.benchmarks.zero_scrolls.builders._positions import without_positions
from tests.turns import for_each


@for_each(
    ("kind", "text", "left"),
    [
        ("headings", "Chapter 8: The Storm\nIt rains.", "The Storm\nIt rains."),
        ("headings", "Summary: Chapters 3–5\nHe goes.", "He goes."),
        ("headings", "Scene 1. A room.", "A room."),
        ("openings", "As the play opens, Hippolytus announces war.", "Hippolytus announces war."),
        ("openings", "She left. At the end of the novel, she dies.", "She left. She dies."),
        ("numbers", "Chapter 8 begins with Jane describing it.", "This chapter begins with Jane describing it."),
        ("numbers", "In Chapter 3, she leaves.", "In this chapter, she leaves."),
        ("numbers", "He read in chapters 4-6 and 9 that she left.", "He read in these chapters that she left."),
        ("numbers", "Act I, Scene 2 shows him.", "This act shows him."),
        ("numbers", "Most of it ends (Book IV).", "Most of it ends (this book)."),
        ("numbers", "The Chapter 7 storm is over.", "This chapter storm is over."),
        ("numbers", "Part Two begins.", "This part begins."),
        ("ordinals", "We know from the first two chapters that he ran.", "We know from these chapters that he ran."),
        ("ordinals", "In the final chapter, he dies.", "In this chapter, he dies."),
        ("ordinals", "In this opening chapter, we meet her.", "In this chapter, we meet her."),
        ("ordinals", "It is the play's final scene.", "It is the play's scene."),
        ("ordinals", "The second part of this novel was late.", "This part of this novel was late."),
        ("headings", "Epilogue\nIn 1807, she calls.", "In 1807, she calls."),
        ("neighbours", "As in the previous chapter, it rains.", "As in another chapter, it rains."),
        ("neighbours", "The next few chapters tell why.", "Other chapters tell why."),
        ("wholes", "The novel opens with rain.", "This part opens with rain."),
    ],
)
def test_a_position_is_removed_and_counted(kind: str, text: str, left: str) -> None:
    assert without_positions(text) == (left, {kind: 1})


@pytest.mark.parametrize(
    "text",
    [
        "This chapter is long.",
        "On the part of one man.",
        "The book I read was good.",
        "He had two parts to play, and earlier acts of madness.",
        "She is able to act on 5 May.",
        "An act that ends.",
        "His first act was to cover it, and the first part of his plan was done.",
        "For the most part, one chapter of her life is over.",
        "",
    ],
)
def test_words_that_tell_no_position_stay(text: str) -> None:
    assert without_positions(text) == (text, {})


def test_summaries_that_are_cleaned_stay_as_they_are() -> None:
    once, _ = without_positions("In Chapter 3, as in the previous chapter, he waits. The story ends.")
    assert without_positions(once) == (once, {})
