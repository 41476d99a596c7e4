"""The request for a split, the local data found for it, and the modules of the layouts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

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
    """A layout whose rows have the questions, and files the texts, which need not all be there."""

    def questions(self, table: tables.Table, split: str) -> Iterator[Example]:
        """The examples of all rows, whose documents have no text."""


@runtime_checkable
class LayoutOfSeveralTasks(Layout, Protocol):
    """A layout of a benchmark's files, one for each of its tasks, whose rows say whose they are."""

    def check_task(self, first: tables.Row, task: str) -> None:
        """Raise `UserError` where a first row is another task's."""


class Release(Protocol):
    """A layout whose release is recognized by its files, not by a row."""

    def find(self, path: Path, request: "SplitRequest") -> "LocalData | None":
        """The split at a path, None for anything but a release. Raises `UserError` for a release without the split."""


@dataclass(frozen=True, slots=True)
class SplitRequest:
    """The split of a task that local data should contain, and the layouts that they may have.

    `is_sharded`: of their documents only a shard's are asked for. `has_texts`: whether the documents' texts are needed.
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

    `layout` is the layout of the rows, or the release that a folder contains. `lines`: those of rows of which a part is
    asked for, where they tell it.
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


_LAYOUTS = {
    "published": (
        "aa_lcr", "character_types", "financebench", "infinitebench", "lara", "leval", "literaryqa", "longbench",
        "longbench_v2",
        "muld", "nocha", "scrolls", "scrolls_choices", "style_change", "zero_scrolls",
        "babilong", "graphwalks", "longbench_pro", "mrcr", "oolong", "ruler",
    ),
    "originals": (
        "chunking_evaluation", "contract_nli", "gov_report", "hotpotqa", "loogle", "musique", "narrativeqa",
        "qasper", "qmsum", "quality", "squality", "summ_screen", "vlsp",
    ),
    "own_data": ("aligned", "folder", "forms", "rows"),
}  # fmt: skip
_MODULES = {name: f"{__package__}.{folder}.{name}" for folder, names in _LAYOUTS.items() for name in names}


RELEASES = ("style_change", "vlsp", "narrativeqa", "gov_report", "aligned")  # in the order in which they are sought


def release(name: str) -> Release:
    """The module of a layout of files."""
    return cast(Release, import_module(_MODULES[name]))


def layout(name: str) -> Layout:
    """The module of a layout of rows."""
    return cast(Layout, import_module(_MODULES[name]))
