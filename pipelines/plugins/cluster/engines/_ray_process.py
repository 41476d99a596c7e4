"""A Ray actor: it prepares documents, or holds readers that answer batches of requests."""

import contextlib
import io
import os
import pickle
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc import __version__
from longdoc.allowed_code import import_typed
from longdoc.errors import UserError
from models.reader import Reader
from models.requests import Reply, Request
from pipelines.engine.planning.spec import resolved
from pipelines.engine.preparation.document_worker import DocumentWorker, sendable

PREFIX = "longdoc:"  # of our own messages on stderr


@dataclass(frozen=True, slots=True)
class About:
    """The host of a process, and its versions."""

    host: str
    python: str
    longdoc: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a method, or its error, and our own messages that it wrote to stderr."""

    value: Any
    error: Exception | None
    said: Sequence[str]


@dataclass(frozen=True, slots=True)
class ReaderFacts:
    """The settings that a reader resolved to where it runs, and the size of its batches."""

    resolved: dict[str, Any]
    tokens_per_call: int | None
    batch_requests: int


class Process:
    """One actor. Plans and readers come pickled with each call and are kept, so that any actor can replace another."""

    def __init__(self, folder: str) -> None:
        if Path(folder).is_dir():  # relative paths of models and caches are those of the run
            os.chdir(folder)
        self._plans = ""
        self._worker: DocumentWorker | None = None
        self._readers: dict[str, Reader] = {}

    def about(self) -> About:
        """The host and the versions of this process."""
        python = ".".join(platform.python_version_tuple()[:2])
        return About(platform.node(), python, __version__)

    def prepare(self, key: str, plans: bytes, method: str, arguments: Sequence[Any]) -> Outcome:
        """Call a method of the `DocumentWorker` for these plans, which `key` identifies."""

        def call() -> Any:
            if self._worker is None or self._plans != key:
                self._worker, self._plans = DocumentWorker(_unpickled(plans)), key
            return getattr(self._worker, method)(*arguments)

        return _outcome(call)

    def facts(self, key: str, reader: bytes) -> Outcome:
        """The facts of a reader."""

        def call() -> ReaderFacts:
            loaded = self._reader(key, reader)
            return ReaderFacts(resolved(loaded), loaded.tokens_per_call, loaded.batch_requests)

        return _outcome(call)

    def reply(self, key: str, reader: bytes, requests: Sequence[Request]) -> Outcome:
        """A reader's replies to a batch of requests."""

        def call() -> list[Reply]:
            return self._reader(key, reader).reply(requests)

        return _outcome(call)

    def forget(self, key: str) -> None:
        """Free the memory of a reader."""
        self._readers.pop(key, None)

    def _reader(self, key: str, reader: bytes) -> Reader:
        if key not in self._readers:
            self._readers[key] = _unpickled(reader)
        return self._readers[key]


def _unpickled(data: bytes) -> Any:
    """Plans or a reader, from the process that started the run. Raises `UserError` where their code is missing."""
    try:
        modules, components = pickle.loads(data)  # noqa: S301  # nosec B301  # sent by the run that started this actor
        import_typed(modules)
        return pickle.loads(components)  # noqa: S301  # nosec B301  # likewise
    except ModuleNotFoundError as error:
        raise UserError(f"the module {error.name} is not on {platform.node()}: install it on each node") from None


def _outcome(call: Callable[[], Any]) -> Outcome:
    """Call a function, and catch its error and our own messages."""
    stream = io.StringIO()
    value, sent_error = None, None
    with contextlib.redirect_stderr(stream):
        try:
            value = call()
        except Exception as error:
            sent_error = sendable(error)
    lines = [line for line in stream.getvalue().splitlines() if line.startswith(PREFIX)]
    return Outcome(value, sent_error, list(dict.fromkeys(lines)))
