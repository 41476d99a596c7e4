"""Local servers that count tokens as llama.cpp's and vLLM's do, with a tokenizer of 400 tokens."""

from functools import cache
from typing import Any

from tests import tiny_models
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat, failure, json_answer

START, END = "<|im_start|>", "<|im_end|>"
SYSTEM = f"{START}system\nYou are a helpful assistant.{END}\n"  # where the messages have none, as in Qwen's template


@cache
def _tokenizer() -> Any:
    return tiny_models.byte_level([START, END])


def ids(text: str) -> list[int]:
    """The token ids of a text, in which the marks of turns are tokens of their own."""
    return list(_tokenizer().encode(text, add_special_tokens=False).ids)


def rendered(messages: list[dict[str, Any]]) -> str:
    """The prompt that the chat template makes of messages."""
    turns = "".join(f"{START}{message['role']}\n{message['content']}{END}\n" for message in messages)
    return f"{'' if messages[0]['role'] == 'system' else SYSTEM}{turns}{START}assistant\n"


def llama_cpp(server: ApiServer, window: int, slots: int = 1, file: str = "model.gguf") -> ApiServer:
    """Make a server behave like llama.cpp's, with slots of `window` tokens."""
    server.pages["/props"] = json_answer(
        {
            "default_generation_settings": {"n_ctx": window},
            "total_slots": slots,
            "model_path": f"/models/{file}",
            "eos_token": END,
        }
    )
    server.answer, server.counted = _answering(window), _llama_cpp_counts
    return server


def vllm(server: ApiServer, window: int, model: str = "m") -> ApiServer:
    """Make a server behave like vLLM's."""
    entry = {"id": model, "object": "model", "created": 0, "owned_by": "vllm", "max_model_len": window}
    server.pages["/v1/models"] = json_answer({"object": "list", "data": [entry]})
    server.answer, server.counted = _answering(window), _vllm_counts
    return server


def _answering(window: int) -> Any:
    """A rule that answers "x" with the prompt's number of tokens, or HTTP 400 if the window is too small."""

    def answer(request: ReceivedRequest, times: int) -> Answer:
        tokens = len(ids(rendered(request.body["messages"])))
        if tokens + request.body["max_tokens"] > window:
            return failure(400, f"request ({tokens} tokens) exceeds the available context size ({window} tokens)")
        return chat("x", usage=(tokens, 1))

    return answer


def _llama_cpp_counts(path: str, body: dict[str, Any]) -> Answer:
    if path == "/apply-template":
        return json_answer({"prompt": rendered(body["messages"])})
    tokens: list[Any] = ids(body["content"])
    if body.get("with_pieces"):
        tokens = [{"id": token, "piece": _piece(token)} for token in tokens]
    return json_answer({"tokens": tokens})


def _piece(token: int) -> str | list[int]:
    """The text of a token, or its bytes as numbers if they are not valid UTF-8, as llama.cpp returns it."""
    characters = str(_tokenizer().id_to_token(token))
    content = (
        characters.encode() if characters in (START, END) else bytes(_bytes()[character] for character in characters)
    )
    try:
        return content.decode()
    except UnicodeDecodeError:
        return list(content)


@cache
def _bytes() -> dict[str, int]:
    """The byte that each character of a byte-level vocabulary (GPT-2's) stands for."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + number): byte for number, byte in enumerate(hidden)}


def _vllm_counts(path: str, body: dict[str, Any]) -> Answer:
    if path != "/tokenize":
        return failure(404, "not found")
    text = rendered(body["messages"]) if "messages" in body else body["prompt"]
    return json_answer({"count": len(ids(text)), "max_model_len": 0, "tokens": ids(text)})
