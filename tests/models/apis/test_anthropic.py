"""The reader behind Anthropic's API, against a server of its wire format."""

import pytest

import models
from longdoc.errors import UserError
from longdoc.registry import describe
from models import Generate, Part, Prompt, Reader
from tests.api_peer import Answer, Peer, failure, message, said, sent

KEY = "sk-ant-secret-0123456789"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def peer():
    """A server that says the prompt again, until a test has it answer otherwise."""
    peer = Peer(lambda asked, times: message(said(asked.prompt.upper())))
    yield peer
    peer.close()


def reader(peer, **fields):
    return models.get("anthropic:claude-x", base_url=peer.url, **{"max_retries": 1} | fields)


def ask(peer, *prompts, **fields):
    return reader(peer, **fields).reply([Generate(prompt, 5) for prompt in prompts])


def test_a_request_has_the_form_of_the_api(peer):
    made = reader(peer, system="Be brief.", temperature=0.5, extra={"metadata": {"user_id": "u"}})
    (reply,) = made.reply([Generate("who?", 100_000, stop=("\n", "END"))])
    (asked,) = peer.asked
    assert asked.path == "/v1/messages"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "model": "claude-x",
        "max_tokens": 100_000,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "who?"}],
        "stop_sequences": ["END"],  # the API refuses white space alone
        "temperature": 0.5,
        "metadata": {"user_id": "u"},
    }
    assert (reply.value, reply.tokens_in, reply.tokens_out, reply.finish_reason) == ("WHO?", 7, 2, "stop")


def test_nothing_but_the_needed_is_sent_by_default(peer):
    ask(peer, "who?")
    assert set(peer.asked[0].body) == {"model", "max_tokens", "messages"}


BEGUN = Prompt((Part("document", "A mill."), Part("query", "\n\nWhose?"), Part("prefill", "\n\nAnswer: <answer>")))


def test_the_assistant_s_turn_is_begun_where_the_prompt_says_how(peer):
    ask(peer, BEGUN, "who?")
    ask(peer, BEGUN, prefill=False)
    assert sorted([asked.body["messages"] for asked in peer.asked], key=str) == [
        [{"role": "user", "content": "A mill.\n\nWhose?"}, {"role": "assistant", "content": "Answer: <answer>"}],
        [{"role": "user", "content": "A mill.\n\nWhose?\n\nAnswer: <answer>"}],
        [{"role": "user", "content": "who?"}],
    ]


def test_a_model_that_refuses_to_go_on_ends_the_run_with_what_to_change(peer):
    peer.answer = lambda asked, times: failure(400, "This model does not support assistant message prefill.")
    with pytest.raises(UserError, match=r"does not support assistant message prefill.*: switch prefill off"):
        ask(peer, BEGUN)
    (reply,) = ask(peer, BEGUN, prefill=False)
    assert "HTTP 400" in reply.error


def test_it_keeps_the_contract_and_is_its_description(peer):
    made = reader(peer)
    assert isinstance(made, Reader)
    assert describe(models.get(describe(made))) == describe(made)
    assert KEY not in repr(made) + str(describe(made)) + str(made.resolve())
    assert made.resolve()["base_url"] == peer.url


def test_stop_strings_of_white_space_are_applied_here(peer):
    peer.answer = lambda asked, times: message(said("one\ntwo"))
    (reply,) = reader(peer).reply([Generate("who?", 5, stop=("\n",))])
    assert (reply.value, reply.finish_reason) == ("one", "stop")


def test_blocks_are_joined_and_thoughts_kept_raw(peer):
    thought = {"type": "thinking", "thinking": "The mill.", "signature": "s"}
    peer.answer = lambda asked, times: message(thought, said("An"), said("na"))
    (reply,) = ask(peer, "who?")
    assert (reply.value, reply.raw) == ("Anna", "<think>The mill.</think>\nAnna")


@pytest.mark.parametrize(
    ("blocks", "stop", "value", "reason"),
    [
        ([said("par")], "max_tokens", "par", "length"),
        ([], "max_tokens", "", "length"),
        ([said("par")], "model_context_window_exceeded", "par", "length"),
        ([said("par")], "stop_sequence", "par", "stop"),
        ([said("I can't.")], "refusal", "I can't.", "refusal"),
        ([], "refusal", "", "refusal"),
    ],
)
def test_every_way_to_end_is_an_output(peer, blocks, stop, value, reason):
    peer.answer = lambda asked, times: message(*blocks, stop=stop)
    (reply,) = ask(peer, "who?")
    assert (reply.value, reply.finish_reason, reply.error) == (value, reason, None)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (message(), "the reply holds no text"),
        (Answer(b"<html></html>", kind="text/html"), "answered with HTML instead of the API's JSON"),
        (Answer(b'{"content": ['), "sent no readable reply"),
        (sent({"type": "message", "content": None}), "answered with something else instead of the API's JSON"),
        (failure(400, "prompt is too long: 9 > 8"), "HTTP 400: prompt is too long: 9 > 8"),
        (failure(529, "Overloaded"), "HTTP 529: Overloaded"),
        (message(said("lost"), cut=9), "the connection to http://127.0.0.1:"),
    ],
)  # fmt: skip
def test_what_goes_wrong_with_one_request_is_its_own_error(peer, answer, problem):
    peer.answer = lambda asked, times: answer if asked.prompt == "bad" else message(said("good"))
    good, bad = ask(peer, "a", "bad", max_retries=0)
    assert good.value == "good"
    assert (bad.value, bad.finish_reason) == (None, "error")
    assert problem in bad.error


def test_the_wait_that_a_server_asks_for_is_kept(peer):
    busy = failure(429, "slow down", headers={"Retry-After": "1"})
    peer.answer = lambda asked, times: busy if times == 0 else message(said("done"))
    (reply,) = ask(peer, "who?")
    first, second = peer.asked
    assert reply.value == "done"
    assert second.at - first.at >= 1.0


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_refused_key_ends_it_at_once_and_is_never_shown(peer, status):
    peer.answer = lambda asked, times: failure(status, f"invalid x-api-key {KEY}")
    with pytest.raises(UserError, match=f"refuses the key in ANTHROPIC_API_KEY .HTTP {status}") as caught:
        ask(peer, *(f"p{i}" for i in range(9)), concurrency=1)
    assert KEY not in str(caught.value)
    assert len(peer.asked) == 1


def test_a_refused_temperature_ends_it_with_what_to_type(peer):
    peer.answer = lambda asked, times: failure(400, "`temperature` is deprecated for this model.")
    with pytest.raises(UserError, match="give temperature=null"):
        ask(peer, "a", temperature=0.0)


def test_the_provider_needs_a_key(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(UserError, match="needs a key: export ANTHROPIC_API_KEY=KEY"):
        models.get("anthropic:claude-x").resolve()


def test_several_outputs_are_requested_one_by_one(peer):
    peer.answer = lambda asked, times: message(said(f"text {times}"))
    (reply,) = reader(peer).reply([Generate("who?", 5, n=2)])
    assert (reply.value, reply.tokens_in, reply.tokens_out) == (("text 0", "text 1"), 14, 4)


def test_cached_prompt_tokens_are_counted(peer):
    usage = {"input_tokens": 3, "cache_read_input_tokens": 40, "cache_creation_input_tokens": None, "output_tokens": 1}
    peer.answer = lambda asked, times: sent({"content": [said("x")], "stop_reason": "end_turn", "usage": usage})
    made = reader(peer, prices={"input": 1.0, "output": 1.0})
    assert made.reply([Generate("a", 5)])[0].tokens_in == 43
    assert made.spent == pytest.approx(44e-6)
