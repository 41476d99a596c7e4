"""The request for a split, the local data found for it, and the modules of the layouts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, cast, runtime_checkable

from longdoc.extensions import modules_in
from pipelines.records import Example
from pipelines.sources import tables
from pipelines.sources.own_data.row_lines import RowLines
from pipelines.sources.reading import file_identity
from pipelines.sources.warnings import Warnings

Read = Callable[[Warnings], Iterator[Example]]


class Layout(Protocol):
    """The interface of a layout's module."""

    ACCEPTS: str

    def recognizes(self, fields: Mapping[str, Any]) -> bool:
        """Whether a first row is of this layout."""

    def read(self, table: tables.Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
        """The examples of the rows."""


@runtime_checkable
class LayoutWithFiles(Layout, Protocol):
    """A layout whose rows name files."""

    def files(self, table: tables.Table) -> list[Path]:
        """The document files that the rows name."""


@runtime_checkable
class LayoutOfQuestions(Layout, Protocol):
    """A layout of rows with questions whose texts are in files of their own, some of which may be missing."""

    def questions(self, table: tables.Table, split: str) -> Iterator[Example]:
        """The examples of all rows, whose documents have no text."""


@runtime_checkable
class LayoutOfSeveralTasks(Layout, Protocol):
    """A layout of a benchmark with a file for each task, whose rows say of which task they are."""

    def check_task(self, first: tables.Row, task: str) -> None:
        """Raise `UserError` if the first row is of another task."""


@runtime_checkable
class LayoutInRepository(Layout, Protocol):
    """A layout of files that lie in a folder of their own in the benchmark's repository."""

    def question_file(self, folder: Path, task: str) -> Path | None:
        """The file with a task's questions in a folder, None where there is none."""


@runtime_checkable
class LayoutOfSeveralFiles(Layout, Protocol):
    """A layout of a benchmark whose folder does not have its files under the names of the hub."""

    def task_file(self, folder: Path, task: str) -> Path:
        """The file of a task in the benchmark's folder. Raises `UserError` where there is none."""


@runtime_checkable
class LayoutByDocument(Layout, Protocol):
    """A layout that says whether it groups examples by document."""

    BY_DOCUMENT: bool


@runtime_checkable
class LayoutOfRowFiles(Layout, Protocol):
    """A layout with files of rows under the name of a text."""

    def row_tables(self, path: Path, split: str) -> Iterator[tuple[Path, tables.Table]]:
        """The files of a split at a path, each with the table of its rows."""


@runtime_checkable
class Release(Protocol):
    """A layout whose release is recognized by its files, not by a row."""

    def find(self, path: Path, request: "SplitRequest") -> "LocalData | None":
        """The split at a path, None for anything but a release. Raises `UserError` for a release without the split."""


@dataclass(frozen=True, slots=True)
class SplitRequest:
    """The split of a task to find in local data, and the layouts that the data may have.

    `is_sharded`: only the documents of one shard will be read. `has_texts`: whether the documents' texts are needed.
    """

    task: str
    layouts: tuple[str, ...]
    published: tuple[str, ...]
    split: str
    has_query: bool
    builder: str = ""
    is_sharded: bool = False
    has_texts: bool = True


@dataclass(slots=True)
class LocalData:
    """How to read local data, and their files: `tables`, and the documents that those name.

    `layout` is the layout of the rows, or the release that a folder contains. `lines` are the lines of own rows, by
    which one shard can be read; None if the lines do not show which rows are in a shard.
    """

    read: Read
    root: Path
    tables: list[Path]
    documents: list[Path] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    layout: str = ""
    lines: RowLines | None = None

    def fingerprint(self) -> dict[str, Any]:
        """Name, bytes and SHA-256 of each table; number and digest of the documents; `size`, the bytes of all."""
        record: dict[str, Any] = {"files": [file_identity(path, self.root) for path in self.tables]}
        record["size"] = sum(path.stat().st_size for path in [*self.tables, *self.documents])
        if self.documents:
            identities = [file_identity(path, self.root) for path in self.documents]
            digest = sha256(
                "".join(f"{fields['sha256']}  {fields['name']}\n" for fields in identities).encode()
            ).hexdigest()
            record["documents"] = {"files": len(identities), "sha256": digest}
        return record


OWN_DATA = ("aligned", "folder", "forms", "hotpotqa", "loogle", "musique", "rows")  # not one benchmark's own


def layout(name: str) -> Layout:
    """The module of a layout of rows."""
    return cast(Layout, _module(name))


def releases(names: Iterable[str]) -> Iterator[Release]:
    """The modules of the layouts that are recognized by their files."""
    return (module for name in names if isinstance(module := _module(name), Release))


def row_files(names: Iterable[str]) -> Iterator[LayoutOfRowFiles]:
    """The modules of the layouts whose files of rows are named like text files."""
    return (module for name in names if isinstance(module := _module(name), LayoutOfRowFiles))


def question_file(names: Iterable[str], folder: Path, task: str) -> Path | None:
    """The file of a task's questions in a folder, by the first layout that finds one; None if there is none."""
    modules = (module for name in names if isinstance(module := _module(name), LayoutInRepository))
    return next((file for module in modules if (file := module.question_file(folder, task)) is not None), None)


def reads_by_document(name: str) -> bool:
    """Whether a layout groups examples by document, whatever the order of the rows."""
    if name not in OWN_DATA and name not in modules_in("layouts"):
        return name == ""  # of examples in Python; the bundled sample has a name that is no module's
    module = _module(name)
    return isinstance(module, LayoutByDocument) and module.BY_DOCUMENT


def _module(name: str) -> ModuleType:
    if name in OWN_DATA:
        return import_module(f"{__package__}.own_data.{name}")
    return import_module(modules_in("layouts")[name])
