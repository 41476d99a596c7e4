"""At a server with slots, prompts about one document follow each other in one slot, however short it is."""

import threading
from collections.abc import Sequence

import pytest

import models
from models import Generate
from models.apis.accounting.prefix_tree import common_length
from models.apis.accounting.shared_prefixes import SharedPrefixes
from models.apis.accounting.slot_order import SHARED_PROMPTS, SlotOrder
from models.apis.sending.concurrent import replies_in_order_of_arrival
from models.apis.sending.serving import Serving
from models.prompts import Prompt
from models.requests import Reply
from tests.api_server import ApiServer, chat

ANSWERED = Reply("x")


def prompts(documents: str, questions: int) -> list[str]:
    """As many questions about each document (a letter), in an order that mixes the documents."""
    return [f"Read this. {letter * 100} Question {number}" for number in range(questions) for letter in documents]


def order_of(texts: Sequence[str], slots: int, each: int = 1, before: str = "") -> SlotOrder:
    order = SlotOrder(texts, ["http://one"] * slots, each, before, lambda text: None)
    order.complete()
    return order


class Slots:
    """A server whose slots keep what they read last; a prompt goes to the idle slot that begins most like it."""

    def __init__(self, slots: int) -> None:
        self.kept, self.idle = [""] * slots, set(range(slots))
        self.read = self.shared = 0
        self.lock = threading.Lock()

    def begin(self, text: str) -> int:
        with self.lock:
            slot = max(self.idle, key=lambda slot: (common_length(self.kept[slot], text), -slot))
            self.idle.remove(slot)
            self.shared += common_length(self.kept[slot], text)
            self.read += len(text) - common_length(self.kept[slot], text)
            self.kept[slot] = text
            return slot

    def end(self, slot: int) -> None:
        with self.lock:
            self.idle.add(slot)


def send_all(server: Slots, order: SlotOrder, texts: Sequence[str], at_once: int) -> list[int]:
    """Send all prompts, and return their indices as sent; requests end in the order in which they began."""
    sent: list[int] = []
    under_way: list[tuple[int, int]] = []
    while len(sent) < len(texts):
        while len(under_way) < at_once and len(sent) < len(texts) and can_take(order):
            index = order.take()
            assert index is not None
            sent.append(index)
            under_way.append((index, server.begin(texts[index])))
        index, slot = under_way.pop(0)
        server.end(slot)
        order.done(index, ANSWERED)
    return sent


def can_take(order: SlotOrder) -> bool:
    """Whether a slot has room, and there is a prompt for it."""
    is_cut = any(order._cut(slot.start, slot.end) is not None for slot in order._slots)
    return any(
        slot.concurrency < order._slot_concurrency and (slot.start < slot.end or is_cut) for slot in order._slots
    )


def test_a_single_slot_reads_each_document_once() -> None:
    texts = prompts("dbac", 5)
    server = Slots(1)
    sent = send_all(server, order_of(texts, 1), texts, 1)
    assert [texts[index].split()[2][0] for index in sent] == list("aaaaabbbbbcccccddddd")
    assert server.read == len("Read this. ") + 4 * len("a" * 100 + " Question 0") + 4 * 4


@pytest.mark.parametrize("slots", [2, 3, 4])
def test_several_slots_read_each_document_once_together(slots: int) -> None:
    texts = prompts("abcdefghijklmnopqrst", 5)
    server = Slots(slots)
    sent = send_all(server, order_of(texts, slots), texts, slots)
    assert sorted(sent) == list(range(100))
    unread = sum(len(text) for text in texts) - server.shared - server.read
    assert unread == 0
    assert server.read <= 20 * 112 + 80 * 1 + slots * len("Read this. ")


def test_a_slot_that_is_done_takes_a_document_that_another_has_not_begun() -> None:
    texts = prompts("a", 4) + prompts("b", 2)
    order = order_of(texts, 2)
    assert [texts[index].split()[2][0] for index in (order.take(), order.take()) if index is not None] == ["a", "b"]
    order.done(4, ANSWERED)
    assert order.take() == 5
    order.done(5, ANSWERED)
    assert not can_take(order)  # the first slot goes on with its document


def test_the_last_document_is_not_read_by_a_second_slot_for_a_few_prompts() -> None:
    texts = prompts("a", SHARED_PROMPTS - 1)
    order = order_of(texts, 2)
    assert order.take() == 0
    assert not can_take(order)


