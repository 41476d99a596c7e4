"""Builds a data set into a folder: rows are written to temporary files as they are made, the manifest at the end.

`manifest.json` has the builder with all its fields, the seed, the names and digests of the source's files and of the
built files, and the counts. `remake` builds the same data set from it, and refuses a different source or result. The
digests of a zip are those of the files in it, since the compression depends on the machine's zlib.
"""

import json
import shutil
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from longdoc import __version__, plain_json
from longdoc.allowed_code import marked_with_file
from longdoc.errors import UserError
from longdoc.files import (
    clear_unfinished,
    differences,
    finished_name,
    make_folder,
    new_unfinished,
    sync,
    sync_folder,
    unfinished,
    write_whole,
)
from longdoc.links import refuse_links_in
from longdoc.messages import note
from longdoc.registry import describe
from pipelines.plugins.builders.builder import Builder, BuildStats, Built, Row, get
from pipelines.sources import zips
from pipelines.sources.reading import file_identity

FORMAT = 1
NAME = "manifest.json"
BLOCK = 1 << 20
LARGE = 10**9  # bytes
ORIGIN_KEYS = ("format", "longdoc", "builder", "seed", "sources")


def make(
    builder: Builder, source: Path | None, out: Path, seed: int, expected: Mapping[str, Any] | None = None
) -> Built:
    """Build a data set into a folder; an existing one is checked and left as it is.

    `source`: None for a builder that needs none. `expected`: the files that must result, as a manifest lists them.
    Raises `UserError` for an unsuitable source, for a folder with anything else in it, and where no row is left; then
    nothing is written.
    """
    source_path = Path() if source is None else source
    origin = {
        "format": FORMAT,
        "longdoc": __version__,
        "builder": describe(builder),
        "seed": seed,
        "source": None if source is None else str(source),
        "sources": dict(builder.sources(source_path)),
    }
    origin = json.loads(json.dumps(origin))  # as it is read back
    if manifest := _present_manifest(out, origin):
        return Built(out, manifest)
    _check_room(builder.expected_bytes, out)
    stats = BuildStats()
    with _Files(out, builder.archive) as files:
        for split, row in builder.rows(source_path, seed, stats):
            files.write(split, row)
        built_files = files.record()
        if not built_files:
            raise UserError(f"no row is left of {stats.read:,}: {_reasons(stats)}")
        if expected is not None and (changed := differences(expected, built_files)):
            raise UserError(f"longdoc {__version__} builds another set: {'; '.join(changed[:4])}")
        files.put()
    row_count = sum(file["rows"] for file in built_files.values())
    dropped, notes = (dict(sorted(counter.items())) for counter in (stats.dropped, stats.notes))
    counts = {"read": stats.read, "kept": row_count, "dropped": dropped, "notes": notes}
    manifest = {**origin, "files": built_files, **counts, "warnings": stats.warnings}
    write_whole(out, NAME, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    return Built(out, manifest)


def _check_room(size: int, out: Path) -> None:
    """Print how large a large set will be. Raises `UserError` where the disk has no room for it."""
    if size < LARGE:
        return
    existing = next(folder for folder in (out.absolute(), *out.absolute().parents) if folder.is_dir())
    free, text = shutil.disk_usage(existing).free, f"{out} will have about {size / LARGE:,.1f} GB"
    if size > free:
        raise UserError(
            f"{text}, and its disk has {free / LARGE:,.1f} GB free: give a smaller length, fewer examples or another "
            "folder"
        )
    note(text)


def remake(manifest: Path, out: Path, source: Path | None, fields: Mapping[str, Any]) -> Built:
    """Build the data set of a manifest again, byte for byte, from its source or from a copy of it.

    `fields` say where further files are now, as `pages=` does. Raises `UserError` for a different source or result.
    """
    record = _read(manifest)
    builder = get({**marked_with_file(record["builder"], str(manifest)), **fields})
    source_path = _source(builder, record["source"] if source is None else source)
    if source_path is not None and not source_path.exists():
        raise UserError(
            f"there is no {source_path}; say where it is: longdoc data build SOURCE --manifest {manifest} --out {out}"
        )
    sources = json.loads(json.dumps(builder.sources(Path() if source_path is None else source_path)))
    if changed := differences(record["sources"], sources):
        raise UserError(
            f"{source_path or 'the tokenizer'} is not what {manifest} was made from: {'; '.join(changed[:4])}"
        )
    return make(builder, source_path, out, record["seed"], record["files"])


def _source(builder: Builder, source: Any) -> Path | None:
    """The source of a set that is built again. Raises `UserError` for a source that the builder does not need."""
    if builder.needs_source:
        return Path(str(source))
    if source is not None:
        raise UserError(f"this set needs no source: leave {source} out")
    return None


class _Files:
    """The files of a set that is being built, one for each split; those that `put` does not move are deleted.

    With an `archive` they go into a zip of that name, in a folder of that name.
    """

    def __init__(self, out: Path, archive: str) -> None:
        self.out, self.archive, self.fresh = out, archive, not out.exists()
        self.open: dict[str, tuple[BinaryIO, Any]] = {}
        self.rows: dict[str, int] = {}

    def __enter__(self) -> "_Files":
        make_folder(self.out)
        refuse_links_in(self.out)
        clear_unfinished(self.out)
        return self

    def write(self, split: str, row: Row) -> None:
        """Add a row to a split's file."""
        if split not in self.open:
            self.open[split] = (new_unfinished(self.out / f"{split}.jsonl"), sha256())
        file, digest = self.open[split]
        line = (json.dumps(row, ensure_ascii=False) + "\n").encode()
        file.write(line)
        digest.update(line)
        self.rows[split] = self.rows.get(split, 0) + 1

    def record(self) -> dict[str, Any]:
        """The number of rows and the digest of each file, by name."""
        prefix = f"{self.archive}.zip{zips.SEPARATOR}{self.archive}/" if self.archive else ""
        return {
            f"{prefix}{split}.jsonl": {"rows": self.rows[split], "sha256": digest.hexdigest()}
            for split, (_, digest) in self.open.items()
        }

    def put(self) -> None:
        """Move the files to their final names."""
        for file, _ in self.open.values():
            sync(file)
        if self.archive:
            self._pack()
            return
        for split, (file, _) in self.open.items():
            Path(file.name).replace(self.out / f"{split}.jsonl")
            file.close()
        sync_folder(self.out)
        self.open.clear()

    def _pack(self) -> None:
        archive = self.out / f"{self.archive}.zip"
        with unfinished(archive) as file:
            self._write_archive(file)
            sync(file)
            Path(file.name).replace(archive)
        sync_folder(self.out)

    def _write_archive(self, archive_file: BinaryIO) -> None:
        with zipfile.ZipFile(archive_file, "w", zipfile.ZIP_DEFLATED) as archive:
            for split, (split_file, _) in self.open.items():
                path, entry = Path(split_file.name), zipfile.ZipInfo(f"{self.archive}/{split}.jsonl")  # dated 1980
                entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
                entry.file_size = path.stat().st_size  # decides whether the entry needs zip64
                with path.open("rb") as file, archive.open(entry, "w") as member:
                    shutil.copyfileobj(file, member, BLOCK)

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for file, _ in self.open.values():
            file.close()
            Path(file.name).unlink(missing_ok=True)
        if kind is not None and self.fresh and not any(self.out.iterdir()):
            self.out.rmdir()


def _present_manifest(out: Path, origin: Mapping[str, Any]) -> dict[str, Any] | None:
    """The manifest of the same data set in the folder, None for an empty one. Raises `UserError` for other content."""
    if out.exists() and not out.is_dir():
        raise UserError(f"{out} is a file; a set needs a folder: choose another with out=")
    if not out.exists() or all(finished_name(path.name) for path in out.iterdir()):  # unfinished files
        return None
    if not (out / NAME).is_file():
        raise UserError(f"{out} holds other files and no {NAME}; choose an empty folder with out=")
    manifest = _read(out / NAME)
    if changed := differences(
        {key: manifest.get(key) for key in ORIGIN_KEYS}, {key: origin[key] for key in ORIGIN_KEYS}
    ):
        raise UserError(f"{out} holds another set: {'; '.join(changed[:4])}. Choose another folder with out=")
    for name, file in manifest["files"].items():
        if _digest(out, name) != file["sha256"]:
            raise UserError(f"{out / name} is not as it was built; choose another folder with out=")
    return manifest


def _digest(out: Path, name: str) -> str | None:
    """The SHA-256 of a file of the data set (uncompressed, if in a zip); None if it cannot be read."""
    archive, _, inside = name.partition(zips.SEPARATOR)
    if not (out / archive).is_file():
        return None
    if not inside:
        return str(file_identity(out / archive, out)["sha256"])
    try:
        with zips.Member(out / archive, inside).opened() as handle:
            digest = sha256()
            while block := handle.read(BLOCK):
                digest.update(block)
    except UserError:
        return None
    return digest.hexdigest()


def _read(path: Path) -> dict[str, Any]:
    """The manifest in a file. Raises `UserError` for another file."""
    if not path.is_file():
        raise UserError(f"there is no manifest {path}")
    try:
        record = plain_json.loads(path.read_bytes())
    except ValueError as error:
        raise UserError(
            f"{path} is not a manifest: {error}; give the manifest.json of a set that longdoc data build made"
        ) from None
    if not isinstance(record, dict) or not {*ORIGIN_KEYS, "source", "files"} <= record.keys():
        raise UserError(
            f"{path} is not a manifest of longdoc data build: it lacks {', '.join(ORIGIN_KEYS)}, source or files"
        )
    if record["format"] > FORMAT:
        raise UserError(f"{path} was written by a newer longdoc (format {record['format']}): upgrade longdoc")
    return record


def _reasons(stats: BuildStats) -> str:
    """Why no row is left."""
    return "; ".join(f"{reason}: {count:,}" for reason, count in stats.dropped.items()) or "the source has no rows"
