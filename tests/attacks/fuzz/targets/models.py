"""Parsers of models' folders, of kept vectors, and of what servers answer."""

import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, suppress
from functools import cache
from pathlib import Path
from typing import Any

from tests.attacks.fuzz.harness import choose, sections, target, write

IDENTITY = bytes(range(16))
CHAT = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "system_fingerprint": "f", "choices": [
    {"index": 0, "message": {"role": "assistant", "content": "Bob", "refusal": None}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}}  # fmt: skip
MESSAGE = {"id": "x", "type": "message", "role": "assistant", "model": "m", "content": [
    {"type": "thinking", "thinking": "t", "signature": "s"}, {"type": "text", "text": "Bob"}], "stop_reason": "end_turn",
    "usage": {"input_tokens": 3, "output_tokens": 1}}  # fmt: skip
RESPONSE = {"id": "x", "object": "response", "model": "m", "status": "incomplete", "error": None, "output": [
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "t"}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Bob", "annotations": []}]}],
    "incomplete_details": {"reason": "max_output_tokens"}, "usage": {"input_tokens": 3, "output_tokens": 1}}  # fmt: skip
OLLAMA = {"model": "m", "message": {"role": "assistant", "content": "Bob", "thinking": "t"}, "done": True,
          "done_reason": "stop", "prompt_eval_count": 3, "eval_count": 1}  # fmt: skip
TOO_LONG = {
    "error": {
        "message": "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens "
        "(4900 in the messages, 100 in the completion).",
        "type": "invalid_request_error",
        "code": None,
        "n_ctx": 9,
    }
}


def _parts(**files: Any) -> str:
    return "".join(f"=== {name.replace('__', '.')}\n{json.dumps(content)}\n" for name, content in files.items())


@target(_parts(config__json={"architectures": ["T5ForConditionalGeneration"], "model_type": "t5", "num_labels": 2}),
        _parts(config__json={"architectures": ["BertForSequenceClassification"], "id2label": {"0": "a", "1": "b"}}),
        _parts(config__json={"architectures": ["GPT2LMHeadModel"], "max_position_embeddings": 512}))  # fmt: skip
def model_config(data: bytes, folder: Path) -> None:
    from models import hub

    write(sections(data), folder)
    hub.file_kind(str(folder))
    hub.outputs(hub.config(folder))


@target(_parts(tokenizer_config__json={"chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}", "eos_token": "x"}),
        _parts(tokenizer_config__json={"chat_template": [{"name": "default", "template": "{{ bos_token }}"}]},
               special_tokens_map__json={"bos_token": {"content": "b"}}),
        "=== chat_template.jinja\n{{ messages[0]['content'] }}{{ raise_exception('no') }}")  # fmt: skip
def chat_template(data: bytes, folder: Path) -> None:
    from models.chat import Chat

    class Reader:
        model, chat, system, chat_template_kwargs = "m", None, None, ()  # type: ignore[var-annotated]

    write(sections(data), folder)
    if b"range" not in data and b"*" not in data:  # a template may loop as long as it likes
        Chat.load(folder, Reader)


@target(_parts(reader__json={"name": "linear"}), _parts(reader__json={"name": "linear", "labels": ["a", "b"]}), _parts(retriever__json={"name": "evidence_ranker"}),
        _parts(reader__json={"name": "openai", "model": "x", "base_url": "http://x"}))  # fmt: skip
def trained_folder(data: bytes, folder: Path) -> None:
    import models
    import retrievers
    from models import saved

    write(sections(data), folder)
    for get, file in ((models.get, saved.READER), (retrievers.get, saved.RETRIEVER)):
        if saved.saved_description(str(folder), file) is not None:
            _allow_refusal(lambda get=get: get(str(folder)))  # type: ignore[misc]


@cache
def _learned_model() -> bytes:
    import numpy as np
    import skops.io
    from sklearn.linear_model import LogisticRegression

    return bytes(skops.io.dumps({"model": LogisticRegression().fit(np.eye(2), [0, 1])}))


@target(longest=12000)
def learned_model(data: bytes, folder: Path) -> None:
    from models import saved

    (folder / saved.LEARNED).write_bytes(data)
    saved.load(str(folder), "model")


@target(longest=2000)
def vectors(data: bytes, folder: Path) -> None:
    """A file of kept vectors: what is found is what was kept, bit by bit, or nothing."""
    import numpy as np

    from models.encoders._segment import Segment

    path = folder / "segment"
    path.write_bytes(data)
    keys, kept = _kept_vectors()
    try:
        segment = Segment.open(path, IDENTITY, np.dtype("<f4"))
    except ValueError:
        return
    for place, vector in segment.find(keys)[1].items():
        assert np.array_equal(vector, kept[place])
    assert len(segment.holds(keys)) == len(keys)


def _kept_vectors() -> Any:
    import numpy as np

    keys = np.arange(6, dtype=np.uint64).reshape(3, 2) * np.uint64(0x0123456789ABCDEF)
    return keys, np.arange(12, dtype=np.float32).reshape(3, 4)


def _segment() -> bytes:
    import numpy as np

    from models.encoders import _segment as parser

    return bytes(parser.header(IDENTITY, 4, np.dtype("<f4")) + parser.entries(*_kept_vectors()).tobytes())


