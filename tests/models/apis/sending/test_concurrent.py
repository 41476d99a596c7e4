"""Many requests at once: each answer is kept as soon as it arrives, then handed on."""

import threading

import pytest

from models.apis.sending.concurrent import InTurn, Sending, replies_in_order_of_arrival
from tests import patience


def test_answers_are_kept_by_the_thread_that_got_them_before_they_are_handed_on():
    kept, all_kept = {}, threading.Event()

    def arrived(place, answer):
        kept[place] = (answer, threading.current_thread().name)
        if len(kept) == 5:
            all_kept.set()

    replies = replies_in_order_of_arrival(lambda question: question * 10, range(5), 2, arrived)
    first = next(replies)
    assert all_kept.wait(patience.SECONDS)  # and no other is taken
    assert {place: answer for place, (answer, _) in kept.items()} == {0: 0, 1: 10, 2: 20, 3: 30, 4: 40}
    assert {thread for _, thread in kept.values()} <= {"ask-0", "ask-1"}
    assert sorted([first, *replies]) == [(0, 0), (1, 10), (2, 20), (3, 30), (4, 40)]


def test_an_answer_that_cannot_be_kept_ends_the_requests():
    def full(place, answer):
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        list(replies_in_order_of_arrival(lambda question: question, range(100), 2, full))


class Growing(InTurn):
    """An order to which questions are added; whoever takes one waits until there is one."""

    def __init__(self):
        super().__init__(0)
        self.complete_event = threading.Event()

    def take(self):
        patience.until(lambda: self._waiting or self.complete_event.is_set(), "a question comes, or none")
        return super().take()

    def end(self):
        self.complete_event.set()


def test_questions_are_added_while_others_are_under_way():
    release_first = threading.Event()

    def ask(question):
        if question == 0:
            assert release_first.wait(patience.SECONDS)
        return question * 10

    order = Growing()
    sending = Sending(ask, 2, lambda place, answer: None, order)
    for number in range(4):
        order._waiting.append(number)
        sending.add(1)
    assert [sending.next() for _ in range(3)] == [(1, 10), (2, 20), (3, 30)]
    assert sending.next(wait=False) is None
    release_first.set()
    assert (sending.next(), sending.next(), sending.close()) == ((0, 0), None, [])


def test_closing_waits_for_what_is_under_way_and_asks_nothing_more():
    kept, begun, go_on = [], threading.Event(), threading.Event()

    def ask(question):
        begun.set()
        assert go_on.wait(patience.SECONDS)
        return question

    sending = Sending(ask, 1, lambda place, answer: kept.append(place), InTurn(3))
    sending.add(3)
    assert begun.wait(patience.SECONDS)
    threading.Timer(0.05, go_on.set).start()
    assert (sending.close(), kept) == ([], [0])
