"""A job goes on as soon as its replies are in, while a reader that streams sends the rest of the queue."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from chunkers import Chunk
from longdoc import interrupts
from models.apis.sending.concurrent import replies_in_order_of_arrival
from models.reader import OnReply, StreamingReader
from models.requests import Generate, Reply
from pipelines.engine.inference.inference import Inference
from pipelines.engine.inference.session import Session
from pipelines.engine.inference.stop_rule import SendingStopped, StopRule
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies import Job
from tests import patience

CHUNKS = [Chunk("alpha beta", 0, 10)]


@dataclass
class Streams(StreamingReader):
    """Answers with the prompt's last word in capitals, in the order of `arrival`; `received` has these words."""

    arrival: Callable[[list[str]], list[str]] = sorted
    received: list[list[str]] = field(default_factory=list)
    concurrency: int | None = 4
    supports = frozenset({Generate})
    stops_when_empty = True

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def stream(self, requests: Sequence[Any], on_reply: OnReply) -> Iterator[tuple[int, Reply]]:
        words = [request.prompt.text.split()[-1] for request in requests]
        self.received.append(words)
        for word in self.arrival(words):
            index = words.index(word)
            reply = Reply("" if word.startswith("empty") else word.upper())
            on_reply(index, reply)
            yield index, reply


def job(name: str, *, words: Sequence[str]) -> Job:
    """A job whose document is shown with each of some words in turn: a round each, of one request or of several."""
    template = Template("{document} {query}")
    example = Example(name, Document("d", "alpha beta"), " ".join(words))
    return Job(example, CHUNKS, CHUNKS, {0: 0}, 5, template, lambda query, k, before: [])


def rounds(job: Job) -> Iterator[Any]:
    """One round for each word of the question; a round for a word with commas has a request for each part."""
    replies: list[str] = []
    for word in job.example.query.split():
        replies += yield [Generate(f"alpha beta {part}", 5) for part in word.split(",")]
    return " ".join(replies)


def finished_predictions(inference: Inference, jobs: Sequence[Job]) -> Iterator[tuple[str, str]]:
    for active in inference.run(jobs):
        assert active.prediction is not None
        yield active.job.example.id, active.prediction.prediction


def inference_of(reader: StreamingReader, sessions: int = 1) -> Inference:
    return Inference(reader, [Session(rounds, reader, None, "echo") for _ in range(sessions)])


def test_a_job_is_finished_when_its_reply_is_in_whatever_else_is_under_way() -> None:
    reader = Streams()
    jobs = [job(word, words=[word]) for word in ("c", "a", "b")]
    predictions = finished_predictions(inference_of(reader), jobs)
    arrived: list[str] = []
    reader.arrival = lambda words: (arrived.append(word) or word for word in sorted(words))  # type: ignore[assignment, func-returns-value]
    for number, (name, prediction) in enumerate(predictions, 1):
        assert (len(arrived), name, prediction) == (number, "abc"[number - 1], "ABC"[number - 1])
    assert len(reader.received) == 1


def test_a_job_of_several_requests_waits_for_the_last_of_them_in_any_order() -> None:
    for arrival in (sorted, lambda words: sorted(words, reverse=True)):
        reader = Streams(arrival)
        jobs = [job("one", words=["a,c"]), job("two", words=["b"])]
        done = list(finished_predictions(inference_of(reader), jobs))
        assert done == [("two", "B"), ("one", "A C")]


def test_next_rounds_are_sent_after_queued_requests_and_give_the_same_answers_in_any_order() -> None:
    for arrival in (sorted, lambda words: sorted(words, reverse=True)):
        reader = Streams(arrival)
        jobs = [job("one", words=["a", "d,b", "e"]), job("two", words=["b"]), job("three", words=["c", "a"])]
        done = dict(finished_predictions(inference_of(reader), jobs))
        assert done == {"one": "A D B E", "two": "B", "three": "C A"}
        assert [sorted(words) for words in reader.received] == [["a", "b", "c"], ["d"], ["e"]]


