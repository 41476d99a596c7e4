"""A small model behind a local server in OpenAI's form, for benchmarks of readers behind one.

The model is all-MiniLM-L6-v2 (22 million weights). It writes the sentence of the document that is nearest to the
question in meaning; of options the one nearest to the three such sentences; of a claim TRUE where a sentence is as near
as `NEAR`. A prompt over `WINDOW` words is refused, as servers do. Prompts are a question, options, and `DOCUMENT`.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from models import encoders

BEFORE = "\n\nDOCUMENT:\n"
DOCUMENT = BEFORE + "{document}"  # what a prompt has behind its question
WINDOW = 30_000
NEAR = 0.5  # a guess: nothing chose it
_OPTION = re.compile(r"\(([A-D])\) (.*)")


class SmallModel:
    """Answers prompts; sentences are encoded once."""

    def __init__(self) -> None:
        self.encoder = encoders.get("minilm")
        self.known: dict[str, Any] = {}
        self.lock = threading.Lock()

    def answer(self, prompt: str) -> str:
        """The answer to a prompt; for a question without a document the first option, or FALSE."""
        query, _, document = prompt.partition(BEFORE)
        options = [match[2].strip() for match in _OPTION.finditer(query)]
        question = query.partition("\n")[0]
        sentences = [one for one in re.split(r"(?<=[.!?])\s+|\n+", document) if one.strip()]
        if not sentences:
            return options[0] if options else "FALSE"
        near = self._vectors(sentences) @ self._vectors([question])[0]
        best = np.argsort(-near, kind="stable")[:3]
        if options:
            shown = (
                self._vectors([f"{question} {one}" for one in options])
                @ self._vectors([sentences[one] for one in best]).T
            )
            return options[int(shown.mean(1).argmax())]
        if question.startswith("CLAIM:"):
            return "TRUE" if near.max() >= NEAR else "FALSE"
        return sentences[best[0]]

    def _vectors(self, texts: list[str]) -> Any:
        with self.lock:
            new = [one for one in dict.fromkeys(texts) if one not in self.known]
            if new:
                self.known |= dict(zip(new, np.asarray(self.encoder.encode(new, "passage")), strict=True))
            return np.stack([self.known[one] for one in texts])


@contextmanager
def serving(model: SmallModel) -> Iterator[str]:
    """Serve a model while the block runs; the value is its address, `http://127.0.0.1:PORT/v1`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, record = _reply(model, str(body["messages"][-1]["content"]))
            sent = json.dumps(record).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def _reply(model: SmallModel, prompt: str) -> tuple[int, dict[str, Any]]:
    words = len(prompt.split())
    if words > WINDOW:
        text = f"This model's maximum context length is {WINDOW} tokens, the messages have {words} tokens."
        return 400, {"error": {"message": text, "code": "context_length_exceeded"}}
    text = model.answer(prompt)
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": words, "completion_tokens": len(text.split())}
    return 200, {"model": "minilm", "choices": [choice], "usage": usage}
