"""The local server of benchmarks, in each form in which servers send a model's thinking."""

import pytest

import models
from benchmarks.small_server import FORMS, serving
from models.requests import Generate


class LastWord:
    """A model that answers every prompt with its last word."""

    def answer(self, prompt: str) -> str:
        return prompt.split()[-1]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_thinking_is_read_and_an_output_without_room_has_no_answer(form: str) -> None:
    pytest.importorskip("openai")
    with serving(LastWord(), form, "one two three four") as url:
        plain, thinks = (models.get("openai:m", base_url=url, thinking=room) for room in (None, 8))
        (cut,), (whole,) = (reader.reply([Generate("Who is Anna", 3)]) for reader in (plain, thinks))
    assert (cut.value, cut.thinking, cut.finish_reason, cut.tokens_out) == ("", "one two three four", "length", 3)
    assert (whole.value, whole.thinking, whole.finish_reason) == ("Anna", "one two three four", "stop")
    assert (whole.tokens_out, whole.reasoning_tokens) == (5, 4)


def test_a_server_that_does_not_think_sends_the_answer_alone() -> None:
    pytest.importorskip("openai")
    with serving(LastWord()) as url:
        (reply,) = models.get("openai:m", base_url=url).reply([Generate("Who is Anna", 3)])
    assert (reply.value, reply.thinking, reply.reasoning_tokens) == ("Anna", "", 0)


def test_an_answer_over_the_longest_output_is_cut_where_the_server_cuts() -> None:
    pytest.importorskip("openai")
    with serving(LastWord(), cuts=True) as url:
        reader = models.get("openai:m", base_url=url)
        cut, uncut = reader.reply([Generate("Who is Bartholomew-Anna?", length) for length in (2, 9)])
    assert (cut.value, cut.finish_reason, cut.tokens_out, cut.tokens_in) == ("Bartholomew", "length", 2, 7)
    assert (uncut.value, uncut.finish_reason, uncut.tokens_out) == ("Bartholomew-Anna?", "stop", 5)