def test_two_slots_share_a_document_that_many_prompts_show() -> None:
    texts = prompts("a", SHARED_PROMPTS + 1)
    order = order_of(texts, 2)
    assert [order.take(), order.take()] == [
        0,
        int(sorted(map(str, range(SHARED_PROMPTS + 1)))[SHARED_PROMPTS // 2 + 1]),
    ]


def test_one_more_request_waits_at_a_single_slot() -> None:
    texts = prompts("ab", 3)
    order = order_of(texts, 1, each=2)
    assert [order.take(), order.take()] == [0, 2]
    assert not can_take(order)
    order.done(0, ANSWERED)
    assert order.take() == 4


def test_the_document_that_was_read_last_comes_first() -> None:
    texts = prompts("abc", 4)
    before = prompts("b", 3)[2]
    sent = send_all(Slots(1), order_of(texts, 1, before=before), texts, 1)
    assert [texts[index].split()[2][0] for index in sent] == list("bbbbccccaaaa")


def test_the_end_of_an_order_releases_those_who_wait() -> None:
    order = order_of(prompts("a", 3), 2)
    assert order.take() == 0
    taken: list[int | None] = []
    waiting = threading.Thread(target=lambda: taken.append(order.take()))
    waiting.start()
    order.end()
    waiting.join(30)
    assert taken == [None]


def test_every_request_is_sent_once_from_many_threads() -> None:
    texts = prompts("abcdefgh", 7)
    order = order_of(texts, 4)
    replies = replies_in_order_of_arrival(lambda index: Reply(str(index)), range(len(texts)), 4, order=order)
    assert sorted(index for index, _ in replies) == list(range(len(texts)))


@pytest.mark.parametrize(
    ("slots", "concurrency", "places", "each"), [(1, 2, 1, 2), (1, 1, 1, 1), (4, 4, 4, 1), (4, 2, 2, 1)]
)
def test_no_more_are_under_way_than_slots_and_concurrency_allow(
    slots: int, concurrency: int, places: int, each: int
) -> None:
    order = SharedPrefixes().slot_order([Prompt.of("x")], ["http://one"], slots, concurrency)
    assert (len(order._slots), order._slot_concurrency) == (places, each)


@pytest.mark.parametrize(("concurrency", "under_way"), [(1, 1), (None, 2)])
def test_a_reader_sends_the_questions_of_a_short_document_one_after_the_other(
    concurrency: int | None, under_way: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(Serving, "slots", 1)
    server = ApiServer(lambda request, times: chat("x"))
    reader = models.get("openai:m", base_url=f"{server.url}/v1", concurrency=concurrency)
    try:
        for documents in ("abc", "dc"):  # the next call goes on with the document that was read last
            reader.reply([Generate(text, 5) for text in prompts(documents, 3)])
    finally:
        server.close()
    assert (reader.in_flight, server.max_in_flight <= under_way) == (under_way, True)
    read = [prompt.split()[2][0] for prompt in server.prompts]
    if under_way > 1:  # two that are under way may arrive in either order
        read = sorted(read[:9]) + sorted(read[9:])
    assert read == list("aaabbbccc" + "cccddd")


def test_the_number_of_requests_under_way_depends_on_the_server_s_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    for slots, concurrency, under_way in ((1, None, 2), (4, None, 4), (100, None, 64), (4, 3, 3), (None, None, 64)):
        monkeypatch.setattr(Serving, "slots", slots)
        assert models.get("openai:m", concurrency=concurrency).in_flight == under_way


def growing_order(texts: Sequence[str], slots: int) -> SlotOrder:
    return SlotOrder(texts, ["http://one"] * slots, 1, "", lambda text: None)


def test_a_slot_goes_on_with_its_document_when_more_requests_are_added() -> None:
    texts = [*prompts("a", 2), *prompts("b", 2), *prompts("cab", 3)]
    order = growing_order(texts[:4], 2)
    assert [order.take(), order.take()] == [0, 2]
    order.add([Prompt.of(text) for text in texts[4:]])
    sent: list[int] = []
    for index in (0, 2):
        order.done(index, ANSWERED)
        sent += [taken for taken in [order.take()] if taken is not None]
    assert {texts[index].split()[2][0] for index in sent} == {"a", "b"}


def test_an_order_is_short_while_a_slot_has_nothing_to_do() -> None:
    order = growing_order([], 2)
    assert order.is_short
    order.add([Prompt.of(text) for text in prompts("a", 9)])
    assert (order.take(), order.is_short) == (0, True)  # the other slot does not read the document for a few prompts
    order.add([Prompt.of(text) for text in prompts("b", 9)])
    assert (order.take(), order.is_short) == (9, False)


def test_a_thread_that_waits_for_a_request_gets_one_that_is_added() -> None:
    order = growing_order([], 1)
    taken: list[int | None] = []
    waiting = threading.Thread(target=lambda: taken.append(order.take()))
    waiting.start()
    order.add([Prompt.of("x")])
    waiting.join(30)
    order.done(0, ANSWERED)
    order.complete()
    assert (taken, order.take()) == ([0], None)
