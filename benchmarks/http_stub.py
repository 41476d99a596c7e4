"""A server on this machine that answers POST with JSON: what the stubs of models' APIs are made of."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@contextmanager
def answering(respond: Callable[[dict[str, Any]], tuple[int, Any]]) -> Iterator[str]:
    """Serve while the block runs; the value is the address, `http://127.0.0.1:PORT`.

    `respond` gives the status and the record for a body; several threads call it. `GET /health` is answered, other
    paths are not found.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else a body waits 40 ms for the receipt of its headers

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send(*respond(body))

        def do_GET(self) -> None:
            self.send(200 if self.path == "/health" else 404, {})

        def send(self, status: int, record: Any) -> None:
            data = json.dumps(record).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}"
    finally:
        http.shutdown()
        http.server_close()
