"""The naive reader: first words or a random span, whatever the question."""

import pytest

import models
from longdoc.errors import UserError
from models import Generate, Part, Prompt
from models.baselines.naive import Naive

NUMBERS = " ".join(str(i) for i in range(100))


def prompt(*passages: tuple[int, str], query: str = "") -> Prompt:
    parts = [Part("query", query)] if query else []
    parts += [Part("document", text, start, start + len(text), rank) for rank, (start, text) in enumerate(passages)]
    return Prompt(tuple(parts))


def answer(reader: Naive, text: Prompt | str, length: int = 3, n: int = 1) -> object:
    return reader.reply([Generate(text, length, n=n)])[0].value


def test_the_prefix_is_the_first_words_in_document_order() -> None:
    assert answer(Naive(), prompt((50, "c  d\ne"), (0, "a b"))) == "a b c"


def test_letters_of_scripts_without_spaces_are_words_and_stay_together() -> None:
    assert answer(Naive(), prompt((0, "使う  Python3を「はい」")), length=4) == "使う Python3を"
    assert answer(Naive(), prompt((0, "鲸鱼在海里")), length=2, n=3) == ("鲸鱼", "在海", "里")


def test_the_question_is_not_part_of_the_prefix() -> None:
    assert answer(Naive(), prompt((0, "a b"), query="Who? ")) == "a b"


def test_words_bounds_the_prefix_below_the_requested_length() -> None:
    assert answer(Naive(words=2), prompt((0, "a b c d"))) == "a b"
    (reply,) = Naive(words=5).reply([Generate(prompt((0, "a b c d e")), 3)])
    assert (reply.value, reply.tokens_out, reply.finish_reason) == ("a b c", 3, "length")


def test_more_prefixes_follow_one_another() -> None:
    assert answer(Naive(), prompt((0, "a b c d e")), length=2, n=3) == ("a b", "c d", "e")
    assert answer(Naive(), prompt((0, "a b")), length=2, n=3) == ("a b", "a b", "a b")


def test_a_random_span_is_sampled_by_seed_and_prompt() -> None:
    drawn = {seed: answer(Naive("random", seed=seed), NUMBERS) for seed in (0, 1, 2)}
    assert drawn == {0: "9 10 11", 1: "67 68 69", 2: "86 87 88"}
    assert answer(Naive("random"), NUMBERS) == drawn[0]
    assert answer(Naive("random"), NUMBERS + " 100") != drawn[0]


def test_a_random_span_is_the_same_in_any_call() -> None:
    requests = [Generate(f"{i} {NUMBERS}", 3) for i in range(5)]
    reader = Naive("random")
    together = [reply.value for reply in reader.reply(requests)]
    backwards = [reply.value for reply in reader.reply(requests[::-1])]
    assert together == backwards[::-1]
    assert together == [reader.reply([request])[0].value for request in requests]
    assert len(set(together)) == 5


def test_random_spans_are_different_runs_of_words() -> None:
    spans = answer(Naive("random", words=2), NUMBERS, n=99)
    assert sorted(spans, key=lambda span: int(span.split()[0])) == [f"{i} {i + 1}" for i in range(99)]  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["prefix", "random"])
def test_nothing_to_read_gives_an_empty_answer(kind: str) -> None:
    (reply,) = models.get("naive", kind=kind).reply([Generate(prompt(query="Who?"), 3)])
    assert (reply.value, reply.tokens_in, reply.tokens_out, reply.finish_reason) == ("", 1, 0, "stop")


@pytest.mark.parametrize("kind", ["prefix", "random"])
def test_a_document_shorter_than_the_length_is_the_whole_answer(kind: str) -> None:
    (reply,) = models.get("naive", kind=kind).reply([Generate("ein Wörtchen 😀", 9)])
    assert (reply.value, reply.tokens_out, reply.finish_reason) == ("ein Wörtchen 😀", 3, "stop")


def test_a_cut_prompt_is_read_as_far_as_it_goes() -> None:
    (reply,) = Naive(max_input_tokens=2).reply([Generate("a b c d", 9)])
    assert (reply.value, reply.tokens_in, reply.truncated_tokens) == ("a b", 2, 2)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("naive:words=0", "words must be at least 1, got 0; leave it out for the task's own length"),
        ("naive:max_input_tokens=0", "max_input_tokens must be at least 1, got 0; leave it out for no limit"),
        ("naive:seed=3", "seed needs kind=random: the first words are not random"),
    ],
)
def test_wrong_parameters_are_refused(spec: str, message: str) -> None:
    with pytest.raises(UserError, match=f"^{message}$"):
        models.get(spec)