def test_a_request_whose_reply_is_in_but_not_taken_yet_is_not_sent_again() -> None:
    """The second round of the first job makes a request that the second job has just made."""
    all_in = threading.Event()

    class AllAtOnce(Streams):
        def stream(self, requests: Sequence[Any], on_reply: OnReply) -> Iterator[tuple[int, Reply]]:
            replies = list(super().stream(requests, on_reply))
            all_in.set()
            yield from replies

    reader = AllAtOnce()
    inference = inference_of(reader, 2)
    one, two = inference.sessions
    finished = [*inference.add(one, job("one", words=["a", "b", "c"])), *inference.add(two, job("two", words=["b"]))]
    finished += inference.finish()
    assert [active.prediction and active.prediction.prediction for active in finished] == ["B", "A B C"]
    assert [sorted(words) for words in reader.received] == [["a", "b"], ["c"]]
    assert [len(session.logged_keys) for session in (one, two)] == [3, 1]


def test_threads_go_on_sending_while_a_job_is_being_finished() -> None:
    received: list[str] = []

    class Threads(Streams):
        def stream(self, requests: Sequence[Any], on_reply: OnReply) -> Iterator[tuple[int, Reply]]:
            return replies_in_order_of_arrival(self.reply_to, requests, 1, on_reply)

        def reply_to(self, request: Any) -> Reply:
            received.append(request.prompt.text.split()[-1])
            return Reply(received[-1].upper())

    inference = inference_of(Threads())
    predictions = finished_predictions(inference, [job(word, words=[word]) for word in "abcd"])
    first = next(predictions)
    patience.until(lambda: len(received) == 4, "all are asked while the first is being finished")
    assert dict([first, *predictions]) == {"a": "A", "b": "B", "c": "C", "d": "D"}


def test_jobs_whose_replies_came_before_an_error_are_finished() -> None:
    class Breaks(Streams):
        def stream(self, requests: Sequence[Any], on_reply: OnReply) -> Iterator[tuple[int, Reply]]:
            yield from list(super().stream(requests, on_reply))[:2]
            raise OSError("gone")

    inference = inference_of(Breaks(lambda words: sorted(words)[:2]))
    done = []
    with pytest.raises(OSError, match="gone"):
        for item in finished_predictions(inference, [job(word, words=[word]) for word in "abc"]):
            done.append(item)
    assert done == [("a", "A"), ("b", "B")]


def test_an_error_in_one_run_is_recorded_and_the_other_run_is_answered() -> None:
    def breaking(words: list[str]) -> Iterator[str]:
        for word in sorted(words):
            if word == "bad":
                raise OSError("bad")
            yield word

    inference = inference_of(Streams(breaking), 2)  # type: ignore[arg-type]
    one, two = inference.sessions
    finished = [active for words in (["a"], ["bad"]) for active in inference.add(one, job(words[0], words=words))]
    finished += [*inference.add(two, job("two", words=["c", "d"])), *inference.finish()]
    assert [active.job.example.id for active in finished] == ["a", "two"]
    assert isinstance(one.broken, OSError) and two.broken is None


def test_jobs_answered_before_a_run_stops_sending_are_finished() -> None:
    reader = Streams(sorted)
    session = Session(rounds, reader, None, "echo", stop_rule=StopRule(reader, go_on=False))
    done = []
    jobs = [job(word, words=[word]) for word in ["a", *(f"empty{n}" for n in range(20))]]
    with pytest.raises(SendingStopped, match="stopped: 11 of the first 12 outputs are empty"):
        for active in Inference(reader, [session]).run(jobs):
            done.append(active.job.example.id)
    assert done == sorted(active.example.id for active in jobs)[:11]


def test_an_interrupt_while_a_job_is_finished_waits_for_requests_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped_arrival(words: list[str]) -> Iterator[str]:
        for word in sorted(words):
            if interrupts.is_waiting():
                return
            yield word

    monkeypatch.setattr(interrupts, "note", lambda text: None)
    inference = inference_of(Streams(stopped_arrival))  # type: ignore[arg-type]
    done = []
    with pytest.raises(KeyboardInterrupt):
        for item in finished_predictions(inference, [job(word, words=[word]) for word in "abc"]):
            done.append(item)
            if len(done) == 2:
                interrupts.handle(2)
    assert done == [("a", "A"), ("b", "B")]
    assert not interrupts.is_waiting()
