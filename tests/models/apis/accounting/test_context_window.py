"""Prompts fill the window of a model behind an API, with room for output and chat template, and none is refused."""

import random
import re

import pytest

import models
from longdoc.errors import UserError
from models import Generate, Part, Prompt
from models.apis.accounting.context_window import SPARE, TEMPLATE, Overrun, overrun
from tests import tiny_models
from tests.api_server import ApiServer, chat, failure, message, text_block
from tests.turns import for_each

OUTPUT = 30
TEMPLATE_TEXT = "{% for m in messages %}<|{{ m['role'] }}|> {{ m['content'] }} <|end|>\n{% endfor %}<|assistant|>"
SUBWORDS = tiny_models.byte_level()


def tokens(text):
    """The number of tokens as the server counts them; the reader does not have its tokenizer."""
    return len(SUBWORDS.encode(text, add_special_tokens=False).ids)


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-x")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server():
    server = ApiServer(lambda request, times: chat("x"))
    yield server
    server.close()


@pytest.fixture(scope="module")
def tokenizer_folder(tmp_path_factory):
    """The folder of the served model's tokenizer, with its chat template."""
    from transformers import PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("served")
    special = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    fast = PreTrainedTokenizerFast(tokenizer_object=SUBWORDS, **special)
    fast.chat_template = TEMPLATE_TEXT
    fast.save_pretrained(folder)
    return str(folder)


def rendered(request):
    turns = "".join(f"<|{turn['role']}|> {turn['content']} <|end|>\n" for turn in request.body["messages"])
    return turns + "<|assistant|>"


def refusing(window, message, refused):
    """A server that counts prompt, template and output, and answers 400 where they are over its window."""

    def answer(request, times):
        prompt, output = tokens(rendered(request)), request.body["max_tokens"]
        if prompt + output <= window:
            return chat("x", usage=(prompt, 1))
        refused.append(request)
        return failure(400, message.format(P=prompt, L=output, W=window, T=prompt + output, A=window - output + 1))

    return answer


VLLM = "This model's maximum context length is {W} tokens and your request has {P} input tokens ({L} > {W} - {P})."
SILENT = "Please reduce the length of the messages; the context window is full."
AT_LEAST = (
    "This model's maximum context length is {W} tokens. However, you requested {L} output tokens and your prompt "
    "contains at least {A} input tokens, for a total of at least {T} tokens."
)


PROSE = tiny_models.TEXT  # three and a half letters a token
LEDGER = [PROSE[0], "In 1871 the mill had 48 wheels, and 306 men worked there for 1,250 crowns."]  # two letters a token


def documents(sentences, count=12):
    """Documents of various lengths, all far over the windows used here."""
    draw = random.Random(0)
    return [f"{'abcdefghijkl'[i]}. " + " ".join(draw.choice(sentences) for _ in range(60 + i)) for i in range(count)]


def requests(texts):
    return [
        Generate(Prompt((Part("instruction", "Sum it up.\n"), Part("document", text, 0, len(text)))), OUTPUT)
        for text in texts
    ]


def openai(server, **fields):
    return models.get("openai:x", base_url=server.url + "/v1", max_retries=0, **fields)


@pytest.mark.parametrize("system", [None, "Answer as briefly as you can, in one sentence."])
def test_with_the_tokenizer_prompts_fill_the_window_and_none_is_refused(server, tokenizer_folder, system):
    refused = []
    server.answer = refusing(300, VLLM, refused)
    reader = openai(server, window=300, tokenizer=tokenizer_folder, system=system)
    replies = reader.reply(requests(documents(PROSE)))
    assert [reply.error for reply in replies] == [None] * 12
    assert refused == []
    assert all(reply.truncated_tokens > 100 for reply in replies)
    full = [reply.tokens_in + OUTPUT for reply in replies]
    assert 300 - SPARE - 15 <= min(full) <= max(full) <= 300  # up to the end of a word


def test_max_input_tokens_alone_bounds_the_prompt_and_leaves_no_room_for_anything_else(server, tokenizer_folder):
    refused = []
    server.answer = refusing(300, VLLM, refused)
    replies = openai(server, max_input_tokens=300, tokenizer=tokenizer_folder).reply(requests(documents(PROSE)))
    assert len(refused) == len(replies) == 12  # each was asked once
    for reply in replies:
        _, _, advice = reply.error.partition(
            " (window=300 cuts prompts so that they fit with output and chat template; "
        )
        match = re.fullmatch(r"max_input_tokens=(\d+) bounds the prompt alone\)", advice)
        assert match
    server.answer = refusing(300, VLLM, refused := [])
    openai(server, max_input_tokens=int(match[1]), tokenizer=tokenizer_folder).reply(requests(documents(PROSE)))
    assert refused == []  # the bound in the message does fit


