"""Where there is no terminal: a line a minute through `logging`."""

import logging
import threading
from dataclasses import dataclass, field, replace

import pytest

from longdoc.messages import LogLines
from models.requests import Reply
from pipelines.engine.inference.work import Work
from pipelines.engine.running import progress as progress_module
from pipelines.engine.running.progress import Progress
from tests.captured_log import CapturedLog


class Clock:
    """Tells the time that it is set to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def _info(log: CapturedLog) -> None:
    log.set_level(logging.INFO, "longdoc")


@dataclass
class Run:
    """A run whose progress is watched while its prompts are answered."""

    progress: Progress
    clock: Clock
    work: Work = field(default_factory=Work)

    def __post_init__(self) -> None:
        self.progress.watch(lambda: self.work)

    def prepare(self, *tokens: int) -> None:
        """Examples with prompts of so many tokens are ready to be asked."""
        pending = self.work.pending_tokens + sum(tokens)
        added = replace(
            self.work, prepared=self.work.prepared + len(tokens), requesting=self.work.requesting + len(tokens)
        )
        self.work = replace(added, pending=self.work.pending + len(tokens), pending_tokens=pending)
        self.progress.tick()

    def reply(self, tokens: int, finished: int = 1, cached: int = 0) -> None:
        """A reply comes to a prompt of so many tokens, 100 of which take a second; the output has a tenth of them."""
        self.clock.now += tokens / 100
        left = replace(self.work, pending=self.work.pending - 1, pending_tokens=self.work.pending_tokens - tokens)
        self.work = left.with_reply(Reply("x", tokens, tokens // 10, cached_tokens=cached), tokens)
        for _ in range(finished):
            self.progress.advance()
        self.progress.tick()


def test_a_line_a_minute_says_how_far_the_run_is(clock: Clock, log: CapturedLog) -> None:
    run = Run(Progress(200, 20, clock), clock)
    run.prepare(*[300] * 180)
    for _ in range(43):
        run.reply(300)
    assert log.messages == [
        "40 of 200 examples, 20 replies, 110 tokens/s, about 8 min left",
        "60 of 200 examples, 40 replies, 110 tokens/s, about 7 min left",
    ]


def test_replies_are_reported_before_the_first_example_is_finished(clock: Clock, log: CapturedLog) -> None:
    run = Run(Progress(6, 0, clock), clock)
    run.prepare(*[1_500] * 12)
    for _ in range(5):
        run.reply(1_500, finished=0)
    assert log.messages == [
        "0 of 6 examples, 4 replies, 8 requests waiting, 110 tokens/s after 60 s",
    ]


def test_the_time_left_never_grows_while_the_longest_are_asked_first(clock: Clock, log: CapturedLog) -> None:
    run = Run(Progress(100, 0, clock, interval=1.0), clock)
    run.prepare(*range(2_000, 0, -40))  # half of the examples: the others are like them
    for tokens in range(2_000, 0, -40):
        run.reply(tokens)
    run.prepare(*range(2_000, 0, -40))
    for tokens in range(2_000, 40, -40):
        run.reply(tokens)
    left = [message.rpartition("about ")[2].removesuffix(" left") for message in log.messages if "about" in message]
    assert (left[0], left[24], left[49], left[-1]) == ("17 min", "11 min", "8 min", "1 s")
    seconds = [int(text.split()[0]) * (60 if "min" in text else 1) for text in left]
    assert seconds == sorted(seconds, reverse=True)


def test_tokens_from_a_cache_were_not_read(clock: Clock, log: CapturedLog) -> None:
    run = Run(Progress(2, 0, clock), clock)
    run.prepare(6_000, 6_000)
    run.reply(6_000, cached=5_400)
    assert log.messages == ["1 of 2 examples, 1 reply, 20 tokens/s, about 60 s left"]


def test_runs_that_come_after_each_other_are_counted_together(clock: Clock, log: CapturedLog) -> None:
    run = Run(Progress(4, 0, clock, interval=1.0), clock)
    run.prepare(3_000, 3_000)
    run.reply(3_000)
    run.reply(3_000)
    run.work, before = Work(), run.work
    run.progress._work = lambda: before
    run.progress.watch(lambda: run.work)
    run.prepare(3_000, 3_000)
    run.reply(3_000)
    assert log.messages[-1] == "3 of 4 examples, 3 replies, 110 tokens/s, about 30 s left"


def test_a_run_that_is_silent_says_what_it_does(clock: Clock, log: CapturedLog) -> None:
    progress = Progress(200, 0, clock)
    progress.doing = "the reader is being fitted"
    clock.now = 1060.0
    progress.tick()
    progress.doing = ""
    clock.now = 1150.0
    progress.tick()
    assert log.messages == ["0 of 200 examples after 60 s: the reader is being fitted", "0 of 200 examples after 2 min"]


def test_examples_of_earlier_starts_do_not_count_as_speed(clock: Clock, log: CapturedLog) -> None:
    run = Run(Progress(100, 0, clock), clock)
    run.progress.skip(90)
    run.prepare(*[6_000] * 10)
    run.reply(6_000)
    assert log.messages == ["91 of 100 examples, 1 reply, 110 tokens/s, about 9 min left"]


def test_where_nothing_is_asked_the_time_left_is_that_of_the_examples(clock: Clock, log: CapturedLog) -> None:
    progress = Progress(100, 90, clock)
    clock.now = 1060.0
    progress.advance()
    progress.tick()
    assert log.messages == ["91 of 100 examples, about 9 min left"]


def test_without_a_known_total_no_time_left_is_given(clock: Clock, log: CapturedLog) -> None:
    run = Run(Progress(None, 0, clock), clock)
    run.prepare(6_000)
    run.reply(6_000)
    assert log.messages == ["1 example, 1 reply, 110 tokens/s after 60 s"]


def test_a_short_run_logs_nothing(clock: Clock, log: CapturedLog) -> None:
    with Progress(2, 0, clock) as progress:
        progress.advance()
        clock.now = 1059.0
        progress.tick()
    assert log.messages == []


def test_lines_are_made_only_when_they_are_logged(clock: Clock, log: CapturedLog) -> None:
    calls: list[str] = []

    def line() -> str:
        calls.append("x")
        return f"line {len(calls)}"

    lines = LogLines(logging.getLogger("longdoc.some"), clock, interval=10.0)
    for _ in range(25):
        clock.now += 1.0
        lines.say(line)
    assert log.messages == ["line 1", "line 2"]


def test_an_encoder_says_how_many_texts_are_done(
    monkeypatch: pytest.MonkeyPatch, log: CapturedLog, tmp_path: object
) -> None:
    import numpy as np

    from longdoc import messages
    from models.encoders import _cache

    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path))
    monkeypatch.setattr(_cache, "FIRST_BATCH", 2)
    monkeypatch.setattr(_cache, "QUICK_SECONDS", 0.0)
    monkeypatch.setattr(messages.LogLines.__init__, "__defaults__", (Clock(), 0.0))
    _cache.cached_vectors({"name": "x"}, list("abcde"), lambda texts: np.ones((len(texts), 3), np.float32))
    assert log.messages == ["2 of 5 texts encoded", "4 of 5 texts encoded", "5 of 5 texts encoded"]


def test_lines_are_logged_also_while_no_example_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    ticked = threading.Event()
    monkeypatch.setattr(progress_module, "BEAT", 0.001)
    monkeypatch.setattr(Progress, "tick", lambda self: ticked.set())
    with Progress(2):
        assert ticked.wait(30)
