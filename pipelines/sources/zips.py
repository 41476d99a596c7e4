"""Files inside zips: streamed out of the archive, never unpacked to disk.

`qmsum.zip::qmsum/test.jsonl` names the member `qmsum/test.jsonl` of the archive `qmsum.zip`.
"""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from longdoc import archives
from longdoc.errors import UserError
from pipelines.documents.file_bytes import DAMAGED

SEPARATOR = "::"
MAX_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside a zip, with the attributes of a path that reading needs. `inside`: its name in the zip."""

    archive: Path
    inside: str

    @property
    def name(self) -> str:
        """Its name in messages."""
        return f"{self.archive.name}{SEPARATOR}{self.inside}"

    @property
    def stem(self) -> str:
        """The last part of its name, without the ending."""
        return PurePosixPath(self.inside).stem

    @property
    def suffix(self) -> str:
        """The ending of its name."""
        return PurePosixPath(self.inside).suffix

    @property
    def parent(self) -> Path:
        """The folder that the archive is in."""
        return self.archive.parent

    def __str__(self) -> str:
        return f"{self.archive}{SEPARATOR}{self.inside}"

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """The file opened for reading; it is decompressed in a stream, and its checksum is checked at the end.

        Raises `UserError` for an archive that is cut off, damaged, encrypted, or without the member.
        """
        try:
            with archives.opened(self.archive) as archive, archive.open(self._entry(archive)) as handle:
                yield handle
        except DAMAGED as error:
            raise UserError(
                f"{self} cannot be read ({error or 'the data end too early'}). The zip is damaged or was cut off; "
                f"fetch or copy it again"
            ) from None

    def _entry(self, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
        entries = {entry.filename: entry for entry in archive.infolist()}
        if self.inside not in entries:
            names = [name for name in entries if not name.endswith("/")]
            names_shown = ", ".join(names[:MAX_SHOWN]) + (" …" if len(names) > MAX_SHOWN else "")
            raise UserError(
                f"{self.archive} has no member {self.inside}; it has {names_shown or 'none'}. "
                f"If one of them is meant, unpack it and pass its path"
            )
        if entries[self.inside].flag_bits & 1:
            raise UserError(f"{self} is encrypted; unpack it with its password and pass the path of the file")
        return entries[self.inside]


def names(archive: Path) -> list[str]:
    """The names of a zip's files; empty if it cannot be opened, which reading it will report."""
    try:
        with archives.opened(archive) as zip_file:
            return [name for name in zip_file.namelist() if not name.endswith("/")]
    except (*DAMAGED, UserError):
        return []


def file_of(file: Path | Member) -> Path:
    """The file on disk: the archive of a member."""
    return file.archive if isinstance(file, Member) else file


def published_files(path: Path, published: tuple[str, ...]) -> tuple[Path | Member, ...]:
    """The published files at a path that is a zip, or has the zip or its unpacked files in it; else empty."""
    members = [name.split(SEPARATOR) for name in published if SEPARATOR in name]
    if path.is_file():
        return tuple(Member(path, inside) for _, inside in members) if path.suffix.lower() == ".zip" else ()
    unpacked = tuple(path / inside for _, inside in members)
    beside = tuple(path / PurePosixPath(inside).name for _, inside in members)
    zipped = tuple(Member(path / archive, inside) for archive, inside in members)
    for files in (unpacked, beside, zipped):
        if files and all(file_of(file).is_file() for file in files):
            return files
    return ()
