"""A local HTTP server that answers or fails as a test tells it to."""

import contextlib
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests import patience


@dataclass(frozen=True)
class Answer:
    """A response, sent after `wait` (seconds or an event) without its last `missing_bytes` bytes."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    wait: Any = 0.0
    missing_bytes: int = 0


@dataclass(frozen=True)
class ReceivedRequest:
    """A request as it was received, at `time` (monotonic seconds)."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    time: float

    @property
    def prompt(self) -> str:
        return str((self.body.get("messages") or self.body["input"])[-1]["content"])


class _Server(ThreadingHTTPServer):
    request_queue_size = (
        128  # waiting connections: a busy machine accepts them late, and the default of five is too few
    )


class ApiServer:
    """Answers with `answer(request, times)`, where `times` is how often the same body was received before.

    `pages` has answers by path; requests for them are not recorded in `received`. Any other GET gets a 404. Give the
    `port` of a closed server to start it again. `counted(path, body)` answers requests about tokens (by default a 404).
    """

    def __init__(
        self, answer: Callable[[ReceivedRequest, int], Answer], pages: dict[str, Answer] | None = None, port: int = 0
    ) -> None:
        self.answer, self.pages = answer, pages or {}
        self.counted: Callable[[str, dict[str, Any]], Answer] = lambda path, body: failure(404, "not found")
        self.calls = 0  # the number of requests about tokens
        self.received: list[ReceivedRequest] = []
        self.max_in_flight = 0
        self._in_flight = 0
        self._bodies: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._connections: list[socket.socket] = []
        self._server = _Server(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def prompts(self) -> list[str]:
        return [request.prompt for request in self.received]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def kill(self) -> None:
        """Close the server and every connection, as if its process had ended."""
        self.close()
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _take(self, request: ReceivedRequest) -> Answer:
        with self._lock:
            self.received.append(request)
            self._in_flight += 1
            self.max_in_flight = max(self.max_in_flight, self._in_flight)
            times = self._bodies[json.dumps(request.body)]
            self._bodies[json.dumps(request.body)] += 1
        answer = self.answer(request, times)
        if isinstance(answer.wait, threading.Event):
            answer.wait.wait(patience.SECONDS)
        else:
            time.sleep(answer.wait)
        with self._lock:
            self._in_flight -= 1
        return answer

    def _handler(server) -> type[BaseHTTPRequestHandler]:  # noqa: N805  (the handler has a self of its own)
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # otherwise a body waits 40 ms until its headers are acknowledged

            def setup(self) -> None:
                super().setup()
                server._connections.append(self.connection)

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                page = server.pages.get(self.path)
                if self.path in ("/tokenize", "/apply-template"):
                    server.calls += 1
                    page = page or server.counted(self.path, body)
                self.send(page or server._take(ReceivedRequest(self.path, headers, body, time.monotonic())))

            def do_GET(self) -> None:
                self.send(server.pages.get(self.path) or failure(404, "not found"))

            def send(self, answer: Answer) -> None:
                try:
                    self.send_response(answer.status)
                    for name, value in {"Content-Type": answer.kind, **answer.headers}.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(answer.body)))
                    self.end_headers()
                    self.wfile.write(answer.body[: len(answer.body) - answer.missing_bytes])
                    self.close_connection = answer.missing_bytes > 0
                except OSError:
                    self.close_connection = True  # the client has closed the connection

            def log_message(self, *arguments: Any) -> None:
                pass

        return Handler


def json_answer(record: Any, **more: Any) -> Answer:
    """A response with a JSON body."""
    return Answer(json.dumps(record).encode(), **more)


def chat(*texts: str | None, finish: str = "stop", usage: tuple[int, int] | None = (7, 2), **more: Any) -> Answer:
    """A chat completion in OpenAI's form."""
    record: dict[str, Any] = {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "served-model",
        "system_fingerprint": "fp_1",
        "choices": [
            {"index": i, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
            for i, text in enumerate(texts)
        ],
    }
    if usage:
        record["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return json_answer(record, **more)


def message(*blocks: dict[str, Any], stop: str = "end_turn", usage: tuple[int, int] = (7, 2), **more: Any) -> Answer:
    """A message in Anthropic's form."""
    record = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "served-model",
        "content": list(blocks),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": usage[0], "output_tokens": usage[1]},
    }
    return json_answer(record, **more)


def response(
    *items: dict[str, Any], status: str = "completed", usage: tuple[int, int] = (7, 2), **fields: Any
) -> Answer:
    """A response of OpenAI's Responses API; `fields` replace or add to its own."""
    record = {
        "id": "r",
        "object": "response",
        "created_at": 0,
        "model": "served-model",
        "status": status,
        "error": None,
        "incomplete_details": None,
        "output": list(items),
        "usage": {"input_tokens": usage[0], "output_tokens": usage[1], "total_tokens": sum(usage)},
    }
    return json_answer(record | fields)


def message_item(text: str | None, kind: str = "output_text") -> dict[str, Any]:
    """An output item of a response: a message with one part, which is a text or a refusal."""
    part = {"type": kind, ("refusal" if kind == "refusal" else "text"): text, "annotations": []}
    return {"id": "i", "type": "message", "role": "assistant", "status": "completed", "content": [part]}


def ollama(text: str | None, *, done: str | None = "stop", usage: tuple[int, int] = (7, 2), **fields: Any) -> Answer:
    """A reply of Ollama's own API; `fields` are added to its message."""
    record = {
        "model": "served-model",
        "created_at": "2026-11-01T00:00:00Z",
        "message": {"role": "assistant", "content": text, **fields},
        "done": True,
        "done_reason": done,
        "total_duration": 1,
        "prompt_eval_count": usage[0],
        "eval_count": usage[1],
    }
    return json_answer(record)


def base_of(reader: str, url: str) -> str:
    """The `base_url` that a reader needs for a server at `url`."""
    return f"{url}/v1" if reader in ("openai", "responses") else url


def text_block(text: str) -> dict[str, Any]:
    """A text block of a message."""
    return {"type": "text", "text": text}


def failure(status: int, text: str, *, param: str | None = None, **more: Any) -> Answer:
    """An error in the form of both APIs."""
    error = {"message": text, "type": "some_error", "param": param, "code": None}
    return json_answer({"type": "error", "error": error}, status=status, **more)
