"""Many requests at once: each answer is kept the moment it is there, then handed on."""

import threading

import pytest

from models.apis.sending.concurrent import replies_in_order_of_arrival
from tests import patience


def test_answers_are_kept_in_the_thread_that_got_them_while_nobody_takes_them():
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


def test_an_answer_that_cannot_be_kept_ends_it():
    def full(place, answer):
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        list(replies_in_order_of_arrival(lambda question: question, range(100), 2, full))
