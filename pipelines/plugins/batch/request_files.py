"""The files of requests in a folder of batch files, and the writer of the next ones.

`batch.json` says of each which model it is for, and which files of replies (by the digest of their bytes) were there
when it was written: as long as no others hold a reply to one of its requests, it is not answered.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from longdoc import checked_json
from longdoc.errors import UserError
from longdoc.files import new_unfinished, sync, sync_folder, write_whole
from longdoc.links import refuse_link
from pipelines.engine.recording.lines import dumps
from pipelines.plugins.batch.formats import Format

RECORD = "batch.json"
FORMAT = 2  # 2: it ends with a checksum; 1 had no number
CHECKED = range(2, FORMAT + 1)
FIELDS = ("library", "model", "url", "requests")
CHECKS = {
    **dict.fromkeys(("library", "model", "url"), checked_json.text),
    "requests": checked_json.count,
    "after": checked_json.each_item(checked_json.text),
}
WRITE_ANEW = "name another folder, batch:FOLDER, to write the requests anew"
_NAME = re.compile(r"requests-(\d+)\.jsonl?")
_ID = re.compile(rb'\{"custom_id":"([0-9a-f-]+)"')


@dataclass(slots=True)
class RequestFile:
    """A file of requests; `after` has the digests of the files of replies that were there before it."""

    path: Path
    library: str
    model: str
    url: str
    requests: int
    size: int = 0
    after: frozenset[str] = frozenset()
    price: float | None = None  # the most that these requests can cost

    @property
    def number(self) -> str:
        """The digits in its name."""
        return self.path.stem.removeprefix("requests-")

    def ids(self) -> Iterator[str]:
        """The ids of its requests. Raises `UserError` for a file that was changed."""
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if match := _ID.match(line):
                    yield match[1].decode()
                elif line.strip() not in (b'{"requests":[', b"]}", b""):
                    raise UserError(f"line {number} of {self.path} was changed: {WRITE_ANEW}")


def request_files(folder: Path) -> list[RequestFile]:
    """The files of requests in a folder, in the order they were written."""
    record = _record(folder)
    paths = sorted((int(match[1]), path) for path in folder.iterdir() if (match := _NAME.fullmatch(path.name)))
    files = []
    for _, path in paths:
        if not isinstance(entry := record.get(path.name), Mapping):
            raise UserError(f"{path} is in no {RECORD} beside it, so it was not written here: {WRITE_ANEW}")
        fields = {name: entry[name] for name in FIELDS}
        files.append(RequestFile(path, **fields, size=path.stat().st_size, after=frozenset(entry["after"])))
    return files


def _record(folder: Path) -> Mapping[str, Any]:
    """The entries of `batch.json` by file name; empty without it. Raises `UserError` for a damaged one."""
    path = folder / RECORD
    if not path.is_file():
        return {}
    try:
        record = checked_json.load(path, CHECKED)
        files: Mapping[str, Any] = record["files"]
        for file in files.values():
            checked_json.check(file, CHECKS)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UserError(f"{path} is damaged: {WRITE_ANEW}") from None
    return files


@dataclass(slots=True)
class _OpenFile:
    """A file of requests that is being written; `ends` has the end and the price of each request with a price."""

    request_file: RequestFile
    file: BinaryIO
    ends: list[tuple[int, float]] = field(default_factory=list)


class RequestWriter:
    """Writes requests of one format, model and address into as many files as the provider's limits ask for.

    The files have temporary names until `finish`.
    """

    def __init__(self, folder: Path, format: Format, model: str, url: str) -> None:
        self._folder, self._format, self._model, self._url = folder, format, model, url
        self._open: list[_OpenFile] = []

    @property
    def files(self) -> list[RequestFile]:
        """The files that are being written."""
        return [open_file.request_file for open_file in self._open]

    def add(self, number: int, id: str, body: Mapping[str, Any], price: float | None) -> int:
        """Write one request; returns the number of files begun, 0 or 1. `number` is that of the next file."""
        data = dumps(self._format.request(id, body)).encode("utf-8", "surrogatepass")
        needs_new_file = self._needs_new_file(len(data))
        if needs_new_file:
            self._begin(number)
        open_file = self._open[-1]
        request_file = open_file.request_file
        if request_file.requests:
            open_file.file.write(self._format.between)
            request_file.size += len(self._format.between)
        open_file.file.write(data)
        request_file.size += len(data)
        request_file.requests += 1
        if price is not None:
            open_file.ends.append((request_file.size, price))
            request_file.price = (request_file.price or 0.0) + price
        return int(needs_new_file)

    def keep(self, maximum: float) -> int:
        """Leave out all requests from the first one that goes over a cost of `maximum`; returns their number."""
        cost, dropped_count = 0.0, 0
        for open_file in self._open:
            kept_count = 0
            for _, price in open_file.ends:
                if dropped_count or cost + price > maximum:
                    dropped_count += 1
                else:
                    cost, kept_count = cost + price, kept_count + 1
            if kept_count < len(open_file.ends):
                self._truncate(open_file, kept_count)
        for open_file in self._open:
            if not open_file.request_file.requests:
                self._discard(open_file)
        self._open = [open_file for open_file in self._open if open_file.request_file.requests]
        return dropped_count

    def finish(self) -> None:
        """Give the files their names."""
        for open_file in self._open:
            open_file.file.write(self._format.tail)
            open_file.request_file.size += len(self._format.tail)
            sync(open_file.file)
            Path(open_file.file.name).replace(open_file.request_file.path)
            open_file.file.close()
        if self._open:
            sync_folder(self._folder)

    def discard(self) -> None:
        """Delete the files that are being written."""
        for open_file in self._open:
            self._discard(open_file)
        self._open = []

    def _truncate(self, open_file: _OpenFile, count: int) -> None:
        """Leave only the first requests in a file."""
        request_file = open_file.request_file
        request_file.size = open_file.ends[count - 1][0] if count else 0
        request_file.requests = count
        request_file.price = sum(price for _, price in open_file.ends[:count])
        open_file.file.truncate(request_file.size)
        open_file.file.seek(request_file.size)

    def _discard(self, open_file: _OpenFile) -> None:
        open_file.file.close()
        Path(open_file.file.name).unlink(missing_ok=True)

    def _needs_new_file(self, size: int) -> bool:
        """Whether a request of this size does not fit into the last file."""
        if not self._open:
            return True
        file, rest = self._open[-1].request_file, len(self._format.between) + len(self._format.tail)
        return file.requests >= self._format.most_requests or file.size + size + rest > self._format.most_bytes

    def _begin(self, number: int) -> None:
        path = self._folder / f"requests-{number:03}{self._format.suffix}"
        refuse_link(path)
        file = new_unfinished(path)
        file.write(self._format.head)
        request_file = RequestFile(path, self._format.library, self._model, self._url, 0, len(self._format.head))
        self._open.append(_OpenFile(request_file, file))


def write_record(folder: Path, files: Collection[RequestFile]) -> None:
    """Write `batch.json`, before the files of requests get their names."""
    record = {
        file.path.name: {name: getattr(file, name) for name in FIELDS} | {"after": sorted(file.after)} for file in files
    }
    write_whole(folder, RECORD, checked_json.dumps({"format": FORMAT, "files": record}))
