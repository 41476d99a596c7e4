"""The reader that actors hold, without Ray: which batches are sent, and which are awaited."""

from collections import deque
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from longdoc import interrupts
from longdoc.errors import UserError
from models.requests import Generate, Reply
from pipelines.plugins.cluster.engines._ray_process import ReaderFacts
from pipelines.plugins.cluster.engines._ray_reader import BATCHES, RayReader, _Batch, _retry


class Pool:
    """Two actors that answer when both have as many batches as they get at once."""

    lost = ()

    def __init__(self):
        self.sent = []

    def ready(self):
        return [0, 1]

    wait = ready

    def starting(self):
        return []

    def call(self, actor, method, key, pickled, requests):
        future = Future()
        self.sent.append((future, requests))
        if len(self.sent) >= 2 * BATCHES:
            for one, texts in self.sent:
                if not one.done():
                    one.set_result([Reply(text.prompt) for text in texts])
        return future


@pytest.mark.parametrize(("after", "answered"), [(None, 20), (1, 8)])
def test_after_an_interrupt_batches_under_way_are_awaited_and_no_more_are_sent(monkeypatch, after, answered):
    reader = RayReader.__new__(RayReader)
    reader._pool, reader._key, reader._pickled = Pool(), "key", b""
    reader.__dict__["facts"] = SimpleNamespace(batch_requests=2)
    arrived = []
    monkeypatch.setattr(interrupts, "is_waiting", lambda: after is not None and len(arrived) >= after)
    requests = [Generate(f"p{number}", 5) for number in range(20)]
    replies = dict(reader.stream(requests, lambda index, reply: arrived.append(index)))
    assert len(replies) == len(arrived) == answered
    assert all(reply.value == f"p{index}" for index, reply in replies.items())


def test_actors_with_the_same_settings_are_one_reader_and_others_are_refused(monkeypatch):
    same_facts = {actor: ReaderFacts({"dtype": "fp32"}, 100, 2) for actor in range(2)}
    reader = RayReader.__new__(RayReader)
    monkeypatch.setattr(RayReader, "_facts", lambda self: same_facts)
    assert reader.facts is same_facts[0]
    other = RayReader.__new__(RayReader)
    monkeypatch.setattr(RayReader, "_facts", lambda self: same_facts | {2: ReaderFacts({"dtype": "bf16"}, 100, 2)})
    with pytest.raises(UserError) as refused:
        other.facts  # noqa: B018
    assert str(refused.value) == (
        "the nodes of the cluster would read differently (reader 1 and 3, dtype: fp32 and bf16): "
        "give the value, or use nodes of one kind"
    )


def test_a_batch_goes_back_before_the_others_until_it_was_lost_three_times():
    batch, waiting = _Batch([4, 5]), deque([_Batch([6])])
    assert [_retry(batch, waiting, RuntimeError("killed")) for _ in range(2)] == [None, None]
    assert [one.requests for one in waiting] == [[4, 5], [4, 5], [6]]
    assert str(_retry(batch, waiting, RuntimeError("out of\n memory"))).startswith(
        "3 readers in turn were lost with the same 2 requests (out of memory); "
    )
    assert len(waiting) == 3
