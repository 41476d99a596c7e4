"""Servers that cut prompts and do not say so are noticed; honest ones of any vocabulary are not."""

import random
from collections.abc import Callable, Iterable

import pytest

from models.apis.accounting.token_estimate import estimates, sent_prompt
from models.requests import Reply
from pipelines.engine.inference.unread_prompts import UnreadPrompts

Count = Callable[[str], int]


def english(words: int, seed: int = 0) -> str:
    draw = random.Random(seed)
    return " ".join("".join(draw.choices("abcdefghij", k=draw.randint(2, 9))) for _ in range(words))


def reply(text: str, tokens_in: int, cached: int = 0) -> Reply:
    return Reply("x", tokens_in, 1, cached_tokens=cached, sent=sent_prompt(text, estimates([text])[0]))


def unread(replies: Iterable[Reply]) -> tuple[int, int, int]:
    prompts = UnreadPrompts()
    for each_reply in replies:
        prompts.add(each_reply)
    cut = prompts.unread
    return cut.requests, cut.sent, cut.read


def prose(text: str) -> int:
    return len(text) // 4 + 12


HONEST = {
    "prose, four letters a token": (lambda n: english(300 * (n + 1), n), prose),
    "prose, eight letters a token": (lambda n: english(300 * (n + 1), n), lambda text: len(text) // 8),
    "Chinese, two characters a token": (
        lambda n: "老磨坊主慢慢地走到河边" * (60 * (n + 1)),
        lambda text: len(text) // 2,
    ),
    "digits, each a token": (lambda n: "31415926535 " * (100 * (n + 1)), len),
    "indented code": (
        lambda n: ("        " * 6 + "return x\n") * (150 * (n + 1)),
        lambda text: 3 * text.count("\n"),
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_server_is_not_accused(name: str) -> None:
    make, count = HONEST[name]
    assert unread(reply(text, count(text)) for text in map(make, range(20))) == (0, 0, 0)


def test_texts_of_all_these_kinds_in_one_run_accuse_no_server() -> None:
    texts = [(make(n), count) for n in range(12) for make, count in HONEST.values()]
    assert unread(reply(text, count(text)) for text, count in texts) == (0, 0, 0)


def test_prompts_cut_here_to_one_limit_accuse_no_server() -> None:
    """With the model's own tokenizer the counts are equal, here as there; with estimates they differ on both sides."""
    replies = [Reply("x", 4_000 + n % 3, 1, sent=sent_prompt(english(3_000, n), 4_000)) for n in range(10)]
    assert unread(replies) == (0, 0, 0)


def table(rows: int, seed: int) -> str:
    draw = random.Random(seed)
    return "\n".join("\t".join(f"{draw.random():.4f}" for _ in range(6)) for _ in range(rows))


def test_rows_of_prose_and_tables_cut_to_one_number_of_tokens_accuse_no_server() -> None:
    """Four letters of prose are a token, two of a table; questions stand before, of 8 to 40 tokens."""
    draw = random.Random(1)
    rows = [(english(6_400, n), 4) if n % 2 else (table(480, n), 2) for n in range(60)]
    prompts = [(f"{draw.random()} {text[: 8_000 * letters]}", draw.randint(8, 40)) for text, letters in rows]
    assert unread(reply(text, 8_000 + question) for text, question in prompts) == (0, 0, 0)


def test_many_prompts_of_about_one_length_accuse_no_server() -> None:
    """Some of 300 share the highest count by chance, to a few tokens, and these are of several kinds."""
    draw = random.Random(2)
    texts = [(english(1_400, n), 4) if n % 2 else (table(100, n), 2) for n in range(300)]
    replies = [reply(text, 2_000 + draw.randint(-150, 0)) for text, _ in texts]
    assert unread(replies) == (0, 0, 0)


def test_a_book_that_an_earlier_run_had_the_server_read_accuses_no_server() -> None:
    """The first request is not in this run's log, so every count covers only the text after the book."""
    books = [english(words, words) for words in (8_000, 12_000, 20_000, 30_000)]
    replies = [reply(f"{book} Who came? {n}", 20 + n) for book in books for n in range(5)]
    assert unread(replies) == (0, 0, 0)


def test_prompts_that_are_all_a_little_over_a_window_are_noticed() -> None:
    """Stories of 5,600 to 9,700 tokens behind a server with 4,096."""
    texts = [english(4_000 + 280 * n, n) for n in range(10)]
    assert unread(reply(text, 4_096) for text in texts)[0] >= 3


def test_a_small_part_of_a_long_prompt_is_cut() -> None:
    text = english(80_000)
    assert unread([reply(text, 6_000)]) == (1, estimates([text])[0], 6_000)


def test_equal_counts_for_prompts_of_different_lengths_are_a_window() -> None:
    """4,096 of 5,000 to 9,000 tokens are above the fewest that these texts can have."""
    texts = [english(n, n) for n in (3_400, 4_000, 4_800, 6_000)]
    short = [english(n, n) for n in (300, 400, 500, 600)]
    replies = [reply(text, min(prose(text), 4_096)) for text in (*texts, *short)]
    assert unread(replies)[0] == 4
    assert unread(reversed(replies)) == unread(replies)


def test_a_server_that_cuts_long_prompts_alone_or_only_sometimes_is_noticed() -> None:
    texts = [english(400 + 40 * n, n) for n in range(20)]
    long = [english(40_000, 100 + n) for n in range(4)]
    replies = [reply(text, prose(text)) for text in texts]
    long_replies = [reply(text, 8_192 if n % 2 else prose(text)) for n, text in enumerate(long)]
    assert unread([*replies, *long_replies])[0] == 2


def test_a_limit_below_other_counts_is_noticed() -> None:
    """A window of 4,096 at one of several servers behind an address: prompts of 5,000 to 6,000 tokens."""
    texts = [english(300 + 110 * n, n) for n in range(40)]
    replies = [reply(text, min(prose(text), 4_096) if n % 3 == 0 else prose(text)) for n, text in enumerate(texts)]
    assert unread(replies)[0] >= 3


def test_tokens_that_a_server_had_kept_and_left_out_are_not_missing() -> None:
    """Ollama counts only the new tokens of further questions about a book."""
    book = english(20_000)
    replies = [reply(f"{book} Who came? {n}", prose(book) if n == 0 else 20) for n in range(5)]
    assert unread(replies) == (0, 0, 0)
    assert unread(reversed(replies)) == (0, 0, 0)


def test_short_prompts_and_counts_of_zero_accuse_no_server() -> None:
    assert unread([reply("one two three", 1), reply(english(5_000), 0)]) == (0, 0, 0)
