import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from models import Part, Prompt, TooLong, truncate
from models.tokenizer import Subwords
from models.truncation import word_ends
from tests.turns import for_each

DOCUMENT = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon"


class Counter:
    """Counts white-space words, and its own calls and characters."""

    def __init__(self) -> None:
        self.calls, self.characters = 0, 0

    def __call__(self, texts: Sequence[str]) -> list[int]:
        self.calls += 1
        self.characters += sum(map(len, texts))
        return [len(text.split()) for text in texts]


def passage(start: int, end: int, rank: int = 0) -> Part:
    """Words start..end of the document."""
    words = DOCUMENT.split()
    at = len(" ".join(words[:start])) + (start > 0)
    text = " ".join(words[start:end])
    return Part("document", text, at, at + len(text), rank)


QUERY, CUE = Part("query", "who came? "), Part("cue", "\nanswer: ")


def test_a_prompt_that_fits_is_the_same_object() -> None:
    prompt = Prompt((QUERY, passage(0, 5), CUE), truncated_tokens=4)
    assert truncate(prompt, 8, Counter()) is prompt
    assert truncate(prompt, None, Counter()) is prompt
    assert truncate(Prompt((QUERY,)), 2, Counter()).parts == (QUERY,)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_lowest_ranked_passage_goes_first_wherever_it_stands(order: tuple[int, ...]) -> None:
    passages = [passage(0, 4, rank=0), passage(4, 8, rank=1), passage(8, 12, rank=2)]
    prompt = Prompt((QUERY, *(passages[i] for i in order), CUE))
    shown = truncate(prompt, 3 + 8, Counter())
    assert shown.passages == tuple(passages[i] for i in order if i < 2)
    assert shown.truncated_tokens == 4
    shown = truncate(prompt, 3 + 6, Counter())
    assert shown.passages == tuple((passages[0], passage(4, 6, rank=1))[i] for i in order if i < 2)
    assert shown.truncated_tokens == 6


def test_passages_of_equal_rank_go_from_the_last() -> None:
    shown = truncate(Prompt((QUERY, passage(0, 4), passage(4, 8), passage(8, 12))), 2 + 6, Counter())
    assert shown.passages == (passage(0, 4), passage(4, 6))


def test_everything_but_passages_stays_in_its_place() -> None:
    parts = (Part("instruction", "Read. "), passage(0, 8, rank=1), Part("text", " | "), passage(8, 16), CUE, QUERY)
    shown = truncate(Prompt(parts, separator=" / "), 5 + 10, Counter())
    assert shown.parts == (parts[0], passage(0, 2, rank=1), *parts[2:])
    assert shown.separator == " / "


@for_each("limit", range(3, 24))
def test_the_tail_is_trimmed_to_as_many_whole_words_as_fit(limit: int) -> None:
    shown = truncate(Prompt((QUERY, passage(0, 20), CUE)), limit, Counter())
    kept = min(limit - 3, 20)
    assert shown.passages == ((passage(0, kept),) if kept else ())
    assert shown.truncated_tokens == 20 - kept
    for part, (start, end) in zip(shown.passages, shown.spans, strict=True):
        assert DOCUMENT[start:end] == part.text


def test_spans_match_the_document_with_any_ranks_and_limits() -> None:
    draw = random.Random(7)
    for _ in range(200):
        edges = sorted(draw.sample(range(21), 6))
        parts = [passage(a, b, draw.randrange(4)) for a, b in pairwise(edges)]
        draw.shuffle(parts)
        prompt = Prompt((QUERY, *parts, CUE), truncated_tokens=draw.randrange(3))
        limit = draw.randrange(3, 24)
        shown = truncate(prompt, limit, Counter())
        assert all(DOCUMENT[start:end] == p.text for p, (start, end) in zip(shown.passages, shown.spans, strict=True))
        words = [sum(len(p.text.split()) for p in each.passages) for each in (prompt, shown)]
        assert words[1] == min(words[0], limit - 3)
        assert shown.truncated_tokens - prompt.truncated_tokens == words[0] - words[1]


def test_a_passage_without_a_place_stays_without_one() -> None:
    shown = truncate(Prompt((Part("document", "one two three"),)), 2, Counter())
    assert shown.passages == (Part("document", "one two"),)
    assert shown.spans == []


