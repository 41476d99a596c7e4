"""The replies in a folder of batch files: the request that each is for, and its location.

Their order does not matter. Of several replies to one request an answer counts before an error; of several answers, and
of several errors, the first one in the order of the files' names.
"""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.checked_json import Malformed
from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines.plugins.batch.formats import Outcome, outcome_of

ANSWER = ("choices", "content")  # the fields by which two answers to one request are compared
MAX_SHOWN = 3


@dataclass(slots=True)
class ReplyFile:
    """A file of replies: the digest of its bytes, its ids and models, and its damaged lines with the reasons."""

    path: Path
    digest: str = ""
    ids: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)  # as the answers name them
    damaged: list[tuple[int, str]] = field(default_factory=list)
    cut: bool = False  # its last line has no end, and cannot be read


@dataclass(frozen=True, slots=True)
class _Location:
    """The location of a reply in a file; `content` is a digest of the answer."""

    file: Path
    start: int
    length: int
    answered: bool
    content: bytes


class Replies:
    """The replies in `files` to the requests of these ids; `remarks` says what is wrong with them.

    Raises `UserError` for a file that holds no replies, or none to these requests.
    """

    def __init__(self, files: Sequence[Path], request_ids: Collection[str]) -> None:
        self.files: list[ReplyFile] = []
        self.remarks: list[str] = []
        self._locations: dict[str, _Location] = {}
        self._differing: list[tuple[str, Path]] = []
        read = [self._read(path) for path in files]
        for file in read:
            _check(file, request_ids)
        self.files = read
        self._remark(request_ids)

    def __getitem__(self, id: str) -> Outcome | None:
        """The reply to a request, None without one."""
        if (location := self._locations.get(id)) is None:
            return None
        with location.file.open("rb") as file:
            file.seek(location.start)
            return outcome_of(plain_json.loads(file.read(location.length)))[1]

    def _read(self, path: Path) -> ReplyFile:
        reply_file, digest, start, number, line = ReplyFile(path), hashlib.sha256(), 0, 0, b""
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                digest.update(line)
                if line.strip():
                    self._add(reply_file, number, start, line)
                start += len(line)
        is_last_damaged = bool(reply_file.damaged) and reply_file.damaged[-1][0] == number
        reply_file.cut = is_last_damaged and not line.endswith(b"\n")
        reply_file.digest = digest.hexdigest()
        return reply_file

    def _add(self, file: ReplyFile, number: int, start: int, line: bytes) -> None:
        """Add the reply in a line. Raises `UserError` for a line of requests."""
        try:
            record = plain_json.loads(line.decode("utf-8-sig" if start == 0 else "utf-8"))
            if isinstance(record, dict) and ("method" in record or "params" in record):
                raise UserError(f"{file.path} holds requests, not replies: move it out of the folder of batch files")
            id, outcome = outcome_of(record)
        except (ValueError, Malformed) as error:
            file.damaged.append((number, str(error)))
            return
        file.ids.add(id)
        if isinstance(outcome.body, dict) and isinstance(model := outcome.body.get("model"), str):
            file.models.add(model)
        location = _Location(file.path, start, len(line), outcome.answered, _content(outcome))
        earlier = self._locations.get(id)
        if earlier is None or (location.answered and not earlier.answered):
            self._locations[id] = location
        elif location.answered and earlier.content != location.content:
            self._differing.append((id, file.path))

    def _remark(self, request_ids: Collection[str]) -> None:
        """Add a remark on each problem of the files."""
        for file in self.files:
            if not file.ids and not file.damaged:
                self.remarks.append(f"{file.path} is empty")
            if file.damaged:
                number, reason = file.damaged[-1]
                problem = f"line {number} is cut off" if file.cut else f"line {number} is not a reply ({reason})"
                others = len(file.damaged) - 1
                rest = f", and {counted(others, 'other line')} cannot be read" if others else ""
                self.remarks.append(f"{file.path}: {problem}{rest}: left out")
            if unknown := len(file.ids) - len(file.ids & set(request_ids)):
                self.remarks.append(f"{file.path}: {unknown:,} of {len(file.ids):,} replies have no request here")
        if self._differing:
            shown = ", ".join(f"{id} in {path}" for id, path in self._differing[:MAX_SHOWN])
            count = len(self._differing)
            requests = "request has" if count == 1 else "requests have"
            self.remarks.append(f"{count:,} {requests} several answers that differ ({shown}): the first one counts")


def _check(file: ReplyFile, request_ids: Collection[str]) -> None:
    """Raise `UserError` for a file without replies, or without replies to these requests."""
    if file.damaged and not file.ids:
        number, reason = file.damaged[0]
        raise UserError(f"{file.path} is not a file of replies (line {number}: {reason}): move it out of the folder")
    if file.ids and not file.ids.intersection(request_ids):
        raise UserError(
            f"none of the {len(file.ids):,} replies in {file.path} is to a request in {file.path.parent}: they are of "
            f"another run, or their requests-… file was deleted; move it out of the folder"
        )


def _content(outcome: Outcome) -> bytes:
    """A digest of the answer in a reply, without the names and times that a server adds."""
    body: Any = outcome.body
    if isinstance(body, dict):
        body = [body.get(name) for name in ANSWER]
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).digest()[:16]
