"""What servers read from their caches, and how long they were busy."""

import json

import pytest

import models
from models import Generate
from models.apis._completion import seconds_of
from models.apis.sending.request_stream import ServerUse, SharedLengths
from models.apis.sending.serving import Serving
from models.requests import Reply
from tests.api_server import Answer, ApiServer, chat, json_answer

INFINITE, NONE = float("inf"), float("nan")


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_characters_that_a_prompt_shares_with_an_earlier_beginning_are_counted() -> None:
    lengths = SharedLengths()
    assert [lengths.add(text) for text in ("abcd", "xy", "abce", "abcd", "ab")] == [0, 0, 3, 4, 2]


def test_the_cached_share_is_of_the_tokens_that_could_be_cached() -> None:
    use = ServerUse()
    assert str(use) == ""
    use.add_reply(Reply("x", tokens_in=100), 0)
    use.add_reply(Reply("x", tokens_in=100, cached_tokens=72), 80)
    use.add_reply(Reply("x", tokens_in=100, cached_tokens=20), 15)  # more than was counted
    assert str(use) == "read from the server's cache: 92 of 100 tokens that could be (92 %)"


@pytest.mark.parametrize(
    ("slots", "line"),
    [
        (1, "the server was busy 75 % of the time"),
        (2, "the server's 2 slots were busy 38 % of the time"),
        (None, ""),
    ],
)
def test_a_server_is_busy_while_its_slots_work(slots: int | None, line: str) -> None:
    clock = Clock()
    use = ServerUse(clock)
    use.start(slots)
    for clock.now, seconds in ((110.0, 10.0), (120.0, 10.0), (140.0, 10.0)):
        use.add_seconds(seconds)
    assert str(use) == line


def test_the_use_is_added_over_calls_and_starts_again_with_a_run() -> None:
    clock = Clock()
    use = ServerUse(clock)
    for end, seconds in ((110.0, 10.0), (120.0, 5.0)):
        use.start(1)
        clock.now = end
        use.add_seconds(seconds)
    assert use.busy_share == 0.75
    use.begin()
    assert (use.busy_share, str(use)) == (None, "")


def test_a_server_says_how_long_it_worked() -> None:
    assert seconds_of({"prompt_ms": 1500.0, "predicted_ms": 500}) == 2.0
    for nonsense in (
        None,
        "x",
        {},
        {"prompt_ms": 1},
        *({"prompt_ms": bad, "predicted_ms": 1} for bad in (-1, "1", INFINITE, NONE)),
    ):
        assert seconds_of(nonsense) is None


def test_a_reader_says_how_its_server_was_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(Serving, "slots", 1)

    def answer(request: object, times: int) -> Answer:
        record = json.loads(chat("x").body)
        cached = 150 if len(server.received) > 1 else 0
        record["usage"] = {
            "prompt_tokens": 200,
            "completion_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        return json_answer(record | {"timings": {"cache_n": cached, "prompt_ms": 0.5, "predicted_ms": 0.5}})

    server = ApiServer(answer)
    reader = models.get("openai:m", base_url=f"{server.url}/v1", concurrency=1)  # so that they come in order
    try:
        reader.reply([Generate("word " * 100 + question, 5) for question in ("one", "two", "three")])
    finally:
        server.close()
    cached, _, busy = reader.server_use.partition("; ")
    assert cached.startswith("read from the server's cache: 300 of 39")
    assert busy.startswith("the server was busy ")
    reader.begin(0, 0)
    assert reader.server_use == ""
