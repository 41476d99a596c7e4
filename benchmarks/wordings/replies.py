"""Replies of real models, kept by the digest of the prompt, so that a wording can be scored again without the model.

A line of the file is a JSON list: model, digest, reply. It holds no document, no question and no reference.
"""

import hashlib
import json
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chunkers.shared.words import count_words
from models import Generate, Reader, Reply
from models.prompts import Prompt
from models.requests import Request

DIGEST = 12  # hexadecimal digits
SECONDS = 600  # for one reply
FILE = Path(__file__).parent / "replies.jsonl"
MODELS = ("Qwen2.5-Coder-1.5B", "Qwen2.5-Coder-0.5B")  # Instruct, Q4_K_M, behind llama.cpp's server


@dataclass
class Replies:
    """The replies of a file by model and digest; `add` writes each through."""

    file: Path = FILE
    texts: dict[tuple[str, str], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.file.exists():
            for line in self.file.read_text(encoding="utf-8").splitlines():
                model, digest, text = json.loads(line)
                self.texts[model, digest] = text

    def add(self, model: str, digest: str, text: str) -> None:
        """Keep a reply."""
        self.texts[model, digest] = text
        with self.file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps([model, digest, text], ensure_ascii=False) + "\n")

    def keep(self, used: set[tuple[str, str]]) -> None:
        """Write the file anew with these replies alone, in order."""
        lines = [
            json.dumps([*key, text], ensure_ascii=False) for key, text in sorted(self.texts.items()) if key in used
        ]
        self.file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def digest(request: Generate) -> str:
    """The digest of what a model is sent: the prompt and the length of the output."""
    text = json.dumps([Prompt.of(request.prompt).text, request.max_new_tokens], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST]


@dataclass
class RecordedModel(Reader):
    """A chat model that answers with its kept replies. Where it has none, the reply is empty and the request kept."""

    model: str
    replies: Replies
    missing: dict[str, Generate] = field(default_factory=dict)  # by digest
    used: set[tuple[str, str]] = field(default_factory=set)

    supports = frozenset({Generate})
    is_chat = True
    is_random = False

    def count(self, texts: Sequence[str]) -> list[int]:
        """Words: prompts are not cut here."""
        return count_words(texts)

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """The kept replies."""
        return [self._reply(request) for request in requests if isinstance(request, Generate)]

    def _reply(self, request: Generate) -> Reply:
        key = digest(request)
        text = self.replies.texts.get((self.model, key))
        if text is None:
            self.missing[key] = request
            return Reply("")
        self.used.add((self.model, key))
        return Reply(text)


def ask(url: str, request: Generate) -> str:
    """The greedy reply of a model behind an OpenAI-compatible server."""
    body: dict[str, Any] = {
        "messages": [{"role": "user", "content": Prompt.of(request.prompt).text}],
        "temperature": 0,
        "max_tokens": request.max_new_tokens,
    }
    if request.stop:
        body["stop"] = list(request.stop)
    data = json.dumps(body).encode()
    call = urllib.request.Request(f"{url}/v1/chat/completions", data, {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(call, timeout=SECONDS) as response:  # noqa: S310
        return str(json.load(response)["choices"][0]["message"]["content"] or "")
