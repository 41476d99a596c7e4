"""Join the logs of several shards: starts get new numbers, and equal requests are written once.

They are read and written line by line; in memory are the keys of requests and the ids of examples.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from longdoc.errors import UserError
from longdoc.files import sync, sync_folder
from longdoc.links import new_file
from models.accounting import Usage
from pipelines.engine.inference.unread_prompts import UnreadPrompts
from pipelines.engine.recording import request_log
from pipelines.engine.recording.finished_examples import check_finished
from pipelines.engine.recording.lines import Check, Record, dumps, encode_line, lines
from pipelines.engine.recording.starts import last_start, start_of
from pipelines.plugins.cluster.merging.shard_runs import ShardRun

REQUESTS, JOURNAL = "requests.jsonl", "journal.jsonl"


@dataclass(slots=True)
class JoinedLogs:
    """The merged logs of shards, as they are written, and their counts.

    `starts` are those of all shards, `used` has the numbers of the starts that each example is from. `served` is what a
    run records of its replies (`Session`), `usage` has the tokens of all replies, `paid` those that the shards paid
    for: each shard paid for equal requests. `differing` counts requests of several shards whose replies differ; the
    first reply is kept.
    """

    starts: list[Mapping[str, Any]] = field(default_factory=list)
    used: dict[str, frozenset[int]] = field(default_factory=dict)
    served: dict[str, set[str]] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    paid: Usage = field(default_factory=Usage)
    differing: int = 0
    prompts: UnreadPrompts = field(default_factory=UnreadPrompts)
    _replies: dict[str, int] = field(default_factory=dict)  # a checksum of each reply's value, by the request's key
    _sets: dict[frozenset[int], frozenset[int]] = field(default_factory=dict)  # so that equal sets are one object

    def write(self, shards: Sequence[ShardRun], folder: Path) -> None:
        """Write the merged logs into a folder. Raises `UserError` where a log is damaged."""
        with new_file(folder / REQUESTS) as requests, new_file(folder / JOURNAL) as journal:
            for shard in shards:
                self._add(shard, requests, journal)
            for file in (requests, journal):
                sync(file)
        sync_folder(folder)

    def _add(self, shard: ShardRun, requests: BinaryIO, journal: BinaryIO) -> None:
        offset, last = len(self.starts), 0
        for record in _records(shard, REQUESTS, request_log.check):
            last = max(last, start_of(record))
            if self._is_new(record):
                requests.write(encode_line({**record, "start": start_of(record) + offset}))
        for record in _records(shard, JOURNAL, check_finished):
            last = max(last, last_start(record))
            renumbered = _renumbered(record, offset)
            numbers = frozenset({renumbered["start"], *renumbered.get("reply_starts", ())})
            self.used[record["id"]] = self._sets.setdefault(numbers, numbers)
            journal.write(encode_line(renumbered))
        self.starts += shard.record["starts"][: last + 1]  # later starts wrote nothing

    def _is_new(self, record: Record) -> bool:
        """Count a reply; return whether it is the first one to its request."""
        self.paid += Usage.of_record(record)
        key, value = record["key"], zlib.crc32(dumps(record["value"]).encode("utf-8", "surrogatepass"))
        if key in self._replies:
            self.differing += self._replies[key] != value
            return False
        self._replies[key] = value
        self.prompts.add(request_log.reply_of(dict(record)))
        self.usage += Usage.of_record(record)
        for kind, names in record.get("served", {}).items():
            self.served.setdefault(kind, set()).update(names)
        return True


def _renumbered(record: Record, offset: int) -> Record:
    """A record of a journal with its starts' numbers raised."""
    renumbered = {**record, "start": start_of(record) + offset}
    if "reply_starts" in record:
        renumbered["reply_starts"] = [number + offset for number in record["reply_starts"]]
    if "rows" in record:
        renumbered["rows"] = {name: number + offset for name, number in record["rows"].items()}
    return renumbered


def _records(shard: ShardRun, name: str, check: Check) -> Iterator[Record]:
    """The records of a log. Raises `UserError` for a damaged line, which the log of a finished shard cannot have."""
    for line in lines(shard.folder / name, check):
        if line.state not in ("whole", "open"):
            location = f"line {line.number} of {name} in {shard.folder}"
            raise UserError(f"{location} is damaged: start shard {shard.shard} again, which repairs it")
        for _, record in line.records:
            yield record
