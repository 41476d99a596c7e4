"""How batches are handed to actors, without Ray: a pool whose calls answer when they are told to."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from longdoc.errors import UserError
from models import Generate, Reader, Reply
from models.prompts import Part, Prompt
from pipelines.engine.engines import _ray_reader
from pipelines.engine.engines._ray_process import ReaderFacts
from pipelines.engine.engines._ray_reader import RayReader
from pipelines.engine.inference.request_queue import RequestQueue


class Lost(Exception):
    """The actor has ended."""


class FakePool:
    """Two actors that answer at once; `outcome` may raise for a call."""

    lost = (Lost,)

    def __init__(self, outcome: Callable[[int, list[str]], None] = lambda actor, texts: None, **facts: Any) -> None:
        self.outcome, self.facts = outcome, {"tokens_per_call": None, "batch_requests": 2} | facts
        self.calls: list[tuple[int, list[str]]] = []

    def __len__(self) -> int:
        return 2

    def ready(self) -> list[int]:
        return [0, 1]

    wait = ready

    def starting(self) -> list[Any]:
        return []

    def call(self, actor: int, method: str, key: str, reader: Any, requests: Any = ()) -> "Future[Any]":
        future: Future[Any] = Future()
        if method == "facts":
            dtype = self.facts.get("dtypes", ["fp32", "fp32"])[actor]
            values = (self.facts["tokens_per_call"], self.facts["batch_requests"])
            future.set_result(ReaderFacts({"dtype": dtype, "device": f"cuda:{actor}"}, *values))
            return future
        texts = [request.prompt.text for request in requests]
        self.calls.append((actor, texts))
        try:
            self.outcome(actor, texts)
            future.set_result([Reply(text.upper()) for text in texts])
        except Exception as error:
            future.set_exception(error)
        return future


class Echo(Reader):
    supports = frozenset({Generate})

    def count(self, texts: Any) -> list[int]:
        return [len(text) for text in texts]

    def reply(self, requests: Any) -> list[Reply]:
        raise AssertionError("it reads elsewhere")


@pytest.fixture(autouse=True)
def _without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ray_reader, "put", lambda reader: ("key", b""))


READER = Echo()


def requests(*texts: str) -> list[Generate]:
    return [Generate(Prompt((Part("document", text, 0, len(text)),)), 5) for text in texts]


def answered(pool: FakePool, *texts: str) -> tuple[dict[int, str], list[int]]:
    """The replies by position, and the positions in the order in which they were to be logged."""
    logged: list[int] = []
    stream = RayReader(READER, pool).stream_counted(  # type: ignore[arg-type]
        requests(*texts), [len(text) for text in texts], lambda at, reply: logged.append(at)
    )
    return {at: reply.value for at, reply in stream}, logged


def test_each_actor_has_two_batches_and_every_reply_is_logged_before_it_is_used() -> None:
    pool = FakePool()
    found, logged = answered(pool, *"abcdefghi")
    assert found == dict(enumerate("ABCDEFGHI"))
    assert sorted(logged) == list(range(9))
    assert [texts for _, texts in pool.calls] == [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"], ["i"]]
    assert [actor for actor, _ in pool.calls][:4] == [0, 1, 0, 1]


def test_batches_are_those_of_a_reader_on_this_machine() -> None:
    class Queued(Echo):
        tokens_per_call = 8  # type: ignore[assignment]

    texts = ["aaaa", "bbb", "cc", "dd", "e", "f", "g"]
    pool = FakePool(tokens_per_call=8)
    answered(pool, *texts)
    queue = RequestQueue(Queued())
    for number, (text, request) in enumerate(zip(texts, requests(*texts), strict=True)):
        queue.add(f"{number}", request, len(text), object())  # type: ignore[arg-type]
    here = [[texts[int(key)] for key in keys] for keys in queue.batches()]
    assert [sent for _, sent in pool.calls] == here == [["aaaa", "bbb"], ["cc", "dd", "e", "f"], ["g"]]


def test_a_lost_batch_comes_before_the_others() -> None:
    losses = []

    def outcome(actor: int, texts: list[str]) -> None:
        if "a" in texts and not losses:
            losses.append(actor)
            raise Lost

    pool = FakePool(outcome)
    found, _ = answered(pool, *"abcdefghijkl")
    assert found == dict(enumerate("ABCDEFGHIJKL"))
    assert [texts for _, texts in pool.calls].count(["a", "b"]) == 2


def test_a_batch_that_is_lost_three_times_ends_the_run() -> None:
    def outcome(actor: int, texts: list[str]) -> None:
        if "c" in texts:
            raise Lost("out of memory")

    with pytest.raises(UserError, match=r"^3 readers in turn were lost with the same 2 requests \(out of memory\);"):
        answered(FakePool(outcome), *"abcdefgh")


def test_after_an_error_what_is_under_way_is_logged_and_nothing_more_is_asked() -> None:
    def outcome(actor: int, texts: list[str]) -> None:
        if "a" in texts:
            raise UserError("too long")

    pool, logged = FakePool(outcome), []
    stream = RayReader(READER, pool).stream_counted(  # type: ignore[arg-type]
        requests(*"abcdefghijkl"), [1] * 12, lambda at, reply: logged.append(at)
    )
    with pytest.raises(UserError, match=r"^too long$"):
        list(stream)
    assert len(pool.calls) == 4
    assert sorted(logged) == [2, 3, 4, 5, 6, 7]


def test_nodes_that_would_read_differently_are_refused() -> None:
    reader = RayReader(READER, FakePool(dtypes=["bf16", "fp32"]))  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"^the nodes of the cluster would read differently \(reader 1 and 2, dty"):
        _ = reader.facts


def test_enough_examples_wait_for_every_actor() -> None:
    packed = RayReader(READER, FakePool(tokens_per_call=100))  # type: ignore[arg-type]
    assert packed.concurrency * 8 == 2 * 256
    counted = RayReader(READER, FakePool(batch_requests=16))  # type: ignore[arg-type]
    assert counted.concurrency * 8 == 2 * 4 * 16
