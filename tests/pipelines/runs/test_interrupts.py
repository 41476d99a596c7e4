"""Ctrl-C and SIGTERM while requests are under way: the first lets them end and logs the replies, a second does not."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

import pipelines
from longdoc import interrupts
from tests import patience
from tests.api_server import ApiServer, chat
from tests.attacks.faults import slow_reader

ROWS = [
    {"id": f"q{n}", "document": f"Room{n} holds {n} keys.", "question": f"What does Room{n} hold?", "answer": f"{n}"}
    for n in range(6)
]


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


class Interrupting(slow_reader.SlowReader):
    """Is interrupted `times` times while it reads its second batch."""

    times = 0

    def reply(self, requests):
        replies = super().reply(requests)
        if len(billed_requests(self.bill)) == 4:
            for _ in range(self.times):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0)  # the handler runs
        return replies


def billed_requests(path):
    return Path(path).read_text(encoding="utf-8").splitlines()


def logged_count(folder):
    return len((folder / "requests.jsonl").read_text(encoding="utf-8").splitlines())


def run(rows, out, **arguments):
    return pipelines.run("qa", data=rows, out=out, k=1, metrics=["f1"], report=False, **arguments)


@pytest.mark.parametrize(("times", "replies"), [(1, 4), (2, 2)])
def test_an_interrupt_lets_the_batch_end_and_a_second_one_does_not(rows, tmp_path, capsys, times, replies):
    reader = Interrupting(str(tmp_path / "bill"), 0.0)
    reader.times = times
    with pytest.raises(KeyboardInterrupt) as error:
        run(rows, tmp_path / "run", model=reader)
    assert logged_count(tmp_path / "run") == replies
    assert capsys.readouterr().err.count(f"longdoc: {interrupts.STOPPING}\n") == 1
    assert f"{replies} replies in {tmp_path / 'run'}; to continue: longdoc.run('qa'" in error.value.__notes__[0]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not interrupts.is_waiting()
    reader.times = 0
    assert run(rows, tmp_path / "run", model=reader).new_requests == 6 - replies
    assert len(billed_requests(tmp_path / "bill")) == 6 + (4 - replies)


def test_requests_in_flight_at_a_service_are_awaited_and_logged_and_no_others_are_sent(rows, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    in_flight, noted = threading.Barrier(2, timeout=patience.SECONDS), threading.Event()
    monkeypatch.setattr(interrupts, "note", lambda text: noted.set())

    def answer(request, times):
        if len(server.received) <= 2 and in_flight.wait() == 0:  # both are under way
            os.kill(os.getpid(), signal.SIGINT)
        patience.until(lambda: len(server.received) > 2 or noted.is_set(), "the signal has arrived")
        return chat("x")

    server = ApiServer(answer)
    model = {"name": "openai", "model": "m", "base_url": f"{server.url}/v1", "concurrency": 2}
    with pytest.raises(KeyboardInterrupt):
        run(rows, tmp_path / "run", model=model)
    assert (len(server.received), logged_count(tmp_path / "run")) == (2, 2)
    result = run(rows, tmp_path / "run", model=model)
    assert (result.new_requests, len(server.received)) == (4, 6)
    server.close()


def test_replies_that_do_not_come_are_not_awaited_for_ever_and_are_counted_and_asked_for_again(
    rows, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(interrupts, "WAIT", 0.3)
    rest_may_come = threading.Event()

    def answer(request, times):
        if not rest_may_come.is_set() and len(server.received) == 3:  # the first one is answered, two are held
            os.kill(os.getpid(), signal.SIGINT)
        return chat("x", wait=0 if len(server.received) == 1 else rest_may_come)

    server = ApiServer(answer)
    model = {"name": "openai", "model": "m", "base_url": f"{server.url}/v1", "concurrency": 2}
    with pytest.raises(KeyboardInterrupt):
        run(rows, tmp_path / "run", model=model)
    errors = capsys.readouterr().err
    assert (
        "longdoc: 2 requests without a reply 0.3 s after the interrupt: dropped, and asked again at the next" in errors
    )
    assert (len(server.received), logged_count(tmp_path / "run")) == (3, 1)
    rest_may_come.set()
    result = run(rows, tmp_path / "run", model=model)
    assert (result.new_requests, len(server.received), logged_count(tmp_path / "run")) == (5, 8, 6)
    starts = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["starts"]
    assert [start.get("dropped") for start in starts] == [2, None]
    server.close()


def test_an_interrupt_wins_over_an_error_of_the_block_that_it_interrupts():
    with pytest.raises(KeyboardInterrupt), interrupts.hold_interrupts():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0)
        raise ValueError("the service is broken")
    with pytest.raises(ValueError, match="broken"), interrupts.hold_interrupts():
        raise ValueError("the service is broken")


def test_blocks_in_blocks_and_in_other_threads_leave_the_interrupt_to_the_outermost():
    reached = []
    with pytest.raises(KeyboardInterrupt), interrupts.hold_interrupts():
        with interrupts.hold_interrupts():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0)
        reached.append(interrupts.is_waiting())

    def elsewhere():
        with interrupts.hold_interrupts():
            reached.append(signal.getsignal(signal.SIGINT) is signal.default_int_handler)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert reached == [True, True]


def test_sigterm_is_an_interrupt_of_its_own_where_its_handler_is_ours():
    before = signal.signal(signal.SIGTERM, interrupts.handle)
    try:
        with pytest.raises(interrupts.Terminated), interrupts.hold_interrupts():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0)
            assert interrupts.is_waiting()
        with pytest.raises(interrupts.Terminated):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_run_that_goes_on_says_how_many_requests_are_left(rows, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def answer(request, times):
        if len(server.received) == 3:
            os.kill(os.getpid(), signal.SIGINT)
            patience.until(interrupts.is_waiting, "the signal has arrived")
        return chat("x")

    server = ApiServer(answer)
    model = {"name": "openai", "model": "m", "base_url": f"{server.url}/v1", "concurrency": 1}
    # about one document, so that all is prepared before the first request
    rows.write_text("".join(json.dumps(row | {"document": ROWS[0]["document"]}) + "\n" for row in ROWS))
    with pytest.raises(KeyboardInterrupt) as error:
        run(rows, tmp_path / "run", model=model)
    assert error.value.__notes__[0].startswith("kept: 3 of 6 examples and 3 replies in ")
    assert "left" not in capsys.readouterr().err
    assert run(rows, tmp_path / "run", model=model).new_requests == 3
    errors = capsys.readouterr().err
    assert "3 of 6 examples are finished; about 3 of 6 requests left (fewer if some are identical)" in errors
    run(rows, tmp_path / "run", model=model)
    assert "left" not in capsys.readouterr().err
    server.close()