@pytest.mark.parametrize(
    ("model", "words", "advice"),
    [
        ("x", "maximum context length exceeded", "window=TOKENS … max_input_tokens=TOKENS bounds the prompt alone"),
        (
            "gpt-4o",
            "maximum context length exceeded",
            "window=128000 … max_input_tokens=TOKENS bounds the prompt alone",
        ),
        (
            "x",
            "prompt too long; exceeded max context length by 20 tokens",
            "window=TOKENS … max_input_tokens=99 bounds the prompt alone",
        ),
        (
            "x",
            VLLM.format(P=900, L=OUTPUT, W=OUTPUT),
            f"the longest output, {OUTPUT} tokens, fills the window of {OUTPUT}: lower max_new_tokens",
        ),
    ],
)
def test_the_advice_says_as_much_as_the_server_does(server, model, words, advice):
    server.answer = lambda request, times: failure(400, words)
    reader = models.get(f"openai:{model}", base_url=server.url + "/v1", max_retries=0)
    assert reader.count(["word " * 100]) == [125]
    (reply,) = reader.reply([Generate("word " * 100, OUTPUT)])
    actual = reply.error.removeprefix(f"HTTP 400: {words} (").removesuffix(")")
    middle = " cuts prompts so that they fit with output and chat template; "
    assert actual == advice.replace(" … ", middle)


def test_both_bounds_hold(server, tokenizer_folder):
    reader = openai(server, window=300, max_input_tokens=100, tokenizer=tokenizer_folder)
    assert (reader.prompt_limit(OUTPUT), reader.prompt_limit(250)) == (100, 50 - reader.template_tokens)
    assert reader.template_tokens == tokens("<|user|> x <|end|>\n<|assistant|>") - tokens("x") + SPARE


def test_without_a_tokenizer_the_template_has_an_allowance_and_a_fifth_is_left_free(server):
    reader = openai(server, window=4_000, system="Be brief.")  # 9 letters: 3 tokens
    assert reader.template_tokens == TEMPLATE + 3
    assert reader.prompt_limit(500) == int((4_000 - 500 - TEMPLATE - 3) * 0.8)
    assert openai(server).prompt_limit(500) is None
    assert openai(server, max_input_tokens=70).prompt_limit(500) == 70


def test_without_the_tokenizer_prose_goes_through_at_once(server):
    refused = []
    server.answer = refusing(900, VLLM, refused)
    replies = openai(server, window=900).reply(requests(documents(PROSE)))
    assert ([reply.error for reply in replies], refused) == ([None] * 12, [])
    assert min(reply.tokens_in for reply in replies) > 600


@pytest.mark.parametrize("words", [VLLM, AT_LEAST])
def test_where_the_estimate_was_too_low_the_prompt_is_cut_again_and_goes_through(server, words):
    refused = []
    server.answer = refusing(400, words, refused)
    texts = documents(LEDGER)
    replies = openai(server, window=400).reply(requests(texts))
    assert [reply.error for reply in replies] == [None] * 12
    assert len(refused) >= 12
    accepted = [request.prompt.removeprefix("Sum it up.\n") for request in server.received if request not in refused]
    for text, reply in zip(texts, replies, strict=True):
        sent = next(part for part in accepted if text.startswith(part))
        assert (
            abs(reply.truncated_tokens - (len(text) - len(sent)) / 4) < 3
        )  # the tokens that both cuts removed; counts are rounded


def test_a_prompt_is_cut_once_by_the_count_of_the_server(server):
    refused = []
    server.answer = refusing(400, VLLM, refused)
    replies = openai(server, window=400).reply(requests(documents(LEDGER)))
    assert (len(refused), len(server.received)) == (12, 24)
    assert min(reply.tokens_in for reply in replies) > 0.85 * (400 - OUTPUT)


def test_a_prompt_is_cut_and_sent_three_times_at_most(server):
    server.answer = lambda request, times: failure(400, VLLM.format(P=900, L=OUTPUT, W=400))
    (reply,) = openai(server, window=400).reply(requests(documents(LEDGER, 1)))
    assert len(server.received) == 3
    assert len({request.prompt for request in server.received}) == 3
    assert reply.error.endswith(" (give a smaller window=, or tokenizer=FOLDER of the served model)")


