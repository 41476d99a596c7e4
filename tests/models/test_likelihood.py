import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from models import Classify, Compare, Generate, Part, Prompt, Reader, Reply, Score
from models.likelihood import Likelihood, adapt
from models.neural.seq2seq import Seq2seq
from models.truncation import TooLong, truncate


def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


@dataclass
class TableReader(Reader):
    """A reader that scores by a table of words; `calls` has the requests of each call."""

    table: dict[str, float]
    max_input_tokens: int | None = None
    supports: frozenset[type] = frozenset({Generate, Score})
    labels: tuple[str, ...] | None = None
    calls: list[list[Any]] = field(default_factory=list)

    def count(self, texts: Sequence[str]) -> list[int]:
        return words(texts)

    def reply(self, requests: Sequence[Any]) -> list[Reply]:
        self.calls.append(list(requests))
        return [self._reply(request) for request in requests]

    def _reply(self, request: Any) -> Reply:
        if isinstance(request, Generate):
            return Reply("generated", 1, 1)
        try:
            prompt = truncate(Prompt.of(request.prompt), self.max_input_tokens, words)
        except TooLong as error:
            return Reply(None, finish_reason="error", error=str(error))
        return Reply(self.table[request.continuation], words([prompt.text])[0], 1, prompt.truncated_tokens)


def test_labels_have_the_softmax_of_their_words_scores() -> None:
    reader = adapt(TableReader({"hero": math.log(0.3), "villain": math.log(0.1)}), ("hero", "villain"))
    (reply,) = reader.reply([Classify("Anna kept a lamp.")])
    assert reply.value == pytest.approx({"hero": 0.75, "villain": 0.25})
    assert list(reply.value) == ["hero", "villain"]
    assert (reply.tokens_in, reply.tokens_out, reply.truncated_tokens, reply.error) == (8, 2, 0, None)


def test_very_unlikely_words_still_have_probabilities() -> None:
    reader = adapt(TableReader({"a": -2000.0, "b": -2000.0 - math.log(3)}), ("a", "b"))
    assert reader.reply([Classify("x")])[0].value == pytest.approx({"a": 0.75, "b": 0.25})


def test_words_stand_for_labels_and_the_cue_ends_the_prompt() -> None:
    inner = TableReader({"good": 0.0, "bad": 0.0})
    reader = adapt(inner, ("1", "0"), words=("good", "bad"), cue=" It was")
    prompt = Prompt(
        (Part("query", "How was it? "), Part("document", "Cold.", 7, 12)), separator="|", truncated_tokens=3
    )
    assert reader.reply([Classify(prompt)])[0].value == {"1": 0.5, "0": 0.5}
    assert [request.continuation for request in inner.calls[0]] == ["good", "bad"]
    shown = inner.calls[0][0].prompt
    assert (shown.text, shown.spans, shown.separator, shown.truncated_tokens) == (
        "How was it? Cold. It was",
        [(7, 12)],
        "|",
        3,
    )


def test_pairs_have_the_probability_that_one_author_wrote_both() -> None:
    inner = TableReader({"yes": math.log(0.2), "no": math.log(0.6)})
    (reply,) = adapt(inner).reply([Compare(("one", "two", "three"), ((0, 1), (2, 0)))])
    assert reply.value == pytest.approx((0.25, 0.25))
    texts = [request.prompt.text for request in inner.calls[0]]
    assert texts[0] == texts[1] and texts[2] == texts[3]
    assert texts[2] == (
        "First text:\nthree\n\nSecond text:\none\n\nDid the same author write both texts? Answer yes or no."
    )


def test_no_pairs_have_no_probabilities() -> None:
    assert adapt(TableReader({})).reply([Compare(("one",), ())])[0] == Reply(())


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [(40, 40, (8, 9)), (40, 3, (14, 3)), (2, 40, (2, 15)), (9, 8, (9, 8)), (8, 10, (8, 9)), (9, 9, (8, 9))],
)
def test_texts_over_the_limit_are_cut_at_their_ends_to_similar_lengths(
    first: int, second: int, kept: tuple[int, int]
) -> None:
    inner = TableReader({"yes": 0.0, "no": 0.0}, max_input_tokens=4 + 11 + 17)
    texts = (" ".join(f"a{i}" for i in range(first)), " ".join(f"b{i}" for i in range(second)))
    (reply,) = adapt(inner).reply([Compare(texts, ((0, 1),))])
    shown = [part.text for part in inner.calls[0][0].prompt.passages]
    assert [len(text.split()) for text in shown] == list(kept)
    assert all(text.startswith(part) for text, part in zip(texts, shown, strict=True))
    assert reply.truncated_tokens == first + second - sum(kept)


