"""The replies in a folder of batch files: which request each is to, and where it stands.

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
from longdoc.errors import UserError
from longdoc.record_checks import Malformed
from pipelines.engine.batches.formats import Outcome, outcome_of

ANSWER = ("choices", "content")  # what two answers to one request are compared by
MAX_SHOWN = 3


@dataclass(slots=True)
class ReplyFile:
    """A file of replies: the digest of its bytes, the ids that it has, and lines that are none."""

    path: Path
    digest: str = ""
    ids: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)  # as the answers name them
    damaged: list[tuple[int, str]] = field(default_factory=list)
    cut: bool = False  # its last line has no end, and cannot be read


@dataclass(frozen=True, slots=True)
class _Place:
    file: Path
    start: int
    length: int
    answered: bool
    content: bytes


class Replies:
    """The replies in `files` to the requests `asked`; `remarks` says what is wrong with them.

    Raises `UserError` for a file that holds no replies, or none to these requests.
    """

    def __init__(self, files: Sequence[Path], asked_names: Collection[str]) -> None:
        self.files: list[ReplyFile] = []
        self.remarks: list[str] = []
        self._places: dict[str, _Place] = {}
        self._differing_pairs: list[tuple[str, Path]] = []
        read = [self._read(path) for path in files]
        for file in read:
            _check(file, asked_names)
        self.files = read
        self._remark(asked_names)

    def __getitem__(self, id: str) -> Outcome | None:
        """What was replied to a request, None for nothing."""
        if (place := self._places.get(id)) is None:
            return None
        with place.file.open("rb") as file:
            file.seek(place.start)
            return outcome_of(plain_json.loads(file.read(place.length)))[1]

    def _read(self, path: Path) -> ReplyFile:
        one_file, digest, start, line = ReplyFile(path), hashlib.sha256(), 0, b""
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                digest.update(line)
                if line.strip():
                    self._add(one_file, number, start, line)
                start += len(line)
        one_file.cut = (
            bool(one_file.damaged) and one_file.damaged[-1][0] == number and not line.endswith(b"\n")
            if start
            else False
        )
        one_file.digest = digest.hexdigest()
        return one_file

    def _add(self, file: ReplyFile, number: int, start: int, line: bytes) -> None:
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
        place = _Place(file.path, start, len(line), outcome.answered, _content(outcome))
        known_place = self._places.get(id)
        if known_place is None or (place.answered and not known_place.answered):
            self._places[id] = place
        elif place.answered and known_place.content != place.content:
            self._differing_pairs.append((id, file.path))

    def _remark(self, asked_names: Collection[str]) -> None:
        for file in self.files:
            if not file.ids and not file.damaged:
                self.remarks.append(f"{file.path} is empty")
            if file.damaged:
                number, reason = file.damaged[-1]
                description = f"line {number} is cut off" if file.cut else f"line {number} is no reply ({reason})"
                other_text = f", and so are {len(file.damaged) - 1:,} others" if len(file.damaged) > 1 else ""
                self.remarks.append(f"{file.path}: {description}{other_text}: left out")
            if unknown := len(file.ids) - len(file.ids & set(asked_names)):
                self.remarks.append(f"{file.path}: {unknown:,} of {len(file.ids):,} replies are to no request here")
        if self._differing_pairs:
            named_text = ", ".join(f"{id} in {path}" for id, path in self._differing_pairs[:MAX_SHOWN])
            count = len(self._differing_pairs)
            description = "request has" if count == 1 else "requests have"
            self.remarks.append(
                f"{count:,} {description} several answers that differ ({named_text}): the first one counts"
            )


def _check(file: ReplyFile, asked_names: Collection[str]) -> None:
    """Raise `UserError` for a file of something else."""
    if file.damaged and not file.ids:
        number, reason = file.damaged[0]
        raise UserError(f"{file.path} is no file of replies (line {number}: {reason}): move it out of the folder")
    if file.ids and not file.ids.intersection(asked_names):
        raise UserError(
            f"none of the {len(file.ids):,} replies in {file.path} is to a request in {file.path.parent}: they are of "
            f"another run, or their requests-… file was deleted; move it out of the folder"
        )


def _content(outcome: Outcome) -> bytes:
    """A digest of what a reply answers, without the names and times that a server adds."""
    body: Any = outcome.body
    if isinstance(body, dict):
        body = [body.get(name) for name in ANSWER]
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).digest()[:16]
