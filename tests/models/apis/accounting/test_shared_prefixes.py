"""Requests that begin alike follow each other; the first goes alone until a server has read their shared beginning."""

import threading

import pytest

import models
from longdoc import interrupts
from models import Generate
from models.apis.accounting import shared_prefixes as shared_prefixes_module
from models.apis.accounting.prefix_tree import common_length, shared_prefixes
from models.apis.accounting.shared_prefixes import WARM_SECONDS, SharedPrefixes, document_end
from models.apis.sending.concurrent import replies_in_order_of_arrival
from models.prompts import Part, Prompt
from models.requests import Reply
from tests import patience
from tests.api_server import ApiServer, chat

BOOK, OTHER = "a word " * 800, "other words " * 500  # 1,400 and 1,500 tokens, at four characters each
ANSWERED = Reply("x")


def count(texts):
    return [len(text) // 4 for text in texts]


def prompt(document, question):
    return Prompt((Part("document", document, 0, len(document)), Part("query", f"\n\nQuestion: {question}")))


class Sending:
    """An order of requests, which are sent and come back when a test says so."""

    def __init__(self, texts, servers=("",), each=8, prefixes=None):
        self.prefixes = prefixes or SharedPrefixes()
        prompts = [prompt(*text) if isinstance(text, tuple) else Prompt.of(text) for text in texts]
        self.order = self.prefixes.order(prompts, count, servers, each)
        self.order.complete()

    def ready(self):
        """The indices of all requests that may be sent now, with their servers where there are several."""
        indices = []
        while any(self.order._server(index, True) is not None for index in self.order._waiting):
            index = self.order.take()
            indices.append(index if len(self.order._servers) == 1 else (index, self.order.server(index)))
        return indices

    def back(self, *indices, reply=ANSWERED):
        for index in indices:
            self.order.done(index, reply)


def test_shared_prefixes_of_texts_are_found_at_every_depth():
    first, second = BOOK + OTHER, BOOK + "other thoughts " * 400
    texts = [first + "1", second + "1", first + "2", second + "2", "short", BOOK[:2_000]]
    paths = shared_prefixes(texts, count)
    shared = len(BOOK) + len("other ")
    assert [[prefix.length for prefix in path] for path in paths] == [
        [shared, len(first)], [shared, len(second)], [shared, len(first)], [shared, len(second)], [], [],
    ]  # fmt: skip
    assert [prefix.members for prefix in paths[0]] == [(0, 1, 2, 3), (0, 2)]


@pytest.mark.parametrize(("tokens", "shared"), [(1_023, 0), (1_024, 1)])
def test_beginnings_of_less_than_1024_tokens_are_not_shared(tokens, shared):
    beginning = "abcd" * tokens
    paths = shared_prefixes([beginning + "1", beginning + "2"], count)
    assert [len(path) for path in paths] == [shared, shared]


def test_common_beginnings_are_measured():
    assert [common_length("abcd", "abxd"), common_length("ab", "abc"), common_length("", "a")] == [2, 2, 0]
    assert common_length("x", "y") == 0


def test_the_first_of_a_document_goes_alone_and_other_documents_go_on():
    sending = Sending([(BOOK, "1"), (OTHER, "1"), (BOOK, "2"), "alone", (OTHER, "2"), (BOOK, "3")])
    assert sending.ready() == [0, 1, 3]
    sending.back(1)
    assert sending.ready() == [4]
    sending.back(0)
    assert sending.ready() == [2, 5]


def test_requests_of_a_document_follow_each_other():
    sending = Sending([(BOOK, "1"), (OTHER, "1"), (BOOK, "2"), "alone", (OTHER, "2")])
    taken = []
    for _ in range(5):
        taken.append(sending.order.take())
        sending.back(taken[-1])
    assert taken == [0, 2, 1, 4, 3]
    assert sending.order.take() is None


def test_requests_of_a_short_document_follow_each_other_and_do_not_wait():
    sending = Sending([("a b", "1"), ("c d", "1"), ("a b", "2"), "alone", ("c d", "2")])
    assert sending.ready() == [0, 2, 1, 4, 3]


def test_after_a_first_request_that_fails_the_others_go():
    sending = Sending([(BOOK, "1"), (BOOK, "2"), (BOOK, "3")])
    assert sending.ready() == [0]
    sending.back(0, reply=Reply.failed("HTTP 500"))
    assert sending.ready() == [1, 2]


def test_documents_that_were_read_lately_are_remembered_at_the_next_call():
    now = [0.0]
    prefixes = SharedPrefixes(clock=lambda: now[0])
    first = Sending([(BOOK, "1"), (BOOK, "2")], prefixes=prefixes)
    for index in (0, 1):
        assert first.ready() == [index]
        first.back(index)
    assert Sending([(BOOK, "3"), (BOOK, "4")], prefixes=prefixes).ready() == [0, 1]
    now[0] += WARM_SECONDS
    assert Sending([(BOOK, "5"), (BOOK, "6")], prefixes=prefixes).ready() == [0]


@pytest.mark.parametrize(("marked_only", "ready"), [(False, [0, 1]), (True, [0])])
def test_the_document_of_a_single_request_is_kept_unless_only_marked_ones_are(marked_only, ready):
    """The document of a single request is not marked."""
    prefixes = SharedPrefixes(marked_only)
    alone = Sending([(BOOK, "1")], prefixes=prefixes)
    assert alone.ready() == [0]
    alone.back(0)
    assert Sending([(BOOK, "2"), (BOOK, "3")], prefixes=prefixes).ready() == ready


def test_each_server_is_warmed_by_one_request_once_the_first_has_no_room():
    sending = Sending([(BOOK, str(number)) for number in range(5)], ("a", "b"), 4)
    assert sending.ready() == [(0, "a")]
    sending.back(0)
    assert sending.ready() == [(1, "a"), (2, "a"), (3, "a"), (4, "a")]
    sending = Sending([(BOOK, str(number)) for number in range(5)], ("a", "b"), 3)
    assert sending.ready() == [(0, "a"), (1, "b")]  # a has no room for all
    sending.back(0)
    assert sending.ready() == [(2, "a"), (3, "a"), (4, "a")]
    sending.back(1)
    assert sending.ready() == []


def test_the_others_wait_for_the_first_server_where_the_next_is_full():
    sending = Sending([(BOOK, str(number)) for number in range(4)], ("a", "b"), 3)
    sending.order._under_way["b"] = 3
    assert sending.ready() == [(0, "a")]
    sending.back(0)
    assert sending.ready() == [(1, "a"), (2, "a"), (3, "a")]


def test_another_document_goes_before_the_same_one_at_one_more_server():
    texts = [(BOOK, "1"), (BOOK, "2"), (BOOK, "3"), (BOOK, "4"), (OTHER, "1"), (OTHER, "2")]
    sending = Sending(texts[1:], ("a", "b"), 2)
    assert sending.ready() == [(0, "a"), (3, "b")]
    sending.back(0)
    assert sending.ready() == [(1, "a"), (2, "a")]
    sending = Sending(texts, ("a", "b"), 2)
    assert sending.order.take() == 0
    sending.back(0)
    assert sending.ready() == [(1, "a"), (2, "a"), (4, "b"), (3, "b")]


def test_followers_go_to_the_server_that_served_the_first():
    sending = Sending([(BOOK, "1"), (BOOK, "2")], ("a", "b"), 3)
    assert sending.ready() == [(0, "a")]
    sending.back(0, reply=Reply("x", served={"servers": ("b",)}))
    assert sending.ready() == [(1, "b")]


def test_a_request_that_shares_nothing_may_go_to_any_server():
    assert Sending(["one", "two"], ("a", "b"), 1).ready() == [(0, None), (1, None)]


def test_shared_documents_are_known_by_their_end():
    sending = Sending([(BOOK, "1"), (BOOK, "2"), (OTHER, "1")])
    assert sending.prefixes.is_shared(BOOK)
    assert not sending.prefixes.is_shared(OTHER)
    assert document_end(prompt(BOOK, "1")) == len(BOOK)
    assert document_end(Prompt.of(BOOK)) == 0  # a prompt without parts does not say where it ends


def test_after_an_error_the_requests_that_wait_for_the_first_are_not_sent():
    sent = []

    def ask(index):
        sent.append(index)
        raise OSError("gone")

    sending = Sending([(BOOK, "1"), (BOOK, "2"), (BOOK, "3")])
    with pytest.raises(OSError, match="gone"):
        list(replies_in_order_of_arrival(ask, range(3), 3, order=sending.order))
    assert sent == [0]


def test_after_an_interrupt_the_requests_that_wait_for_the_first_are_not_sent(monkeypatch):
    sent = []
    monkeypatch.setattr(interrupts, "is_waiting", lambda: bool(sent))

    def ask(index):
        sent.append(index)
        return ANSWERED

    sending = Sending([(BOOK, "1"), (BOOK, "2"), (BOOK, "3")])
    assert list(replies_in_order_of_arrival(ask, range(3), 3, order=sending.order)) == [(0, ANSWERED)]


def test_the_documents_that_are_remembered_are_bounded(monkeypatch):
    monkeypatch.setattr(shared_prefixes_module, "MAX_KEPT", 2)
    prefixes = SharedPrefixes()
    for document in (BOOK, OTHER, "third " * 1_000):
        sending = Sending([(document, "1")], prefixes=prefixes)
        assert sending.ready() == [0]
        sending.back(0)
    assert [text[:5] for text in prefixes._read] == ["other", "third"]
    monkeypatch.setattr(shared_prefixes_module, "KEPT_CHARACTERS", 7_000)
    sending = Sending([(OTHER, "2")], prefixes=prefixes)
    assert sending.ready() == [0]
    sending.back(0)
    assert [text[:5] for text in prefixes._read] == ["other"]


def test_a_reader_sends_the_first_request_of_a_document_alone(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    first_is_back, together = threading.Event(), threading.Barrier(3)
    received = []

    def answer(request, times):
        question = request.prompt[-1]
        received.append(question)
        if question == "1":
            assert not first_is_back.wait(0.2)  # nobody else comes meanwhile
            assert received == ["1"]
            first_is_back.set()
        else:
            together.wait(patience.SECONDS)
        return chat(question)

    server = ApiServer(answer)
    try:
        reader = models.get("openai:m", base_url=f"{server.url}/v1", concurrency=4)
        replies = reader.reply([Generate(prompt(BOOK, question), 5) for question in "1234"])
    finally:
        server.close()
    assert [reply.value for reply in replies] == ["1", "2", "3", "4"]
    assert server.max_in_flight == 3


def test_requests_that_are_added_wait_for_the_first_of_their_document_too():
    prefixes = SharedPrefixes()
    order = prefixes.order([prompt(BOOK, "1")], count, ("",), 8)
    assert order.take() == 0
    order.add([prompt(BOOK, "2"), prompt(OTHER, "3")])
    assert order.take() == 2  # the book is being read
    order.done(0, ANSWERED)
    assert (order.take(), order.is_short) == (1, True)
    for index in (1, 2):
        order.done(index, ANSWERED)
    order.complete()
    assert (order.take(), order._prompts, order._paths) == (None, {}, {})