def test_white_space_costs_nothing_and_is_kept_inside() -> None:
    text = "one" + " " * 50_000 + "two\n\n\nthree four"
    shown = truncate(Prompt((Part("document", text, 0, len(text)),)), 3, Counter())
    assert shown.text == text[: -len(" four")]
    assert shown.spans == [(0, len(shown.text))]


def test_a_text_without_white_space_is_cut_inside() -> None:
    text = "r" * 1000
    shown = truncate(Prompt((QUERY, Part("document", text, 0, 1000))), 240, lambda texts: [len(t) for t in texts])
    assert len(QUERY.text) + len(shown.passages[0].text) == 210 == len(QUERY.text) + 200
    assert shown.spans == [(0, 200)] and shown.truncated_tokens == 800


def test_a_text_in_a_script_without_spaces_is_cut_after_a_letter_and_its_marks() -> None:
    text = "読" * 1000
    shown = truncate(Prompt((QUERY, Part("document", text, 0, 1000))), 240, lambda texts: [len(t) for t in texts])
    assert len(QUERY.text) + len(shown.passages[0].text) == 240
    assert shown.spans == [(0, 230)] and shown.truncated_tokens == 770
    assert word_ends("ผู้ใช้ ok, 使う「本」") == [3, 4, 6, 10, 12, 13, 16]
    assert word_ends("使" + "r" * 120) == [1, 51, 101, 121]


def test_fixed_parts_over_the_limit_are_too_long_with_the_figures() -> None:
    for parts in ((QUERY, CUE), (QUERY, passage(0, 5), CUE)):
        with pytest.raises(TooLong, match="take 3 tokens, the limit is 2") as error:
            truncate(Prompt(parts), 2, Counter())
        assert (error.value.fixed, error.value.limit) == (3, 2)


def test_a_limit_that_the_fixed_parts_fill_leaves_no_passage() -> None:
    shown = truncate(Prompt((QUERY, passage(0, 5), CUE)), 3, Counter())
    assert shown.parts == (QUERY, CUE) and shown.truncated_tokens == 5
    assert truncate(Prompt((passage(0, 5),)), 0, Counter()).parts == ()


def test_a_book_is_counted_whole_once_and_otherwise_in_few_short_calls() -> None:
    book = " ".join(["a", "lamp,", "in", "the", "lighthouse"] * 1_000_000)
    count = Counter()
    shown = truncate(Prompt((QUERY, Part("document", book, 0, len(book)))), 512, count)
    assert shown.truncated_tokens == 5_000_000 - 510 and len(shown.passages[0].text.split()) == 510
    assert count.calls <= 14
    assert count.characters - len(book) < 14 * 6000


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_a_long_passage_keeps_as_many_words_as_a_real_tokenizer_lets_fit(
    kind: str, tiny_t5: Path, tiny_bart: Path
) -> None:
    count = Subwords.load(tiny_t5 if kind == "t5" else tiny_bart).count
    draw = random.Random(3)
    book = " ".join(draw.choice(["Anna", "the", "river", "lamp,", "mended;", "Ångström"]) for _ in range(20_000))
    for limit in (20, 511, 4096):
        shown = truncate(Prompt((QUERY, Part("document", book, 0, len(book)), CUE)), limit, count)
        text = shown.passages[0].text
        longer = book[: book.index(" ", len(text) + 1)]
        assert count([shown.text])[0] <= limit < count([QUERY.text + longer + CUE.text])[0]
        assert book[len(text)] == " " and book.startswith(text)
        assert shown.truncated_tokens == count([book])[0] - count([text])[0]


def test_many_passages_take_few_counts() -> None:
    passages = [Part("document", DOCUMENT, 0, len(DOCUMENT), rank) for rank in range(500)]
    count = Counter()
    shown = truncate(Prompt((QUERY, *passages)), 2 + 20 * 123 + 7, count)
    assert [len(p.text.split()) for p in shown.passages] == [20] * 123 + [7]
    assert count.calls <= 20


NOTICE = Part("notice", " [more was cut]")


