"""Which replies runs may share: what decides a reply beside its request, and readers whose replies are not shared.

A key of the shared replies covers the request, the reader's description and what it resolved to (as in a run's own
log), the whole content of the model's local files, the source code that makes replies of requests (`models` and what it
imports of ours), and for readers on this machine the versions of the libraries that compute. The versions of an API's
client are not covered: they decide no reply, and a paid reply outlives an upgrade. They are recorded beside each reply.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from longdoc import __version__
from longdoc.files import digest_of
from longdoc.layout import HOME, LONGDOC
from longdoc.optional import installed_version
from longdoc.registry import describe, name_of
from models.reader import Reader, StreamingReader
from models.requests import Compare, Reply, Request
from pipelines.engine.inference.shared_replies import Origin, SharedReplies
from pipelines.engine.recording import request_log

COMPUTING = ("torch", "transformers", "tokenizers", "scikit-learn", "numpy")
CODE = ("models", "chunkers")  # packages of ours beside the files of `longdoc` itself


class RunReplies:
    """The shared replies as one run uses them: its requests' keys, together with what else decides its replies.

    Replies to `Compare` are left out: they have a number for every pair of a document's paragraphs.
    """

    def __init__(self, replies: SharedReplies, reader: Reader, resolved: Mapping[str, Any]) -> None:
        self._replies = replies
        self._identity = _identity(reader)
        versions = {str(name): str(value) for name, value in resolved.get("versions", {}).items()}
        device = {"device": str(resolved["device"])} if resolved.get("device") else {}
        day = datetime.now(UTC).date().isoformat()
        self._made = {"longdoc": __version__, **versions, **device, "day": day}

    def get(self, key: str, request: Request) -> tuple[Reply, Origin] | None:
        """The reply to a request that an earlier run was given, and what it was made with."""
        return None if isinstance(request, Compare) else self._replies.get(self._key(key))

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply for other runs, unless it is an error."""
        if reply.error is None and not request_log.compared(reply.value):
            self._replies.put(self._key(key), reply, self._made)

    def _key(self, key: str) -> str:
        return hashlib.sha256(f"{self._identity} {key}".encode()).hexdigest()


def run_replies(
    replies: SharedReplies | None, reader: Reader, resolved: Mapping[str, Any], needs: frozenset[type]
) -> RunReplies | None:
    """A run's use of the shared replies; None without them, and where its replies are not shared, which is said.

    `needs` are the kinds of request that its strategy makes.
    """
    if replies is None:
        return None
    if needs <= {Compare}:
        replies.say("comparisons of pairs of paragraphs are not shared (reply_cache): they are large")
        return None
    if (reason := not_shared(reader)) is not None:
        replies.say(f"the replies of {name_of(reader)} are not shared (reply_cache): {reason}")
        return None
    return RunReplies(replies, reader, resolved)


def not_shared(reader: Reader) -> str | None:
    """Why a reader's replies are not shared; None where they are."""
    if not reader.fitted:
        return "it is fitted in each run"
    for name in _names(describe(reader)):
        if name is None:
            return "it holds an object that nothing tells from others of its class"
        if ":" in name and not name.startswith("longdoc."):
            return f"{name} is code that may change between runs"
    return None


def _names(description: Any) -> Iterator[str | None]:
    """The names of all components in a description; None for one that is not repeatable."""
    if isinstance(description, Mapping):
        if description.get("repeatable") is False:
            yield None
        elif isinstance(name := description.get("name"), str):
            yield name
    values = description.values() if isinstance(description, Mapping) else description
    if isinstance(description, (Mapping, list)):
        for value in values:
            yield from _names(value)


def _identity(reader: Reader) -> str:
    """What decides replies beside the request, the reader's description and what it resolved to."""
    versions = {} if isinstance(reader, StreamingReader) else {name: installed_version(name) for name in COMPUTING}
    return json.dumps([_code(), [_content(path) for path in reader.files()], versions])


@cache
def _code() -> str:
    """A digest of the source code that makes replies of requests."""
    files = [*LONGDOC.glob("*.py"), *(file for package in CODE for file in (HOME / package).rglob("*.py"))]
    return _digest({str(file.relative_to(HOME)): file for file in files})


def _content(path: Path) -> str:
    """A digest of a folder's files."""
    return _digest({str(file.relative_to(path)): file for file in path.rglob("*") if file.is_file()})


def _digest(files: Mapping[str, Path]) -> str:
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name} {digest_of(files[name])}\n".encode())
    return digest.hexdigest()
