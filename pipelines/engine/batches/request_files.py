"""The files of requests in a folder of batch files, and the writer of the next ones.

`batch.json` says of each which model it is for, and which files of replies (by the digest of their bytes) were there
when it was written: as long as no others hold a reply to one of its requests, it is not answered.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from longdoc import checked_json, record_checks
from longdoc.errors import UserError
from longdoc.files import new_unfinished, sync, sync_folder, write_whole
from longdoc.links import refuse_link
from pipelines.engine.batches.formats import Format
from pipelines.engine.recording.lines import dumps

RECORD = "batch.json"
FORMAT = 2  # 2: it ends with a checksum; 1 had no number
CHECKED = range(2, FORMAT + 1)
FIELDS = ("library", "model", "url", "requests")
CHECKS = {
    **dict.fromkeys(("library", "model", "url"), record_checks.text),
    "requests": record_checks.count,
    "after": record_checks.each_item(record_checks.text),
}
ANEW_TEXT = "name another folder, batch:FOLDER, to write the requests anew"
_NAME = re.compile(r"requests-(\d+)\.jsonl?")
_ID = re.compile(rb'\{"custom_id":"([0-9a-f-]+)"')


@dataclass(slots=True)
class RequestFile:
    """A file of requests: its model, the digests of the files of replies that were there before, its size."""

    path: Path
    library: str
    model: str
    url: str
    requests: int
    size: int = 0
    after: frozenset[str] = frozenset()
    price: float | None = None  # of these requests at most

    @property
    def number(self) -> str:
        """The digits of its name."""
        return self.path.stem.removeprefix("requests-")

    def ids(self) -> Iterator[str]:
        """The ids of its requests. Raises `UserError` for a file that was changed."""
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if match := _ID.match(line):
                    yield match[1].decode()
                elif line.strip() not in (b'{"requests":[', b"]}", b""):
                    raise UserError(f"line {number} of {self.path} was changed: {ANEW_TEXT}")


def request_files(folder: Path) -> list[RequestFile]:
    """The files of requests in a folder, in the order they were written."""
    record = _record(folder)
    names = sorted((int(match[1]), file) for file in folder.iterdir() if (match := _NAME.fullmatch(file.name)))
    request_files = []
    for _, file in names:
        if not isinstance(value := record.get(file.name), Mapping):
            raise UserError(f"{file} is in no {RECORD} beside it, so it was not written here: {ANEW_TEXT}")
        known_fields = {name: value[name] for name in FIELDS}
        request_files.append(
            RequestFile(file, **known_fields, size=file.stat().st_size, after=frozenset(value["after"]))
        )
    return request_files


def _record(folder: Path) -> Mapping[str, Any]:
    path = folder / RECORD
    if not path.is_file():
        return {}
    try:
        record = checked_json.load(path, CHECKED)
        files: Mapping[str, Any] = record["files"]
        for file in files.values():
            record_checks.check(file, CHECKS)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UserError(f"{path} is damaged: {ANEW_TEXT}") from None
    return files


@dataclass(slots=True)
class _Open:
    """A file of requests that is being written, and the ends and prices of its requests where these are counted."""

    made: RequestFile
    format: Format
    file: BinaryIO
    ends: list[tuple[int, float]] = field(default_factory=list)


class RequestWriter:
    """Writes requests of one format, model and address into as many files as the provider's limits ask for.

    The files have temporary names until `finish`.
    """

    def __init__(self, folder: Path, format: Format, model: str, url: str) -> None:
        self._folder, self._format, self._model, self._url = folder, format, model, url
        self._open: list[_Open] = []

    @property
    def files(self) -> list[RequestFile]:
        """What was written."""
        return [value.made for value in self._open]

    def add(self, number: int, id: str, body: Mapping[str, Any], price: float | None) -> int:
        """Write one request; `number` is that of the next file, and given back is how many were begun."""
        data = dumps(self._format.request(id, body)).encode("utf-8", "surrogatepass")
        is_begun = self._is_has_no_room(len(data))
        if is_begun:
            self._begin(number)
        last = self._open[-1]
        if last.made.requests:
            last.file.write(self._format.between)
            last.made.size += len(self._format.between)
        last.file.write(data)
        last.made.size += len(data)
        last.made.requests += 1
        if price is not None:
            last.ends.append((last.made.size, price))
            last.made.price = (last.made.price or 0.0) + price
        return int(is_begun)

    def keep(self, maximum: float) -> int:
        """Leave out all requests from the first one that costs more than is left of `maximum`. Gives their number."""
        spent_value, dropped = 0.0, 0
        for value in self._open:
            kept_count = 0
            for _, price in value.ends:
                if dropped or spent_value + price > maximum:
                    dropped += 1
                else:
                    spent_value, kept_count = spent_value + price, kept_count + 1
            if kept_count < len(value.ends):
                value.made.size = value.ends[kept_count - 1][0] if kept_count else 0
                value.made.requests = kept_count
                value.made.price = sum(price for _, price in value.ends[:kept_count])
                value.file.truncate(value.made.size)
                value.file.seek(value.made.size)
        for value in self._open:
            if not value.made.requests:
                self._discard(value)
        self._open = [value for value in self._open if value.made.requests]
        return dropped

    def finish(self) -> None:
        """Give the files their names."""
        for value in self._open:
            value.file.write(self._format.tail)
            value.made.size += len(self._format.tail)
            sync(value.file)
            Path(value.file.name).replace(value.made.path)
            value.file.close()
        if self._open:
            sync_folder(self._folder)

    def discard(self) -> None:
        """Write nothing."""
        for value in self._open:
            self._discard(value)
        self._open = []

    def _discard(self, value: _Open) -> None:
        value.file.close()
        Path(value.file.name).unlink(missing_ok=True)

    def _is_has_no_room(self, size: int) -> bool:
        if not self._open:
            return True
        file, rest = self._open[-1].made, len(self._format.between) + len(self._format.tail)
        return file.requests >= self._format.most_requests or file.size + size + rest > self._format.most_bytes

    def _begin(self, number: int) -> None:
        path = self._folder / f"requests-{number:03}{self._format.suffix}"
        refuse_link(path)
        file = new_unfinished(path)
        file.write(self._format.head)
        request_file = RequestFile(path, self._format.library, self._model, self._url, 0, len(self._format.head))
        self._open.append(_Open(request_file, self._format, file))


def write_record(folder: Path, files: Collection[RequestFile]) -> None:
    """Write down what is to be known of the files of requests; before they get their names."""
    record = {
        file.path.name: {name: getattr(file, name) for name in FIELDS} | {"after": sorted(file.after)} for file in files
    }
    write_whole(folder, RECORD, checked_json.dumps({"format": FORMAT, "files": record}))
