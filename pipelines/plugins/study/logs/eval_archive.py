"""A `.eval`, the zip in which inspect_ai writes a log: each member is read once, within bounds, and its CRC compared.

zipfile compares a member's name and CRC-32 with the list of members, and gives no more bytes than that list says.
inspect_ai adds zstd to it, where Python has none. Members without scores are read too: damage to the list can hide a
sample under another name.
"""

import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from longdoc import archives
from longdoc.errors import UserError

MAX_MEMBER = 1 << 28  # bytes of one member, which is read whole
STEP = 1 << 12  # bytes that are read at once: zstd may make 128 KiB of four
HEADER, START = "header.json", "_journal/start.json"  # the second alone where the evaluation did not end
_SAMPLE = re.compile(r"samples/(?P<id>.+)_epoch_(?P<epoch>\d{1,9})\.json", re.DOTALL)


class EvalArchive:
    """Reads the members of an open archive, each once. Raises `UserError` where they would be too large."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self._path, self._archive = path, archive
        size, entries = path.stat().st_size, archive.infolist()
        if sum(entry.file_size for entry in entries) > archives.max_size(size):
            raise archives.size_error(path, size)
        self._entries = {entry.filename: entry for entry in entries}  # of several with one name the last counts
        self._unread = dict.fromkeys(entries)

    def header(self) -> bytes:
        """The log without its samples; of an evaluation that did not end, how it began. Raises `UserError`."""
        name = next((name for name in (HEADER, START) if name in self._entries), None)
        if name is None:
            raise UserError(f"{self._path} is not a log of inspect_ai (it has no {HEADER}): give a log, NAME.eval")
        return self._read(self._entries[name])

    def samples(self, ids: Sequence[object]) -> Iterator[bytes]:
        """The samples in the order of their ids and epochs, one at a time; then all other members are read."""
        positions = {str(sample_id): position for position, sample_id in enumerate(ids)}
        matches = [match for name in self._entries if (match := _SAMPLE.fullmatch(name))]
        for match in sorted(
            matches, key=lambda match: (positions.get(match["id"], len(positions)), int(match["epoch"]))
        ):
            yield self._read(self._entries[match[0]])
        for entry in list(self._unread):
            self._read(entry)

    def _read(self, entry: zipfile.ZipInfo) -> bytes:
        """The bytes of a member."""
        del self._unread[entry]
        if entry.file_size > MAX_MEMBER:
            raise UserError(f"{self._path}: {entry.filename} has over {MAX_MEMBER >> 20} MiB: leave it out of the log")
        with self._archive.open(entry) as member:
            return b"".join(iter(lambda: member.read(STEP), b""))
