"""Room for the output where a reader has one window for input and output."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from chunkers.shared.words import count_words
from longdoc.errors import UserError
from models import Generate, Reader, Reply
from pipelines import api
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.planning.spec import spec_of
from pipelines.records import Document, Example

TEXT = " ".join(f"word{n}" for n in range(100))
DATA = [Example("a", Document("d", TEXT), "what is word7", ("word7",))]


@dataclass
class Decoder(Reader):
    """Answers with the number of words of its prompt; input and output share its window."""

    max_input_tokens: int | None = 40
    decoder_window: bool = True
    max_output_tokens: int | None = None
    supports = frozenset({Generate})
    prompt_lengths: list[int] = field(default_factory=list)

    def count(self, texts: Any) -> list[int]:
        return count_words(texts)

    def reply(self, requests: Any) -> list[Reply]:
        self.prompt_lengths += count_words([request.prompt.text for request in requests])
        return [Reply("word7") for _ in requests]


def plan(reader: Decoder, **arguments: Any) -> Any:
    return make_plan("qa", data=DATA, model=reader, seed=0, metrics="f1", **({"max_new_tokens": 15} | arguments))


def test_the_output_length_lowers_the_prompt_limit_only_where_they_share_a_window() -> None:
    assert plan(Decoder()).max_input_tokens == 25
    assert plan(Decoder(decoder_window=False)).max_input_tokens == 40
    assert plan(Decoder(None)).max_input_tokens is None


def test_other_bounds_are_for_the_prompt_alone() -> None:
    assert plan(Decoder(), chunker="truncate:20").max_input_tokens == 20
    assert plan(Decoder(), chunker="truncate:30").max_input_tokens == 25
    assert spec_of(plan(Decoder(), budget="22 tokens"))["max_input_tokens"] == 22


def test_reasoning_before_the_answer_has_room_too() -> None:
    assert plan(Decoder(), strategy="chain_of_thought:reasoning_tokens=30", max_new_tokens=5).max_input_tokens == 10
    assert plan(Decoder(), strategy="chain_of_thought:reasoning_tokens=3", max_new_tokens=5).max_input_tokens == 35
    with pytest.raises(UserError, match="an output of 40 tokens fills the reader's window of 40"):
        plan(Decoder(), strategy="chain_of_thought", max_new_tokens=5)


def test_an_output_longer_than_the_reader_writes_is_refused_before_data_are_read() -> None:
    reader = Decoder(None, max_output_tokens=20)
    assert plan(reader, strategy="chain_of_thought:reasoning_tokens=20", max_new_tokens=5).max_input_tokens is None
    problem = r"chain_of_thought asks for up to 40 tokens, and the reader writes at most 20: give the strategy"
    with pytest.raises(UserError, match=problem):
        plan(reader, strategy="chain_of_thought", max_new_tokens=5)


def test_prompts_leave_room_for_the_output(tmp_path: Any) -> None:
    reader = Decoder()
    api.run("qa", data=DATA, model=reader, chunker="whole", max_new_tokens=15, metrics="f1", out=tmp_path)
    assert reader.prompt_lengths == [25]


def test_chunks_without_a_size_leave_room_for_the_output_too() -> None:
    line_plan = plan(Decoder(), chunker="lines", prompt="Read this. {document}")
    # less the prompt's words, and tokens that may arise where they join
    assert line_plan.chunker_record["size"] == 25 - 2 - 2


def test_an_output_that_fills_the_window_is_refused() -> None:
    with pytest.raises(UserError, match="an output of 40 tokens fills the reader's window of 40"):
        plan(Decoder(), max_new_tokens=40)
    assert plan(Decoder(), max_new_tokens=39).max_input_tokens == 1


@pytest.mark.parametrize(
    ("max_new_tokens", "max_output_tokens", "length"),
    [(None, None, 64), (None, 20, 20), (None, 80, 64), (15, 20, 15), (20, 20, 20)],
)
def test_the_output_length_is_that_of_the_task_as_far_as_the_reader_writes_it(
    max_new_tokens: int | None, max_output_tokens: int | None, length: int
) -> None:
    assert (
        plan(Decoder(None, max_output_tokens=max_output_tokens), max_new_tokens=max_new_tokens).max_new_tokens == length
    )
