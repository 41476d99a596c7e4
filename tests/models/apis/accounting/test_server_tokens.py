"""Tokens that a server counts: prompts fill its window to the last token, and the counts are its own."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from longdoc.errors import UserError
from models.apis.openai import Openai
from models.apis.sending.adaptive_limit import AdaptiveLimit
from models.prompts import Part, Prompt
from models.requests import Generate
from tests.api_server import Answer, ApiServer, chat, failure, json_answer
from tests.counting_servers import END, START, ids, llama_cpp, rendered, vllm

WINDOW, OUTPUT = 512, 30
SENTENCE = "In 1871 the mill had 48 wheels, and 306 men worked there: 1,250 crowns. Žluťoučký kůň 漢字 – end"
WORDS = SENTENCE.split()
IMITATIONS: list[Callable[..., ApiServer]] = [llama_cpp, vllm]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[ApiServer]:
    server = ApiServer(lambda request, times: chat("x"))
    yield server
    server.close()


def make_reader(server: ApiServer, **fields: Any) -> Openai:
    return Openai("m", base_url=f"{server.url}/v1", **{"max_retries": 0} | fields)


def texts(count: int, words: int = 250) -> list[str]:
    draw = random.Random(0)
    return [f"{i}. " + " ".join(draw.choice(WORDS) for _ in range(words + i)) for i in range(count)]


def request_for(text: str) -> Generate:
    return Generate(Prompt((Part("instruction", "\n\n Sum it up.\n"), Part("document", text, 0, len(text)))), OUTPUT)


@pytest.mark.parametrize("imitate", IMITATIONS)
@pytest.mark.parametrize("fields", [{}, {"system": "Be brief."}, {"window": 400}])
def test_prompts_fill_the_window_and_the_reader_counts_tokens_as_the_server_does(
    imitate: Callable[..., ApiServer], fields: dict[str, Any], server: ApiServer
) -> None:
    imitate(server, WINDOW)
    reader = make_reader(server, **fields)
    window = fields.get("window", WINDOW)
    assert reader.context_window == window
    replies = reader.reply([request_for(text) for text in texts(3)])
    assert [reply.error for reply in replies] == [None] * 3
    assert len(server.received) == 3  # none was refused and asked again
    full = {window - OUTPUT - reply.tokens_in for reply in replies}
    assert min(full) >= 0 and max(full) <= 16  # up to the end of a word
    sent = {request.prompt: len(ids(rendered(request.body["messages"]))) for request in server.received}
    assert {reader.framed_tokens(prompt) for prompt in sent} == set(sent.values())
    assert {reply.tokens_in for reply in replies} == set(sent.values())


def test_prompts_that_are_cut_at_tokens_leave_nothing_free(server: ApiServer) -> None:
    llama_cpp(server, WINDOW)
    prompt = Prompt((Part("document", texts(1)[0], 0, 1),), cut_at="token")
    (reply,) = make_reader(server).reply([Generate(prompt, OUTPUT)])
    assert WINDOW - OUTPUT - 2 <= reply.tokens_in <= WINDOW - OUTPUT


@pytest.mark.parametrize("imitate", IMITATIONS)
def test_each_text_is_counted_once_and_llama_cpp_counts_many_in_a_call(
    imitate: Callable[..., ApiServer], server: ApiServer
) -> None:
    imitate(server, WINDOW)
    reader = make_reader(server)
    chunks = ["", *texts(40, 20), f"a{END}b", "\ud800"]
    expected = [0, *(len(ids(text)) for text in chunks[1:-1]), len(ids("\ufffd"))]
    reader.count(["x"])
    before = server.calls
    assert reader.count(chunks[:-2]) == expected[:-2]
    assert server.calls - before == (1 if imitate is llama_cpp else 40)
    assert reader.count(chunks) == expected
    before = server.calls
    assert reader.count(chunks) == expected
    assert server.calls == before


NONSENSE: list[tuple[Any, str]] = [
    (failure(404, "not found"), "does not count tokens (/tokenize); longdoc estimates them."),
    (failure(401, "no key"), "does not count tokens (/tokenize); longdoc estimates them."),
    (json_answer({"tokens": []}), "make no sense; longdoc estimates them."),
    (json_answer({"tokens": "many"}), "make no sense; longdoc estimates them."),
    (json_answer([1, 2, 3]), "make no sense; longdoc estimates them."),
    (json_answer({"tokens": list(range(5000))}), "make no sense; longdoc estimates them."),
    (Answer(b"<html>", kind="text/html"), "make no sense; longdoc estimates them."),
    (Answer(b"{"), "make no sense; longdoc estimates them."),
]


@pytest.mark.parametrize(("answer", "warning"), NONSENSE)
def test_where_the_server_does_not_count_tokens_are_estimated_and_a_note_says_so_once(
    answer: Answer, warning: str, server: ApiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    llama_cpp(server, WINDOW)
    server.counted = lambda path, body: answer
    reader = make_reader(server)
    assert reader.count(["word " * 100]) == [125]
    assert reader.prompt_limit(OUTPUT) == int(0.8 * (WINDOW - OUTPUT - 128))
    assert [reply.error for reply in reader.reply([request_for(text) for text in texts(3)])] == [None] * 3
    assert capsys.readouterr().err.count(warning) == 1


def test_a_template_that_is_not_rendered_gets_the_allowance_for_an_unknown_one(server: ApiServer) -> None:
    llama_cpp(server, WINDOW)
    counted = server.counted
    server.counted = lambda path, body: failure(501, "no jinja") if path == "/apply-template" else counted(path, body)
    assert make_reader(server).prompt_limit(OUTPUT) == WINDOW - OUTPUT - 128


def test_a_server_that_goes_away_while_it_counts_is_an_error_that_says_what_to_do(server: ApiServer) -> None:
    llama_cpp(server, WINDOW)
    reader = make_reader(server)
    reader.count(["x"])
    server.kill()
    with pytest.raises(UserError, match="The server that counts the tokens of prompts does not answer"):
        reader.count(["y"])
    assert "does not answer" in str(reader.reply_to(request_for("Where?")).error)


def test_a_base_model_is_asked_with_a_note_that_it_has_no_template(
    server: ApiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    llama_cpp(server, WINDOW, file="base.gguf")
    counted = server.counted

    def of_base(path: str, body: dict[str, Any]) -> Answer:
        if path == "/tokenize":
            body = body | {"content": body["content"].replace(START, "< | im_start | >")}
        return counted(path, body)

    server.counted = of_base
    (reply,) = make_reader(server).reply([Generate("Who?", 4)])
    assert reply.value == "x"
    assert capsys.readouterr().err.splitlines() == [
        "longdoc: The server's context window is 512 tokens; longer prompts are shortened to fit.",
        "longdoc: base.gguf has no chat template of its own; the server marks turns with <|im_start|>, which the model "
        "does not know. The model's instruct or chat version has one.",
    ]


def test_as_many_requests_are_under_way_as_the_server_has_slots(server: ApiServer) -> None:
    llama_cpp(server, WINDOW, slots=2)
    server.answer = lambda request, times: chat("x", wait=0.1)
    reader = make_reader(server)
    requests = [Generate(f"{letter * 20}: who?", 4) for letter in "abcdefghijkl"]  # about one document they take turns
    assert reader.context_window == WINDOW
    assert reader.in_flight == 2
    reader.reply(requests)
    assert server.max_in_flight == 2
    with_concurrency = make_reader(server, concurrency=5)
    assert (with_concurrency.context_window, with_concurrency.in_flight) == (WINDOW, 5)


def test_the_limit_begins_at_the_number_of_slots_and_does_not_rise() -> None:
    limit = AdaptiveLimit()
    limit.bound(3)
    assert limit.value == 3
    for _ in range(50):
        limit.add_latency(1.0, 3)
    assert limit.value == 3
    limit.add_refusal(3)
    assert limit.value == 1


class Restarted:
    """A server that was closed and is back at the same address."""

    def __init__(self) -> None:
        self.server = ApiServer(lambda request, times: chat("x"))

    def back(self) -> ApiServer:
        port = int(self.server.url.rpartition(":")[2])
        self.server.kill()
        self.server = ApiServer(lambda request, times: chat("x"), port=port)
        return self.server


@pytest.fixture
def restarted() -> Iterator[Restarted]:
    restarted = Restarted()
    yield restarted
    restarted.server.close()


def test_a_server_that_comes_back_smaller_gets_shorter_prompts_and_the_record_says_it(
    restarted: Restarted, capsys: pytest.CaptureFixture[str]
) -> None:
    llama_cpp(restarted.server, WINDOW, file="first.gguf")
    reader = make_reader(restarted.server)
    first_request, other_request = (request_for(text) for text in texts(2))
    (first,) = reader.reply([first_request])
    capsys.readouterr()
    restarted.server.kill()
    (lost,) = reader.reply([other_request])
    assert lost.error is not None
    server = llama_cpp(restarted.back(), 256, file="second.gguf")
    assert capsys.readouterr().err == ""
    (second,) = reader.reply([other_request])
    assert (first.error, second.error, len(server.received)) == (None, None, 1)
    assert WINDOW - 16 <= first.tokens_in + OUTPUT <= WINDOW and 240 <= second.tokens_in + OUTPUT <= 256
    assert capsys.readouterr().err == (
        f"longdoc: The server at {server.url}/v1 came back with another model, second.gguf (before: first.gguf) and a "
        "context window of 256 tokens (before: 512 tokens); longer prompts are shortened to fit.\n"
    )
    assert "changes" not in first.served
    assert second.served["changes"] == (
        "a context window of 256 tokens (before: 512 tokens)",
        "another model, second.gguf (before: first.gguf)",
    )


def test_a_smaller_window_is_noticed_by_the_server_s_refusal_too(restarted: Restarted) -> None:
    llama_cpp(restarted.server, WINDOW)
    reader = make_reader(restarted.server)
    first, second = (request_for(text) for text in texts(2))
    reader.reply([first])
    server = llama_cpp(restarted.back(), 256)  # between two requests: no connection broke
    (reply,) = reader.reply([second])
    assert reply.error is None and 240 <= reply.tokens_in + OUTPUT <= 256
    assert len(server.received) in (1, 2)
