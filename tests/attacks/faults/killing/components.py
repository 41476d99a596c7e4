"""Components that note what is asked of them in a file that no kill takes back, and data for them."""

import hashlib
import json
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from models import Classify, Compare, Fuse, Generate, Prompt, Reader, Reply, Request, Score
from models.encoders import _cache
from models.reader import OnReply, StreamingReader
from pipelines.records import Document, Example
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat
from tests.attacks.faults.killing.moments import moment

LABELS = ("positive", "negative")
BATCH = 4
IN_FLIGHT = 3


def note(path: str, key: str) -> None:
    """Append a line to a file, at once: lines of several processes never mix."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(file, f"{key}\n".encode())
    os.close(file)


def request_key(request: Request) -> str:
    """A digest of what a request shows and asks for."""
    shown = [type(request).__name__]
    for field in fields(request):
        value = getattr(request, field.name)
        prompts = value if isinstance(value, tuple) else (value,)
        shown += [prompt.text if isinstance(prompt, Prompt) else repr(prompt) for prompt in prompts]
    return hashlib.sha256("\0".join(shown).encode()).hexdigest()[:16]


def reply_to(request: Request, key: str) -> Reply:
    """A reply that depends on the request alone."""
    number = int(key, 16)
    share = (number % 997) / 997
    value: Any
    if isinstance(request, Generate | Fuse):
        prompts = request.prompts if isinstance(request, Fuse) else (request.prompt,)
        passages = [part.text for prompt in prompts if isinstance(prompt, Prompt) for part in prompt.passages]
        words = " ".join(passages).split()[number % 3 :][:4] or ["nothing"]
        texts = tuple(" ".join([*words, str((number >> 8 * i) % 3)]) for i in range(request.n))
        value = texts if request.n > 1 else texts[0]
    elif isinstance(request, Score):
        value = -5 * share
    elif isinstance(request, Classify):
        weights = [number >> 4 * i & 15 for i in range(len(LABELS))]
        total = len(LABELS) + sum(weights)
        value = {label: (1 + weight) / total for label, weight in zip(LABELS, weights, strict=True)}
    else:
        value = tuple(((number >> 3 * (i + j)) % 8) / 8 for i, j in request.pairs)
    return Reply(value, tokens_in=11, tokens_out=3)


@dataclass(frozen=True)
class NotingReader(Reader):
    """Answers every kind of request, `BATCH` of them in a call; `asked` is the file of the requests' keys."""

    asked_file: str
    labels: tuple[str, ...] = LABELS
    max_input_tokens: int | None = 400
    seed: int | None = 0

    supports = frozenset({Generate, Fuse, Score, Classify, Compare})
    batch_requests = BATCH

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        return [self._reply(request) for request in requests]

    def _reply(self, request: Request) -> Reply:
        moment("generating")
        key = request_key(request)
        note(self.asked_file, key)
        moment("generating")
        return reply_to(request, key)


@dataclass(frozen=True)
class NotingStreamingReader(NotingReader, StreamingReader):
    """The same with `IN_FLIGHT` requests under way at once, each reply handed over as it arrives."""

    concurrency = IN_FLIGHT

    def stream(self, requests: Sequence[Request], arrived: OnReply) -> Iterator[tuple[int, Reply]]:
        def ask(place: int, request: Request) -> tuple[int, Reply]:
            reply = self._reply(request)
            arrived(place, reply)
            return place, reply

        with ThreadPoolExecutor(IN_FLIGHT) as pool:
            for future in as_completed([pool.submit(ask, *pair) for pair in enumerate(requests)]):
                yield future.result()

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        return StreamingReader.reply(self, requests)


@dataclass(frozen=True)
class HashEncoder:
    """Vectors by the words' hashes, kept in the cache of vectors as those of a network are."""

    def encode(self, texts: Sequence[str], kind: str) -> Any:
        if kind == "query":
            return _vectors(list(texts))
        return _cache.cached_vectors(self.identity(), list(texts), _vectors, half=True)

    def identity(self) -> dict[str, Any]:
        return {"model": "hashes of words"}

    def resolve(self) -> dict[str, Any]:
        return self.identity()


def _vectors(texts: list[str]) -> Any:
    vectors = np.zeros((len(texts), 16), np.float32)
    for row, text in enumerate(texts):
        moment("embedding")
        for word in text.split():
            vectors[row, int(hashlib.sha256(word.encode()).hexdigest()[:8], 16) % 16] += 1
    return (
        (vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1)).astype(np.float16).astype(np.float32)
    )


def examples(documents: int = 4, questions: int = 3) -> list[Example]:
    """Made documents of thirty sentences, with questions about some of them and their evidence."""
    return [example for number in range(documents) for example in _of_document(number, questions)]


def _of_document(number: int, questions: int) -> Iterator[Example]:
    colours = ("red", "green", "blue")
    text = "\n".join(f"Room{number}{i} holds the {colours[(number + i) % 3]} chest number {i}." for i in range(30))
    document = Document(f"house-{number}", text)
    for q in range(questions):
        name = f"Room{number}{7 * q}"
        at = text.index(f"{name} ")
        colour = colours[(number + 7 * q) % 3]
        yield Example(
            f"q-{number}-{q}", document, f"What does {name} hold?", (f"the {colour} chest",), evidence=((at, at + 12),)
        )


def answer_of(body: dict[str, Any]) -> Answer:
    """The paid server's reply, which depends on the request's body alone."""
    shown = json.dumps(body, sort_keys=True)
    number = int(hashlib.sha256(shown.encode()).hexdigest()[:8], 16)
    words = shown.split()
    texts = [" ".join([*words[(number + i) % len(words) :][:3], "yes"]) for i in range(body.get("n", 1))]
    return chat(*texts, usage=(len(words), 3 * len(texts)))


@contextmanager
def paid_server(asked_file: Path) -> Iterator[str]:
    """A server in a process of its own, which notes each request before it answers; its address."""
    (address_reader, address_writer), (life_reader, life_writer) = os.pipe(), os.pipe()
    if (child := os.fork()) == 0:
        os.close(life_writer)
        _serve(asked_file, address_writer, life_reader)
    try:
        yield os.read(address_reader, 100).decode()
    finally:
        for descriptor in (address_reader, address_writer, life_reader, life_writer):
            os.close(descriptor)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _serve(asked_file: Path, address_writer: int, life_reader: int) -> None:
    """Answer until the process that started this one has ended, and all that it started."""

    def answer(request: ReceivedRequest, times: int) -> Answer:
        note(str(asked_file), hashlib.sha256(json.dumps(request.body, sort_keys=True).encode()).hexdigest()[:16])
        return answer_of(request.body)

    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # a killed client is no news
        os.write(address_writer, ApiServer(answer).url.encode())
        os.read(life_reader, 1)
    finally:
        os._exit(0)
