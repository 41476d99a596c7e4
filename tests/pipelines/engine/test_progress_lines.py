"""Where there is no terminal: a line a minute through `logging`."""

import logging
import threading

import pytest

from longdoc.log_lines import LogLines
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


def test_a_line_a_minute_says_how_far_the_run_is(clock: Clock, log: CapturedLog) -> None:
    progress = Progress(200, 20, clock)
    for second in range(1, 131):
        clock.now = 1000.0 + second
        progress.advance(f"book {second % 3}", 300)
        progress.tick()
        progress.tick()
    assert log.messages == [
        "80 of 200 examples, 3 documents, 300 tokens/s, about 2 min left",
        "140 of 200 examples, 3 documents, 300 tokens/s, about 60 s left",
    ]
    assert {record.name for record in log.records} == {"longdoc.progress"}


def test_a_run_that_is_silent_says_what_it_does(clock: Clock, log: CapturedLog) -> None:
    progress = Progress(200, 0, clock)
    progress.doing = "the reader is being fitted"
    clock.now = 1060.0
    progress.tick()
    progress.doing = ""
    clock.now = 1150.0
    progress.tick()
    assert log.messages == [
        "0 of 200 examples, the reader is being fitted, for 60 s",
        "0 of 200 examples, preparing and reading, for 2 min",
    ]


def test_examples_of_earlier_starts_do_not_count_as_speed(clock: Clock, log: CapturedLog) -> None:
    progress = Progress(100, 0, clock)
    progress.skip(90)
    clock.now = 1060.0
    progress.advance("book", 60)
    progress.tick()
    assert log.messages == ["91 of 100 examples, 1 document, 1 tokens/s, about 9 min left"]


def test_without_a_known_total_no_time_left_is_told(clock: Clock, log: CapturedLog) -> None:
    progress = Progress(None, 0, clock)
    clock.now = 1060.0
    progress.advance("book", 120)
    progress.tick()
    assert log.messages == ["1 example, 1 document, 2 tokens/s"]


def test_a_short_run_logs_nothing(clock: Clock, log: CapturedLog) -> None:
    with Progress(2, 0, clock) as progress:
        progress.advance("book", 40)
        clock.now = 1059.0
        progress.tick()
    assert log.messages == []


def test_lines_are_made_only_when_they_are_logged(clock: Clock, log: CapturedLog) -> None:
    made: list[str] = []

    def line() -> str:
        made.append("x")
        return f"line {len(made)}"

    lines = LogLines(logging.getLogger("longdoc.some"), clock, interval=10.0)
    for _ in range(25):
        clock.now += 1.0
        lines.say(line)
    assert log.messages == ["line 1", "line 2"]


def test_an_encoder_says_how_many_texts_are_done(
    monkeypatch: pytest.MonkeyPatch, log: CapturedLog, tmp_path: object
) -> None:
    import numpy as np

    from longdoc import log_lines
    from models.encoders import _cache

    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path))
    monkeypatch.setattr(_cache, "AT_ONCE_LIMIT", 2)
    monkeypatch.setattr(_cache, "QUICK_LIMIT", 0.0)
    monkeypatch.setattr(log_lines.LogLines.__init__, "__defaults__", (Clock(), 0.0))
    _cache.cached_vectors({"name": "x"}, list("abcde"), lambda texts: np.ones((len(texts), 3), np.float32))
    assert log.messages == ["2 of 5 texts encoded", "4 of 5 texts encoded", "5 of 5 texts encoded"]


def test_what_a_run_does_before_its_first_example_is_named(clock: Clock, log: CapturedLog) -> None:
    progress = Progress(200, 20, clock)
    clock.now += 61
    progress.tick()
    assert log.messages == ["20 of 200 examples, preparing and reading, for 61 s"]


def test_lines_are_logged_also_while_no_example_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    ticked = threading.Event()
    monkeypatch.setattr(progress_module, "BEAT", 0.001)
    monkeypatch.setattr(Progress, "tick", lambda self: ticked.set())
    with Progress(2):
        assert ticked.wait(30)