def test_a_refusal_without_numbers_is_not_tried_again(server, tokenizer_folder):
    server.answer = refusing(400, SILENT, [])
    (reply,) = openai(server, window=400).reply(requests(documents(LEDGER, 1)))
    assert len(server.received) == 1
    assert reply.error == f"HTTP 400: {SILENT} (give a smaller window=, or tokenizer=FOLDER of the served model)"
    (reply,) = openai(server, window=900, tokenizer=tokenizer_folder).reply(requests(documents(LEDGER, 1)))
    assert reply.error == f"HTTP 400: {SILENT} (give a smaller window=)"


def test_other_errors_get_no_advice(server):
    server.answer = lambda request, times: failure(400, "no such field: top_q")
    (reply,) = openai(server, window=400).reply(requests(documents(LEDGER, 1)))
    assert reply.error == "HTTP 400: no such field: top_q"


def test_a_question_that_is_over_the_window_is_an_error_of_its_own(server):
    server.answer = refusing(400, VLLM, [])
    long = Generate(Prompt((Part("query", "48,213 " * 130),)), OUTPUT)
    (reply,) = openai(server, window=900).reply([long])
    assert reply.error.startswith("question and instructions alone take 228 tokens, the limit is ")


def test_anthropic_prompts_are_cut_again_too(server):
    words = "input length and `max_tokens` exceed context limit: {P} + {L} > {W}, decrease input length"
    refused = []
    refuse = refusing(400, words, refused)
    server.answer = lambda request, times: (
        answer if (answer := refuse(request, times)).status != 200 else message(text_block("y"), usage=(9, 1))
    )
    reader = models.get("anthropic:x", base_url=server.url, max_retries=0, window=400)
    replies = reader.reply(requests(documents(LEDGER)))
    assert [reply.value for reply in replies] == ["y"] * 12
    assert len(refused) == 12


def test_a_window_without_room_for_a_prompt_is_reported(server):
    (reply,) = openai(server, window=150).reply(requests(documents(LEDGER, 1)))
    assert server.received == []
    assert reply.error == (
        "an output of 30 tokens and 128 for the chat template fill the window of 150, which holds the prompt too: "
        "lower max_new_tokens"
    )
    with pytest.raises(UserError, match="window must be at least 1, got 0"):
        openai(server, window=0)


def test_without_a_tokenizer_tokens_are_estimated_by_script(server):
    assert openai(server).count(["abcdefgh", "мельница", "风车磨坊"]) == [2, 6, 5]


@for_each(
    ("words", "prompt", "window"),
    [
        ("maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens.", 8227, 8192),
        ("maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 "
         "in the completion).", 122942, 131072),
        ("maximum context length is 4097 tokens, however you requested 4116 tokens (1044 in your prompt; 3072 for the "
         "completion).", 1044, 4097),
        ("This model's maximum context length is 2048 tokens and your request has 1900 input tokens (512 > 2048 - "
         "1900).", 1900, 2048),
        (AT_LEAST.format(W=8192, L=512, A=7681, T=8193), None, 8192),
        ("The decoder prompt (length 9000) is longer than the maximum model length of 8192.", 9000, 8192),
        ("The prompt (total length 25938) is too long to fit into the model (context length 4096).", 25938, 4096),
        ("Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of "
         "5012 tokens: 4500 tokens from the input messages and 512 tokens for the completion.", 4500, 4096),
        ("The input (9000 tokens) is longer than the model's context length (8192 tokens).", 9000, 8192),
        ("request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it", 14429, 8192),
        ("`inputs` tokens + `max_new_tokens` must be <= 8192. Given: 8000 `inputs` tokens and 512 `max_new_tokens`",
         8000, 8192),
        ("`inputs` must have less than 4095 tokens. Given: 5000", 5000, 4095),
        ("prompt is too long: 205,000 tokens > 200,000 maximum", 205_000, 200_000),
        ("input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease it", 178959, 200_000),
        ("Prompt contains 33100 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
         33_100, 32_768),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
         1_200_000, 1_048_576),
        ("This model's maximum prompt length is 131072 but the request contains 140000 tokens.", 140_000, 131_072),
    ],
)  # fmt: skip
def test_numbers_are_read_from_the_messages_of_servers(words, prompt, window):
    assert overrun(words) == Overrun(prompt, window)


@pytest.mark.parametrize("words", ["maximum context length is 8192 tokens", "no", "6 tokens > 5", "at least 4 tokens"])
def test_a_message_without_both_numbers_gives_none(words):
    assert overrun(words) is None


def test_numbers_may_stand_in_fields_of_their_own():
    body = {"message": "the request exceeds the available context size", "n_prompt_tokens": 14429, "n_ctx": 8192}
    assert overrun(body["message"], body) == overrun(body["message"], {"error": body}) == Overrun(14429, 8192)