def test_a_notice_is_shown_only_where_something_was_cut() -> None:
    prompt = Prompt((QUERY, passage(0, 20), NOTICE, CUE))
    assert truncate(prompt, 23, Counter()) is prompt
    assert prompt.text == f"{QUERY.text}{DOCUMENT}{CUE.text}"
    shown = truncate(prompt, 22, Counter())
    assert shown.text == f"{QUERY.text}{passage(0, 16).text} [more was cut]{CUE.text}"
    assert (shown.truncated_tokens, len(shown.text.split()), shown.passages) == (4, 22, (passage(0, 16),))


@for_each("limit", range(6, 23))
def test_the_tokens_of_a_notice_are_taken_from_the_document(limit: int) -> None:
    shown = truncate(Prompt((QUERY, passage(0, 20), NOTICE, CUE)), limit, Counter())
    assert len(shown.text.split()) == limit
    assert shown.truncated_tokens == 20 - (limit - 6)
    assert shown.text.endswith(" [more was cut]" + CUE.text)


def test_of_several_passages_the_worst_is_cut_and_the_notice_follows_them_all() -> None:
    parts = (QUERY, passage(0, 8, rank=1), passage(8, 12, rank=0), NOTICE, CUE)
    shown = truncate(Prompt(parts), 3 + 3 + 8, Counter())
    assert shown.parts == (QUERY, passage(0, 4, rank=1), passage(8, 12, rank=0), NOTICE, CUE)


def test_a_prompt_that_was_cut_before_keeps_its_notice_and_is_cut_further() -> None:
    first = truncate(Prompt((QUERY, passage(0, 20), NOTICE, CUE)), 16, Counter())
    assert truncate(first, 16, Counter()) is first
    second = truncate(first, 12, Counter())
    assert second == truncate(Prompt((QUERY, passage(0, 20), NOTICE, CUE)), 12, Counter())


def test_a_notice_over_the_limit_is_too_long_for_it() -> None:
    with pytest.raises(TooLong, match="take 6 tokens, the limit is 5"):
        truncate(Prompt((QUERY, passage(0, 20), NOTICE, CUE)), 5, Counter())


def test_a_cut_that_saves_no_tokens_still_counts_as_one() -> None:
    shown = truncate(Prompt((passage(0, 2), passage(2, 3))), 2, lambda texts: [text.count(" ") + 1 + text.count("\n")
                                                                     for text in texts])  # fmt: skip
    assert shown.passages == (passage(0, 2),) and shown.truncated_tokens == 1


def ends_of_pairs(text: str) -> list[int]:
    """Ends of tokens of two letters."""
    return [match.end() for match in re.finditer(r"\S{1,2}", text)]


def count_pairs(texts: Sequence[str]) -> list[int]:
    return [len(ends_of_pairs(text)) for text in texts]


def test_a_prompt_is_cut_after_a_token_only_where_it_says_so() -> None:
    prompt = Prompt((Part("document", "abcd efgh ijkl", 0, 14), CUE))
    assert truncate(prompt, 7, count_pairs, ends_of_pairs).text == "abcd\nanswer: "
    cut = truncate(replace(prompt, cut_at="token"), 7, count_pairs, ends_of_pairs)
    assert (cut.text, cut.spans, cut.truncated_tokens) == ("abcd ef\nanswer: ", [(0, 7)], 3)
    assert truncate(replace(prompt, cut_at="token"), 7, count_pairs).text == "abcd\nanswer: "


@pytest.mark.parametrize("limit", [64, 200, 777])
def test_a_long_text_is_cut_at_a_token_of_its_whole_encoding(limit: int, tiny_bart: Path) -> None:
    subwords = Subwords.load(tiny_bart)
    book = "Anna kept the lamps of Ångström\n\n\tat the mill. " * 2_000
    prompt = Prompt((Part("document", book, 0, len(book)), CUE), cut_at="token")
    shown = truncate(prompt, limit, subwords.count, subwords.ends)
    assert subwords.count([shown.text]) == [limit]
    room = limit - subwords.count([CUE.text])[0]
    assert shown.spans == [(0, subwords.encode(book).spans[room][1])]  # one special token stands before them
    assert shown.truncated_tokens == subwords.count([book])[0] - room
