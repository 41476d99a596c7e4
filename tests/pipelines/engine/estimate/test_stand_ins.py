"""What stands in for replies where a strategy's requests are counted without a reader."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from models.prompts import Part, Prompt
from models.reader import Reader
from models.requests import Generate, Reply, Request
from pipelines.engine.estimate import stand_ins
from pipelines.engine.inference.session import Session
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies import Job


class Words(Reader):
    """Counts words."""

    supports = frozenset({Generate})

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        raise AssertionError("no reader runs")


@dataclass
class Once:
    """Makes one request and keeps the replies."""

    request: Generate
    replies: list[Any] = field(default_factory=list)

    def __call__(self, job: Job) -> Generator[Any, Any, str]:
        self.replies = yield [self.request]
        return ""


TEXT = "word " * 10_000


@pytest.mark.parametrize(
    ("max_new_tokens", "n", "blank", "expected_reply"),
    [
        (5, 1, False, TEXT[:30]),
        (5, 2, False, (TEXT[:30], TEXT[:30])),
        (5, 1, True, ""),
        (9000, 1, False, TEXT[: 6 * 4096]),
    ],
)
def test_an_output_is_blank_or_six_characters_of_the_prompt_for_each_token(
    max_new_tokens: int, n: int, blank: bool, expected_reply: object
) -> None:
    strategy = Once(Generate(Prompt((Part("text", TEXT),)), max_new_tokens, n=n))
    job = Job(Example("e", Document("d", "")), [], [], {}, 5, Template("{document}"), lambda query, k, before: [])
    session = Session(strategy, Words(), None, "words")  # type: ignore[arg-type]
    (requests,) = stand_ins.rounds(session, job, blank=blank)
    assert [tokens for _, tokens in requests] == [10_000]
    assert strategy.replies == [expected_reply]
