"""A reader that takes more requests while others are under way is fed: it never waits for a slow one."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

import models
from longdoc import interrupts
from models.apis._endpoint import Endpoint
from pipelines.engine.inference.inference import Inference
from pipelines.engine.inference.request_queue import FEWEST_STREAMED
from pipelines.engine.inference.session import Session
from pipelines.records import Document
from pipelines.strategies import Job
from tests import patience
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat
from tests.pipelines.engine.inference.test_streamed_replies import job, rounds

JOBS = 150


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = ApiServer(lambda request, times: chat(word_of(request).upper()))
    yield server
    server.close()


def word_of(request: ReceivedRequest) -> str:
    return request.prompt.split()[-1]


def reader_at(server: ApiServer) -> Endpoint:
    reader = models.get("openai:m", base_url=f"{server.url}/v1", concurrency=2, max_retries=0)
    assert isinstance(reader, Endpoint)
    return reader


def jobs(count: int, rounds: int = 1) -> list[Job]:
    """Jobs about a document each, with a request in each round."""
    drafts = [job(f"j{n}", words=[f"w{n}r{step}" for step in range(rounds)]) for n in range(count)]
    return [
        replace(draft, example=replace(draft.example, document=Document(f"d{n}", "alpha beta")))
        for n, draft in enumerate(drafts)
    ]


def inference_of(reader: Endpoint) -> Inference:
    return Inference(reader, [Session(rounds, reader, None, "echo")])


def test_all_others_are_answered_while_a_slow_reply_is_awaited_and_few_wait_at_a_time(server: ApiServer) -> None:
    others_sent, jobs_taken, finished = threading.Event(), 0, 0

    def answer(request: ReceivedRequest, times: int) -> Answer:
        if word_of(request) == "w0r0":
            assert others_sent.wait(patience.SECONDS), "the others are sent meanwhile"
        elif len(server.received) == JOBS:
            others_sent.set()
        return chat(word_of(request).upper())

    def counted_jobs() -> Iterator[Job]:
        nonlocal jobs_taken
        for next_job in jobs(JOBS):
            jobs_taken += 1
            assert jobs_taken - finished <= FEWEST_STREAMED
            yield next_job

    server.answer = answer
    done = {}
    for active in inference_of(reader_at(server)).run(counted_jobs()):
        finished += 1
        assert active.prediction is not None
        done[active.job.example.id] = active.prediction.prediction
    assert done == {f"j{n}": f"W{n}R0" for n in range(JOBS)}
    assert (len(server.received), server.max_in_flight) == (JOBS, 2)


def test_the_next_rounds_of_a_job_are_sent_while_a_slow_reply_is_awaited(server: ApiServer) -> None:
    last_round_sent = threading.Event()

    def answer(request: ReceivedRequest, times: int) -> Answer:
        if word_of(request) == "w0r0":
            assert last_round_sent.wait(patience.SECONDS), "the last round of the other job is sent meanwhile"
        elif word_of(request) == "w1r2":
            last_round_sent.set()
        return chat(word_of(request).upper())

    server.answer = answer
    done = [
        active.prediction and active.prediction.prediction for active in inference_of(reader_at(server)).run(jobs(2, 3))
    ]
    assert sorted(map(str, done)) == ["W0R0 W0R1 W0R2", "W1R0 W1R1 W1R2"]


def test_requests_under_way_when_preparing_is_interrupted_are_awaited_and_logged(server: ApiServer) -> None:
    under_way = threading.Event()

    def answer(request: ReceivedRequest, times: int) -> Answer:
        under_way.set()
        return chat(word_of(request).upper(), wait=0.05)

    def interrupted() -> Iterator[Job]:
        yield from jobs(2)
        assert under_way.wait(patience.SECONDS)
        raise KeyboardInterrupt

    server.answer = answer
    inference = inference_of(reader_at(server))
    with pytest.raises(KeyboardInterrupt):
        list(inference.run(interrupted()))
    (session,) = inference.sessions
    assert len(session.logged_keys) == len(server.received) == 1
    assert not interrupts.is_waiting()


def test_an_interrupt_while_a_document_is_prepared_says_that_requests_are_awaited(
    server: ApiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted = threading.Event()

    def answer(request: ReceivedRequest, times: int) -> Answer:
        assert interrupted.wait(patience.SECONDS)
        return chat("X")

    def preparing() -> Iterator[Job]:
        yield from jobs(3)
        patience.until(lambda: bool(server.received), "a request is under way")
        interrupted.set()
        raise KeyboardInterrupt

    server.answer = answer
    inference = inference_of(reader_at(server))
    with pytest.raises(KeyboardInterrupt):
        list(inference.run(preparing()))
    assert capsys.readouterr().err.count(f"longdoc: {interrupts.STOPPING}\n") == 1
