"""A local server whose replies a test writes byte by byte."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

Send = Callable[[bytes], None]


class HostileServer:
    """Reads each request, then calls `answer(body, send)`, which may send any bytes, and closes the connection.

    `ended` is set when the server closes, so that an endless answer can stop with the test.
    """

    def __init__(self, answer: Callable[[bytes, Send], None]) -> None:
        self.answer, self.received, self.ended = answer, list[bytes](), threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def close(self) -> None:
        self.ended.set()
        self._listener.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._handle, args=(connection,), daemon=True).start()

    def _handle(self, connection: socket.socket) -> None:
        with suppress(OSError), connection, connection.makefile("rb") as lines:
            length, head = 0, b""
            while (line := lines.readline()).strip():
                head += line
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            body = lines.read(length)
            self.received.append(head + b"\r\n" + body)
            self.answer(body, connection.sendall)


def response(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    """An HTTP response with a JSON body; in the names of headers, underscores stand for hyphens."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", *lines]
    return "\r\n".join([*head, "Connection: close", "", ""]).encode() + body


def dribble(server: HostileServer, send: Send, piece: bytes, seconds: float) -> None:
    """Send a piece every `seconds` until the server closes."""
    while not server.ended.wait(seconds):
        send(piece)