def test_a_prompt_leaves_room_for_the_longest_word_where_both_share_a_window() -> None:
    @dataclass
    class Windowed(TableReader):
        decoder_window: bool = True

    words = {"the hero": 0.0, "a": 0.0}
    assert adapt(Windowed(words, max_input_tokens=50), tuple(words)).prompt_limit(1) == 48
    assert adapt(Windowed(words, max_input_tokens=50), tuple(words)).prompt_limit(7) == 43
    assert adapt(TableReader(words, max_input_tokens=50), tuple(words)).prompt_limit(1) == 50
    assert adapt(TableReader(words), tuple(words)).prompt_limit(1) is None


def test_the_adapter_of_a_chat_model_is_a_chat_model() -> None:
    @dataclass
    class Chatting(TableReader):
        is_chat: bool = True

    assert adapt(Chatting({}), ("a", "b")).is_chat
    assert not adapt(TableReader({}), ("a", "b")).is_chat


def test_all_requests_go_into_one_call_and_are_answered_in_order() -> None:
    inner = TableReader({"yes": 0.0, "no": 0.0, "a": 0.0, "b": 0.0})
    reader = adapt(inner, ("a", "b"))
    replies = reader.reply([Generate("x", 3), Compare(("x", "y"), ((0, 1),)), Classify("x"), Score("x", "yes")])
    assert [reply.value for reply in replies] == ["generated", (0.5,), {"a": 0.5, "b": 0.5}, 0.0]
    assert [len(call) for call in inner.calls] == [6]


def test_a_failed_score_fails_its_request_alone() -> None:
    reader = adapt(TableReader({"a": 0.0, "b": 0.0}, max_input_tokens=2), ("a", "b"))
    long = Prompt((Part("query", "one two three"),))
    failed, read = reader.reply([Classify(long), Classify("x")])
    assert (failed.value, failed.finish_reason) == (None, "error")
    assert failed.error == "question and instructions alone take 3 tokens, the limit is 2"
    assert read.value == {"a": 0.5, "b": 0.5}


def test_it_answers_the_reader_s_requests_and_more_and_keeps_its_limits() -> None:
    inner = TableReader({}, max_input_tokens=9)
    assert adapt(inner).supports == {Generate, Score, Compare}
    reader = adapt(inner, ("a", "b"))
    assert reader.supports == {Generate, Score, Compare, Classify}
    assert (reader.labels, reader.max_prompt_tokens, reader.count(["a b", ""])) == (("a", "b"), 9, [2, 0])
    assert isinstance(reader, Likelihood) and (reader.tokens_per_call, reader.batch_requests, reader.resolve()) == (
        None,
        16,
        {},
    )


def test_a_reader_that_answers_all_requests_itself_is_returned_unchanged() -> None:
    inner = TableReader({}, supports=frozenset({Classify, Compare, Score}), labels=("a", "b"))
    assert adapt(inner) is inner
    assert adapt(inner, ("a", "b")) is inner
    assert adapt(inner, ("c", "d")) is not inner


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"labels": ("a", "a")}, "must differ"),
        ({"labels": ("a", "")}, "must differ and not be empty"),
        ({"labels": ("a", "b"), "words": ("x",)}, "1 words for 2 labels"),
        ({"labels": ("a", "b"), "words": ("x", "x")}, "must differ"),
        ({"yes_and_no": ("yes", "yes")}, "must differ"),
    ],
)
def test_labels_that_are_not_distinct_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        adapt(TableReader({}), **fields)


def test_a_reader_without_scores_or_a_request_without_labels_is_refused() -> None:
    with pytest.raises(UserError, match="cannot answer Score requests"):
        adapt(TableReader({}, supports=frozenset({Generate})), ("a",))
    with pytest.raises(UserError, match="Classify needs labels"):
        adapt(TableReader({})).reply([Classify("x")])


def test_a_model_gives_labels_the_softmax_of_its_scores(tiny_t5: Path) -> None:
    model = Seq2seq(str(tiny_t5), device="cpu", dtype="fp32")
    reader = adapt(model, ("lamp", "river", "wheel"))
    text = "What did Anna keep?"
    scores = [reply.value for reply in model.reply([Score(text, label) for label in ("lamp", "river", "wheel")])]
    total = sum(map(math.exp, scores))
    (reply,) = reader.reply([Classify(text)])
    assert reply.value == pytest.approx(
        {label: math.exp(score) / total for label, score in zip(("lamp", "river", "wheel"), scores, strict=True)},
        rel=1e-3,
    )
    assert sum(reply.value.values()) == pytest.approx(1)
    assert isinstance(reader, Likelihood) and reader.resolve()["dtype"] == "fp32"


def test_a_model_compares_texts_longer_than_it_can_read(tiny_led: Path) -> None:
    reader = adapt(Seq2seq(str(tiny_led), device="cpu", dtype="fp32"))
    long = "The old mill stood by the river. " * 30
    (reply,) = reader.reply([Compare((long, long + "Tom", "Anna"), ((0, 1), (1, 2)))])
    assert len(reply.value) == 2 and all(0 < value < 1 for value in reply.value)
    assert reply.truncated_tokens > 0 and reply.tokens_in <= 4 * 126
