"""The fewest tokens that an honest server can count, for texts of many kinds."""

import pytest

from models.apis.accounting.token_estimate import TOKENS, estimates, fewest_tokens, sent_prompt
from tests.turns import for_each


@for_each(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcde", 2),
        ("The quick brown fox", 5),  # 19 characters at 0.25
        ("Füße", 5),  # 2 at 0.25, 2 at 2
        ("мельница", 6),  # 8 at 0.65
        ("ανεμόμυλος", 11),  # 10 at 1.1
        ("טחנת רוח", 9),  # 7 at 1.2, a space
        ("طاحونة هواء", 12),  # 10 at 1.15, a space
        ("पवनचक्की", 10),  # 8 at 1.25
        ("বায়ুকল", 11),  # 7 at 1.45
        ("காற்றாலை", 13),  # 8 at 1.6
        ("กังหันลม", 8),  # 8 at 1
        ("လေရဟတ်", 13),  # 6 at 2.1
        ("ខ្យល់", 15),  # 5 at 3
        ("풍차", 3),  # 2 at 1.05
        ("風車です。", 6),  # 5 at 1.15
        ("መርከብ", 12),  # not measured: 4 letters of 3 bytes
        ("😀", 3),
        ("“—”", 3),
    ],
)
def test_tokens_are_estimated_by_script(text: str, tokens: int) -> None:
    assert estimates([text]) == [tokens]


def test_each_text_is_estimated_by_itself_even_half_a_surrogate_pair() -> None:
    assert estimates(["abcd", "\ud800", "abcd风"]) == [1, 3, 3]


def test_no_character_takes_more_tokens_than_its_bytes() -> None:
    starts = [start for start, _ in TOKENS]
    assert starts == sorted(set(starts))
    for start, hundredths in TOKENS:
        assert 0 < hundredths <= 100 * len(chr(start).encode())


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
def test_no_honest_count_is_below_the_fewest_tokens(text: str, characters_a_token: int) -> None:
    assert fewest_tokens(text) <= len(text) / characters_a_token


def test_a_word_counts_half_a_token_and_eight_characters_without_spaces_one() -> None:
    assert fewest_tokens("one two three four") == 2
    assert fewest_tokens("老磨坊主慢慢地走到河边去了老磨坊" * 2) == 4
    assert fewest_tokens("- - ... one two") == 1


def test_prompts_that_begin_alike_for_4096_characters_have_one_prefix() -> None:
    book = ENGLISH * 100
    assert sent_prompt(f"{book} Who?", 10).prefix == sent_prompt(f"{book} Where?", 11).prefix
    assert sent_prompt(f"Who? {book}", 10).prefix != sent_prompt(f"Where? {book}", 11).prefix
