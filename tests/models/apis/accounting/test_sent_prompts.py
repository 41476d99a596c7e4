"""The fewest tokens that an honest server can count, for texts of many kinds."""

import pytest

from models.apis.accounting.sent_prompts import fewest_tokens, sent_prompt

ENGLISH = "the old miller walked slowly down to the river. "


@pytest.mark.parametrize(
    ("text", "characters_a_token"),
    [
        (ENGLISH * 50, 8),  # letters a token: more than any vocabulary of today has in prose
        ("internationalization responsibilities " * 50, 12),
        ("老磨坊主慢慢地走到河边。" * 50, 3),
        ("ผู้เฒ่าเดินช้าๆลงไปที่แม่น้ำ " * 50, 6),
        ("1234567890 " * 50, 6),
        ("    " * 20 + "if x:\n" + "\t" * 30 + "return\n" * 3, 60),  # white space in one token
        ("." * 5_000 + "-" * 5_000, 64),  # lines of signs
        ("ACGT" * 5_000, 8),  # no spaces at all
        ("", 1),
    ],
)
def test_no_honest_count_is_below_it(text: str, characters_a_token: int) -> None:
    assert fewest_tokens(text) <= len(text) / characters_a_token


def test_a_word_counts_half_a_token_and_eight_characters_without_spaces_one() -> None:
    assert fewest_tokens("one two three four") == 2
    assert fewest_tokens("老磨坊主慢慢地走到河边去了老磨坊" * 2) == 4
    assert fewest_tokens("- - ... one two") == 1


def test_prompts_that_begin_alike_for_4096_characters_have_one_prefix() -> None:
    book = ENGLISH * 100
    assert sent_prompt(f"{book} Who?", 10).prefix == sent_prompt(f"{book} Where?", 11).prefix
    assert sent_prompt(f"Who? {book}", 10).prefix != sent_prompt(f"Where? {book}", 11).prefix