@target("0", "1 2 3", "9 9 1 2")
def kept_split(data: bytes, folder: Path) -> None:
    """Segments of the vector cache behind the cache itself: a damaged file is computed again."""
    import numpy as np

    from models.encoders import _cache

    os.environ["LONGDOC_CACHE"] = str(folder)
    expected = np.arange(8, dtype=np.float32).reshape(2, 4)
    with redirect_stderr(io.StringIO()):
        store = _cache._Store(folder / "v", IDENTITY, np.dtype(np.float32))
        store.vectors(["a", "b"], lambda texts: expected[: len(texts)], True)
        for path in sorted((folder / "v").rglob("*")):
            if path.is_file() and path.stat().st_size:
                content = bytearray(path.read_bytes())
                for number, byte in enumerate(data[:40]):
                    content[(byte * 7 + number) % len(content)] ^= 1 + number % 255
                path.write_bytes(bytes(content))
        store_again = _cache._Store(folder / "v", IDENTITY, np.dtype(np.float32))
        assert np.array_equal(
            store_again.vectors(["a", "b"], lambda texts: expected[[["a", "b"].index(t) for t in texts]], True),
            expected,
        )


@target(_parts(vocab__json={"</s>": 0, "<unk>": 1, "<pad>": 2, ">>fra<<": 3, "a": 4}), longest=2000)
def marian(data: bytes, folder: Path) -> None:
    from models.neural.shared import marian

    write(sections(data), folder)
    marian.codes(folder)
    proto = __import__("sentencepiece.sentencepiece_model_pb2", fromlist=["ModelProto"]).ModelProto()
    proto.trainer_spec.model_type = 1
    for piece in ("</s>", "<unk>", "a"):
        proto.pieces.add(piece=piece, score=-1.0)
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(proto.SerializeToString())
    marian.load(folder, None)


def _reader(name: str, handle: Callable[[Any], Any]) -> Any:
    import models
    from models.apis.sending.bounded import module_of

    url = "http://127.0.0.1:9" if name == "ollama" else "http://127.0.0.1:9/v1"
    reader: Any = models.get(f"{name}:m", base_url=url, window=200, max_retries=0)
    http = reader._library().DefaultHttpxClient
    module = module_of(http)
    reader.use(http(transport=module.MockTransport(lambda sent: handle(module))))
    return reader


def _thinking() -> Iterator[dict[str, Any]]:
    """Completions with each form of thinking."""
    part, thought = {"type": "text", "text": "Bob"}, {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    for message in (
        {"content": "Bob", "reasoning": "hm", "reasoning_content": "hm"},
        {"content": None, "reasoning_details": [{"type": "reasoning.summary", "summary": "hm"}, {"data": "x"}]},
        {"content": [thought, part, {"type": "reference"}]},
        {"content": "<think>hm</think>Bob"},
    ):
        details = {"completion_tokens_details": {"reasoning_tokens": 1}, "prompt_tokens_details": {"cached_tokens": 2}}
        usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 8, "prompt_cache_hit_tokens": 1, **details}
        yield CHAT | {"choices": [{"finish_reason": "length", "message": message}], "usage": usage}


@target(
    *(b"\0\0" + json.dumps(body).encode() for body in _thinking()),
    *(
        bytes([kind, status]) + json.dumps(body).encode()
        for kind in range(4)
        for status, body in (
            (0, CHAT),
            (0, MESSAGE),
            (0, RESPONSE),
            (0, OLLAMA),
            (1, TOO_LONG),
            (2, {"error": "busy"}),
            (3, {"detail": ["no"]}),
            (4, {"message": "x"}),
        )
    ),
    b"\0\0<html>",
    b"\0\0" + json.dumps({"error": {"message": "x"}}).encode(),
    b"\1\0" + json.dumps(CHAT | {"choices": []}).encode(),
)
def api_response(data: bytes, folder: Path) -> None:
    """What a server answers is a reply or its error, never an exception but a mistake in the set-up."""
    from models.requests import Generate, Reply

    name, rest = choose(data, ("openai", "anthropic", "responses", "ollama"))
    status, body = choose(rest, (200, 400, 429, 500, 401, 404, 413, 204, 302, 503))

    def handle(httpx: Any) -> Any:
        kind = "text/html" if body.startswith(b"<") else "application/json"
        return httpx.Response(status, content=body, headers={"content-type": kind, "retry-after": "0"})

    reply = _reader_of(name, handle).reply_to(Generate("Who? " * 5, 20))
    assert isinstance(reply, Reply)
    assert (reply.error is None) == isinstance(reply.value, str)


_HANDLES: dict[str, list[Any]] = {}


def _reader_of(name: str, handle: Callable[[Any], Any]) -> Any:
    """A reader whose client is made once; what answers it is the given function."""
    if name not in _HANDLES:
        slot: list[Any] = [handle]
        _HANDLES[name] = [_reader(name, lambda httpx: slot[0](httpx)), slot]
    reader, slot = _HANDLES[name]
    slot[0] = handle
    return reader


@target(
    json.dumps(TOO_LONG),
    json.dumps({"message": "prompt is too long: 210000 tokens > 200000 maximum"}),
    '{"message": 1}',
)
def server_error(data: bytes, folder: Path) -> None:
    from models.apis.accounting import context_window

    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        body = None
    context_window.overrun(data.decode("utf-8", "replace"), body)


def _allow_refusal(call: Callable[[], object]) -> None:
    from longdoc.errors import UserError

    with suppress(UserError):
        call()


def seeds_of_models() -> dict[str, list[bytes]]:
    """Seeds that have to be made by libraries."""
    return {"learned_model": [_learned_model()], "vectors": [_segment()]}
